// The places where the sensor may be before a scan is used: a distribution, or a region.
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

/// The places where the sensor may be: a box of positions and an arc of headings.
struct PlaceRegion {
  Vec3<double> low, high;  ///< [m], frame of the level map; high is not below low
  /// Takes heights from which the map has something to stand on below the sensor, as far as the scan shows
  /// its ground. Otherwise all of the box.
  bool height_from_map = false;
  double heading_rad = kPi;  ///< farthest from the guess's heading, either way; pi: any
};

/// Three sigma of the heading, at most pi; pi for any heading.
double heading_reach_rad(const PosePrior& prior);
/// Within three sigma of the mean's x, y and z, and of its heading.
PlaceRegion around(const PosePrior& prior);

}  // namespace ndt::initial_pose
