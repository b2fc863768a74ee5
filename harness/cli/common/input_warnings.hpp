// Warnings on stderr about clouds and poses that are probably not what they are taken for.
#pragma once

#include <span>
#include <string_view>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// Warns of a pose x,y,z,roll,pitch,yaw with an angle beyond a full turn. Other poses need no look.
void warn_of_degrees(std::span<const double> pose, std::string_view option);

/// Warns of a map whose middle nine tenths extend over more than 20 km. Warns of a scan whose middle half
/// extends over more than 1 km. Both are beyond what sensors see, and ordinary in millimetres. An empty cloud
/// is not looked at.
void warn_of_millimetres(const PointCloud& map, const PointCloud& scan);

/// Says how to thin a scan of more than 30,000 points, unless it was filtered.
void notice_dense_scan(std::size_t points, bool filtered);

/// Warns of a thin map (initial_pose::kThinMap). edge_m: of the last level.
void warn_of_thin_map(double covered, double edge_m);

}  // namespace ndt::harness
