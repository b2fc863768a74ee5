// Clouds for what PCL and we both read.
#pragma once

#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <limits>
#include <random>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// With 0 and -0, subnormal, huge and non-finite coordinates among them.
inline std::vector<Point> some_points(std::size_t n) {
  std::mt19937 random(11);
  std::normal_distribution<float> metres(0, 50);
  std::vector<Point> points = {{0.F, -0.F, 1e-40F}, {3.4e38F, -1e-30F, 16777217.F}};
  while (points.size() < n) points.push_back({metres(random), metres(random), metres(random)});
  points.resize(n);
  return points;
}

template <class Cloud>
std::vector<Point> xyz_of(const Cloud& cloud) {
  std::vector<Point> points;
  for (const auto& p : cloud) points.push_back({p.x, p.y, p.z});
  return points;
}

template <class PclPoint>
pcl::PointCloud<PclPoint> pcl_cloud(std::size_t n) {
  pcl::PointCloud<PclPoint> cloud;
  for (const Point& p : some_points(n)) {
    PclPoint q;
    q.x = p.x, q.y = p.y, q.z = p.z;
    cloud.push_back(q);
  }
  cloud.points[n / 2].y = std::numeric_limits<float>::quiet_NaN();
  cloud.is_dense = false;
  return cloud;
}

}  // namespace ndt::harness
