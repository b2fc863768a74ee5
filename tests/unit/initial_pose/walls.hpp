// Walls of points, and what stands between them.
#pragma once

#include <cmath>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// From (x0, y0) to (x1, y1), 3 m high, with a point every 10 cm.
inline void add_wall(PointCloud& cloud, double x0, double y0, double x1, double y1) {
  const int steps = static_cast<int>(std::hypot(x1 - x0, y1 - y0) / 0.1);
  for (int k = 0; k <= steps; ++k)
    for (double z = -1.5; z < 1.5; z += 0.1) {
      const double along = static_cast<double>(k) / steps;
      cloud.points.push_back({static_cast<float>(x0 + along * (x1 - x0)),
                              static_cast<float>(y0 + along * (y1 - y0)), static_cast<float>(z)});
    }
}

/// 20 m by 12 m around the origin.
inline PointCloud room() {
  PointCloud cloud;
  for (const double side : {-1.0, 1.0}) {
    add_wall(cloud, -10, 6 * side, 10, 6 * side);
    add_wall(cloud, 10 * side, -6, 10 * side, 6);
  }
  return cloud;
}

/// Along x, its ends out of sight.
inline PointCloud corridor() {
  PointCloud cloud;
  for (const double y : {-2.0, 2.0}) add_wall(cloud, -80, y, 80, y);
  return cloud;
}

/// Returns the surroundings within 40 m of the sensor, in its frame.
inline PointCloud seen_from(const Transform& map_from_scan, const PointCloud& surroundings) {
  const Transform scan_from_map = inverse(map_from_scan);
  PointCloud scan;
  for (const Point& p : surroundings.points) {
    const Vec3<double> at =
        rotation_of(scan_from_map) * Vec3<double>{p.x, p.y, p.z} + translation_of(scan_from_map);
    if (std::hypot(at.x, at.y, at.z) < 40)
      scan.points.push_back({static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z)});
  }
  return scan;
}

}  // namespace ndt::initial_pose
