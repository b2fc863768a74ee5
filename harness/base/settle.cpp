#include "base/settle.hpp"

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
  // The kernel books the time of a thread running on another core at its next timer tick, 4 or 10 ms apart: a shorter look
  // would take a spinning thread for a sleeping one.
  constexpr auto kLook = std::chrono::milliseconds(12);
  constexpr int kLooks = 10;
  constexpr double kAsleepMs = 0.5;  // per look
  for (int k = 0; k < kLooks; ++k) {
    const double before = process_cpu_ms();
    std::this_thread::sleep_for(kLook);
    if (process_cpu_ms() - before < kAsleepMs) return;
  }
}

}  // namespace ndt::harness
