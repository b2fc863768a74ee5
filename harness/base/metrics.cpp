#include "base/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ndt::harness {

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) throw std::invalid_argument("quantile: no samples");
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument("quantile: q must be in [0, 1]");
  std::ranges::sort(samples);
  const double rank = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (rank - std::floor(rank)) * (samples[above] - samples[below]);
}

double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

PoseDifference pose_difference(const Transform& a, const Transform& b) {
  return {translation_error_m(a, b), rotation_error_rad(a, b) * 180.0 / kPi};
}

}  // namespace ndt::harness
