// Tells whether a map was made of the very scan that is registered onto it.
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// A larger share of points that two independent clouds never have.
inline constexpr double kSamePointsMost = 0.2;

/// The share of the scan's finite points that are points of the map to the bit, as float32, once the pose has
/// moved them. 0 for a scan without points.
double share_of_same_points(const PointCloud& map, const PointCloud& scan, const Transform& map_from_scan);

}  // namespace ndt::harness
