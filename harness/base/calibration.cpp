#include "base/calibration.hpp"

#include <vector>

#include "base/metrics.hpp"
#include "base/stopwatch.hpp"

namespace ndt::harness {

double calibration_us() {
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
