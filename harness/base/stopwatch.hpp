// Wall time from a steady clock.
#pragma once

#include <chrono>

namespace ndt::harness {

/// Runs from its construction on.
class Stopwatch {
 public:
  double elapsed_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ndt::harness
