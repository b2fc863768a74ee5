// The distribution of the sensor's pose before a scan is used.
#pragma once

#include <optional>

#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// A prior: all coordinates are independent, and normal about the mean. Without a deviation of the heading,
/// yaw is uniform in [-pi, pi), whatever the mean's is.
struct PosePrior {
  Pose mean;  ///< most likely pose
  double sigma[5] = {1, 1, 0.1, 0.01,
                     0.01};  ///< x y z [m], roll pitch [rad]; 0 leaves a coordinate where the mean has it
  std::optional<double> sigma_yaw_rad = {};  ///< nothing: any heading
};

/// Throws std::invalid_argument that names the value which is not finite, negative or out of range.
void require_valid(const PosePrior& prior);

}  // namespace ndt::initial_pose
