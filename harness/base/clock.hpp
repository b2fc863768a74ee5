// Time on this machine: a stopwatch, waiting for idle threads, and how fast a fixed workload runs right now.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

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

/// Measures the CPU time of the thread that makes it and reads it, from its construction on: not what the
/// thread waits, nor what other threads and programs have of its core.
class ThreadStopwatch {
 public:
  double elapsed_us() const { return now_us() - start_us_; }

 private:
  static double now_us();
  double start_us_ = now_us();
};

/// A clock that one can wait for; a test has one of its own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now_s() = 0;  ///< since any moment; never goes back
  virtual void wait_until(double time_s) = 0;
};

class SteadyClock : public Clock {
 public:
  double now_s() override;
  void wait_until(double time_s) override;
};

/// Ticks of a clock that began when this was made.
class Ticks {
 public:
  /// Makes ticks at this rate; nobody waits if there is none.
  explicit Ticks(std::optional<double> rate_hz) : rate_hz_(rate_hz) {}
  /// Sleeps until the next tick that is at least `ahead_ms` away, and calls `announce` so long before it.
  /// Ticks that have passed meanwhile are left out.
  void wait(double ahead_ms = 0, const std::function<void()>& announce = {}) const;

 private:
  std::optional<double> rate_hz_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Waits until the threads of this process are asleep, at most 120 ms. Idle workers of OpenMP and of thread
/// pools spin for some milliseconds before they sleep, and would take a core from the next measurement.
void wait_until_idle();

/// Returns the median time of a few runs of a fixed workload on one thread, microseconds: a chain of
/// floating-point operations that nothing but the core's speed and other work on it can change.
double machine_speed_us();

}  // namespace ndt::harness
