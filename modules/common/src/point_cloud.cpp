#include "ndt/core/point_cloud.hpp"

#include <cmath>

namespace ndt {

FinitePoints finite_points(const PointCloud& cloud, const Vec3<double>& frame_origin) {
  const Vec3<double> shift = cloud.origin - frame_origin;
  const bool shifted = shift.x != 0 || shift.y != 0 || shift.z != 0;
  FinitePoints out;
  out.points.reserve(cloud.size());
  for (const Point& stored : cloud.points) {
    const Point p = shifted ? cast<float>(cast<double>(stored) + shift) : stored;
    if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) out.points.push_back(p);
  }
  out.dropped = static_cast<std::int64_t>(cloud.size() - out.points.size());
  return out;
}

double mean_range_m(const std::vector<Point>& points) {
  double sum = 0;
  for (const Point& p : points) {
    const Vec3<double> v = cast<double>(p);
    sum += std::sqrt(dot(v, v));
  }
  return points.empty() ? 0.0 : sum / static_cast<double>(points.size());
}

}  // namespace ndt
