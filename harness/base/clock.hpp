// Time on this machine: a stopwatch, waiting for idle threads, and how fast a fixed workload runs right now.
#pragma once

#include <chrono>

namespace ndt::harness {

/// Measures wall time from its construction on, with a steady clock.
class Stopwatch {
 public:
  double elapsed_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Waits until the threads of this process are asleep, at most 120 ms. Idle workers of OpenMP and of thread
/// pools spin for some milliseconds before they sleep, and would take a core from the next measurement.
void wait_until_idle();

/// Returns the median time of a few runs of a fixed workload on one thread, microseconds: a chain of
/// floating-point operations that nothing but the core's speed and other work on it can change.
double machine_speed_us();

}  // namespace ndt::harness
