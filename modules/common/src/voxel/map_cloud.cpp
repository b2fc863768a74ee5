#include "ndt/voxel/map_cloud.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

/// Not finite if a point is not.
PointBox box_of(std::span<const Point> points) {
  static_assert(sizeof(Point) == 3 * sizeof(float));
  if (points.empty()) return {};
  constexpr std::size_t kAtOnce = 4;
  std::array<std::int32_t, 3 * kAtOnce> low, high, now;
  low.fill(std::numeric_limits<std::int32_t>::max()), high.fill(std::numeric_limits<std::int32_t>::min());
  const auto meet = [&](std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      low[k] = std::min(low[k], in_order(now[k]));
      high[k] = std::max(high[k], in_order(now[k]));
    }
  };
  std::size_t i = 0;
  for (; i + kAtOnce <= points.size(); i += kAtOnce) {
    std::memcpy(now.data(), points.data() + i, sizeof now);
    meet(now.size());
  }
  for (; i < points.size(); ++i) {
    std::memcpy(now.data(), points.data() + i, sizeof(Point));
    meet(3);
  }
  const auto join = [](const auto& parts, auto&& better) {
    Point out;
    std::size_t axis = 0;
    for (float* coordinate : {&out.x, &out.y, &out.z}) {
      std::int32_t best = parts[axis];
      for (std::size_t k = axis; k < parts.size(); k += 3) best = better(best, parts[k]);
      *coordinate = std::bit_cast<float>(in_order(best));
      ++axis;
    }
    return out;
  };
  return {join(low, [](auto a, auto b) { return std::min(a, b); }),
          join(high, [](auto a, auto b) { return std::max(a, b); })};
}

double largest_coordinate(const Point& p) {
  return static_cast<double>(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}));
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
    : own_origin_(origin), points_(points), box_(box_of(points)) {
  // One pass tells that the points of most maps are finite, fine enough (float32 is, below the threshold) and
  // near.
  const double own = std::max({std::abs(own_origin_.x), std::abs(own_origin_.y), std::abs(own_origin_.z)});
  const bool all_finite = is_finite(box_.low) && is_finite(box_.high),
             near =
                 all_finite && own + std::max(largest_coordinate(box_.low), largest_coordinate(box_.high)) <
                                   kOriginThresholdM;
  if (!near) require_map_precision(points_, options);
  if (!all_finite) {
    std::ranges::copy_if(points, std::back_inserter(copy_),
                         [](const Vec3<float>& p) { return is_finite(p); });
    points_ = copy_;
    box_ = box_of(points_);
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
  return {points_.data(), points_.size(), own_origin_ - position, box_};
}

void refuse_far_point(const Point& p) {
  throw InputError(formatted(
      "set_map: a point at ({}, {}, {}) m from the map origin is more than {} voxels away from it; remove "
      "outliers or choose a larger resolution",
      p.x, p.y, p.z, kCellLimit));
}

}  // namespace ndt
