#include "base/clock.hpp"

#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>
#include <vector>

#include "base/metrics.hpp"

namespace ndt::harness {
namespace {

double cpu_ms(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// The CPU time of all threads of the process.
double process_cpu_ms() { return cpu_ms(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace

double ThreadStopwatch::now_us() { return 1000 * cpu_ms(CLOCK_THREAD_CPUTIME_ID); }

double SteadyClock::now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SteadyClock::wait_until(double time_s) {
  std::this_thread::sleep_for(std::chrono::duration<double>(time_s - now_s()));
}

void Ticks::wait(double ahead_ms, const std::function<void()>& announce) const {
  if (!rate_hz_) return;
  using Seconds = std::chrono::duration<double>;
  const auto sleep_until = [&](Seconds time) {
    std::this_thread::sleep_until(start_ +
                                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(time));
  };
  const Seconds ahead(ahead_ms / 1e3), passed = std::chrono::steady_clock::now() - start_ + ahead,
                                       next((std::floor(passed.count() * *rate_hz_) + 1) / *rate_hz_);
  if (announce) {
    sleep_until(next - ahead);
    announce();
  }
  sleep_until(next);
}

void wait_until_idle() {
  // The kernel books the time of a thread running on another core at its next timer tick, 4 or 10 ms apart: a
  // shorter look would take a spinning thread for a sleeping one.
  constexpr auto kLook = std::chrono::milliseconds(12);
  constexpr int kLooks = 10;
  constexpr double kAsleepMs = 0.5;  // per look
  for (int k = 0; k < kLooks; ++k) {
    const double before = process_cpu_ms();
    std::this_thread::sleep_for(kLook);
    if (process_cpu_ms() - before < kAsleepMs) return;
  }
}

double machine_speed_us() {
  constexpr int kRuns = 3;
  constexpr int kLinks = 100000;    // about 0.3 ms
  static volatile double kept = 0;  // so that the work is done
  std::vector<double> times;
  for (int run = 0; run < kRuns; ++run) {
    const Stopwatch watch;
    double x = 1.0 + kept * 1e-300;
    for (int k = 0; k < kLinks; ++k) x = x * 0.999999 + 1e-6;
    kept = x;
    times.push_back(watch.elapsed_us());
  }
  return median(times);
}

}  // namespace ndt::harness
