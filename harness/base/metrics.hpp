// Order statistics and pose errors: what summaries are made of.
#pragma once

#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// Value below which the share q in [0, 1] of the samples lies, linear between order statistics (as numpy's default).
/// Throws std::invalid_argument without samples.
double quantile(std::vector<double> samples, double q);
double median(std::vector<double> samples);

/// How far one pose is from another.
struct PoseDifference {
  double translation_m = 0;
  double rotation_deg = 0;
};
PoseDifference pose_difference(const Transform& a, const Transform& b);

}  // namespace ndt::harness
