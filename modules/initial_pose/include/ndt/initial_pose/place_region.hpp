// The region in which a search for places looks.
#pragma once

#include "ndt/core/pose.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt::initial_pose {

/// The places where the sensor may be: a box of positions and an arc of headings.
struct PlaceRegion {
  Vec3<double> low, high;  ///< [m], frame of the level map; high is not below low
  /// Heights are those from which the map has something to stand on below the sensor, as far as the scan
  /// shows its ground; else all of the box.
  bool height_from_map = false;
  double heading_rad = kPi;  ///< farthest from the guess's heading, either way; pi: any
};

}  // namespace ndt::initial_pose
