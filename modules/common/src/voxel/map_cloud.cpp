#include "ndt/voxel/map_cloud.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_far(const Vec3<double>& p) {
  return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) >= kOriginThresholdM;
}

/// Largest |coordinate|; infinite if a coordinate is not finite. Magnitudes of floats are in the order of
/// their bits as whole numbers, NaN above all, and compilers vectorise the search for the largest of those.
double largest_coordinate(std::span<const Point> points) {
  static_assert(sizeof(Point) == 3 * sizeof(float));
  constexpr std::int32_t kMagnitude = 0x7fffffff, kInfinite = 0x7f800000;
  std::int32_t largest = 0;
  for (const Point& p : points)
    for (const float coordinate : {p.x, p.y, p.z})
      largest = std::max(largest, std::bit_cast<std::int32_t>(coordinate) & kMagnitude);
  return largest < kInfinite ? static_cast<double>(std::bit_cast<float>(largest))
                             : std::numeric_limits<double>::infinity();
}

/// Whether all points are near, so that the origin stays at 0 whatever the medians are.
bool all_near(const Vec3<double>& origin, std::span<const Point> offsets) {
  return !is_far(origin) &&
         std::ranges::none_of(offsets, [&](const Point& p) { return is_far(origin + cast<double>(p)); });
}

/// The median coordinate on each axis, because one outlier cannot move it.
Vec3<double> median_point(std::span<const Point> points) {
  const auto median_of = [&](float Point::*axis) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const Point& p : points) values.push_back(static_cast<double>(p.*axis));
    return median(std::move(values));
  };
  return {median_of(&Point::x), median_of(&Point::y), median_of(&Point::z)};
}

}  // namespace

MapCloud::MapCloud(const PointCloud& map, const AlignOptions& options)
    : own_origin_(map.origin), points_(map.points) {
  // One pass tells that the points of most maps are finite, fine enough (float32 is, below the threshold) and
  // near.
  const double own = std::max({std::abs(own_origin_.x), std::abs(own_origin_.y), std::abs(own_origin_.z)});
  const double largest = largest_coordinate(points_);
  if (own + largest < kOriginThresholdM) return;
  require_map_precision(map, options);
  if (!std::isfinite(largest)) {
    copy_ = finite_points(map, own_origin_);
    points_ = copy_.points;
  }
  if (all_near(own_origin_, points_)) return;
  const Vec3<double> centre = own_origin_ + median_point(points_);
  if (is_far(centre)) far_centre_ = centre;
}

MapOrigin MapCloud::origin(double resolution_m) const {
  if (!far_centre_) return {};
  const auto cell = [&](double coordinate) {
    return static_cast<std::int64_t>(std::floor(coordinate / resolution_m));
  };
  return {{cell(far_centre_->x), cell(far_centre_->y), cell(far_centre_->z)}};
}

MapInfo MapCloud::info(double resolution_m) const {
  MapInfo out;
  out.points = static_cast<std::int64_t>(points_.size());
  out.dropped_points = copy_.dropped;
  out.origin = origin(resolution_m).position(resolution_m);
  return out;
}

MapPoints MapCloud::points(const Vec3<double>& position) const {
  return {points_.data(), points_.size(), own_origin_ - position};
}

void refuse_far_point(const Point& p) {
  throw InputError(fmt::format(
      "set_map: a point at ({}, {}, {}) m from the map origin is more than {} voxels away from it; remove "
      "outliers or choose a larger resolution",
      p.x, p.y, p.z, kCellLimit));
}

}  // namespace ndt
