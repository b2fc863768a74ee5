#include "ndt/voxel/map_cloud.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

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

bool finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

/// Rounded towards 0. A coordinate beyond all limits is as far as a whole number tells.
std::int64_t kilometre_of(double coordinate) {
  constexpr double kFarthest = 1e15;
  return static_cast<std::int64_t>(std::clamp(coordinate / kOriginThresholdM, -kFarthest, kFarthest));
}

/// Neighbouring points mostly share a kilometre, so that runs are counted.
KilometreCounts counts_of(std::span<const Point> points, double origin, float Point::*axis) {
  KilometreCounts counts;
  std::int64_t last = 0, run = 0;
  for (const Point& p : points) {
    const std::int64_t kilometre = kilometre_of(origin + static_cast<double>(p.*axis));
    if (kilometre != last) counts.add(std::exchange(last, kilometre), std::exchange(run, 0));
    ++run;
  }
  counts.add(last, run);
  return counts;
}

}  // namespace

void KilometreCounts::add(const KilometreCounts& more) {
  for (const auto& [kilometre, points] : more.counts_) add(kilometre, points);
}

std::int64_t KilometreCounts::median() const {
  std::int64_t all = 0, before = 0;
  for (const auto& [kilometre, points] : counts_) all += points;
  for (const auto& [kilometre, points] : counts_)
    if ((before += points) > all / 2) return kilometre;
  return 0;
}

void CloudFacts::add(const CloudFacts& part) {
  points += part.points, dropped += part.dropped;
  for (std::size_t axis = 0; axis < 3; ++axis) kilometres[axis].add(part.kilometres[axis]);
}

MapOrigin CloudFacts::origin(double resolution_m) const {
  MapOrigin out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto kilometre = static_cast<double>(kilometres[axis].median());
    if (kilometre == 0) continue;
    const double middle_m = (kilometre + std::copysign(0.5, kilometre)) * kOriginThresholdM;
    out.cell[axis] = static_cast<std::int64_t>(std::floor(middle_m / resolution_m));
  }
  return out;
}

MapInfo CloudFacts::info(double resolution_m) const {
  MapInfo out;
  out.points = points, out.dropped_points = dropped;
  out.origin = origin(resolution_m).position(resolution_m);
  return out;
}

MapCloud::MapCloud(const Vec3<double>& origin, std::span<const Point> points, const AlignOptions& options)
    : own_origin_(origin), points_(points) {
  // One pass tells that the points of most maps are finite, fine enough (float32 is, below the threshold) and
  // near.
  const double own = std::max({std::abs(own_origin_.x), std::abs(own_origin_.y), std::abs(own_origin_.z)});
  const double largest = largest_coordinate(points_);
  const bool near = own + largest < kOriginThresholdM;
  if (!near) require_map_precision(points_, options);
  if (!std::isfinite(largest)) {
    std::ranges::copy_if(points, std::back_inserter(copy_), finite);
    points_ = copy_;
  }
  facts_.points = static_cast<std::int64_t>(points_.size());
  facts_.dropped = static_cast<std::int64_t>(points.size()) - facts_.points;
  if (near)
    for (KilometreCounts& axis : facts_.kilometres) axis.add(0, facts_.points);
  else
    facts_.kilometres = {counts_of(points_, own_origin_.x, &Point::x),
                         counts_of(points_, own_origin_.y, &Point::y),
                         counts_of(points_, own_origin_.z, &Point::z)};
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
