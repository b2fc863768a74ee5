// Order statistics and pose errors: what summaries are made of.
#pragma once

#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// Returns the value below which a share q in [0, 1] of the samples falls, linear between order statistics
/// (as numpy's default). Throws std::invalid_argument without samples.
double quantile(std::vector<double> samples, double q);
double median(std::vector<double> samples);

/// The distance between two poses.
struct PoseDifference {
  double translation_m = 0;
  double rotation_deg = 0;
};
PoseDifference pose_difference(const Transform& a, const Transform& b);

}  // namespace ndt::harness
