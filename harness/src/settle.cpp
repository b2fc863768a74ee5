#include "settle.hpp"

#include <chrono>
#include <ctime>
#include <thread>

namespace ndt::harness {
namespace {

/// CPU time of all threads of the process.
double process_cpu_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace

void settle() {
  constexpr int kTries = 50;
  constexpr double kAsleepMs = 0.1;  // per pause; a spinning thread uses all of it
  for (int k = 0; k < kTries; ++k) {
    const double before = process_cpu_ms();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (process_cpu_ms() - before < kAsleepMs) return;
  }
}

}  // namespace ndt::harness
