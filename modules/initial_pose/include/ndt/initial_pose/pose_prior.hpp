// Where the sensor may be before a scan is looked at.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// x, y, z, roll and pitch are normal about the mean, each by itself; yaw is uniform in [-pi, pi), whatever the mean's is.
struct PosePrior {
  Pose mean;
  double sigma[5] = {1, 1, 0.1, 0.01, 0.01};  ///< x y z [m], roll pitch [rad]; 0 leaves a coordinate where the mean has it
};

/// Throws std::invalid_argument naming what is not finite, negative or out of range.
void require_valid(const PosePrior& prior);

/// Draws from a prior. Like the reference's, a sampler keeps the second number of each pair that the polar method makes
/// [Marsaglia and Bray 1964], so its draws depend on where it was made: one sampler per group of draws.
class PriorSampler {
 public:
  explicit PriorSampler(const PosePrior& prior) : prior_(prior) {}
  /// In the order x y z roll pitch yaw. The same numbers with every build that has the same C++ standard library.
  Pose operator()(std::mt19937_64& random);

 private:
  PosePrior prior_;
  std::normal_distribution<double> normal_[5];
};

}  // namespace ndt::initial_pose
