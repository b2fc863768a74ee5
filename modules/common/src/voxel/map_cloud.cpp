#include "ndt/voxel/map_cloud.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

constexpr double kOriginThreshold_m = 1000;  // float32 resolves 0.06 mm there

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_far(const Vec3<double>& p) {
  return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) >= kOriginThreshold_m;
}

/// Whether all finite points are near, so that the origin stays at 0 whatever the medians are.
bool all_near(const PointCloud& map) {
  return !is_far(map.origin) && std::ranges::none_of(map.points, [&](const Point& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z) &&
           is_far(map.origin + cast<double>(p));
  });
}

/// Voxel of the median coordinate on each axis, because one outlier cannot move it. Zero near the global
/// origin.
MapOrigin choose_origin(const PointCloud& map, double resolution_m) {
  if (all_near(map)) return {};
  const FinitePoints finite =
      finite_points(map, map.origin);  // offsets from the cloud's own origin, so nothing is rounded
  const auto median_of = [&](float Point::*axis) {
    std::vector<double> values;
    values.reserve(finite.points.size());
    for (const Point& p : finite.points) values.push_back(static_cast<double>(p.*axis));
    return median(std::move(values));
  };
  const Vec3<double> centre =
      map.origin + Vec3<double>{median_of(&Point::x), median_of(&Point::y), median_of(&Point::z)};
  if (!is_far(centre)) return {};
  const auto cell = [&](double coordinate) {
    return static_cast<std::int64_t>(std::floor(coordinate / resolution_m));
  };
  return {{cell(centre.x), cell(centre.y), cell(centre.z)}};
}

}  // namespace

MapPoints map_points(const PointCloud& map, const AlignOptions& options) {
  require_map_precision(map, options);
  MapPoints out;
  out.origin = choose_origin(map, options.resolution_m);
  out.info.origin = out.origin.position(options.resolution_m);
  FinitePoints finite = finite_points(map, out.info.origin);
  out.info.points = static_cast<std::int64_t>(finite.points.size());
  out.info.dropped_points = finite.dropped;
  out.points = std::move(finite.points);
  return out;
}

void refuse_far_point(const Point& p) {
  throw InputError(fmt::format(
      "set_map: a point at ({}, {}, {}) m from the map origin is more than {} voxels away from it; remove "
      "outliers or choose a larger resolution",
      p.x, p.y, p.z, kCellLimit));
}

}  // namespace ndt
