// The centroid of a leaf's points by sums of whole numbers, which do not depend on the points' order. Threads
// of a CPU or of a device may add them as they come, with the same bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Units in which the offsets of points from a corner of their leaf are counted.
struct LeafUnits {
  double leaf_m = 1, per_m = 1;
  Vec3<double> origin;  ///< of the cloud

  LeafUnits() = default;
  /// No sum of so many points overflows. A unit is 2^-44 leaves for 100,000 points.
  LeafUnits(double leaf, std::uint64_t points, const Vec3<double>& cloud_origin)
      : leaf_m(leaf), origin(cloud_origin) {
    int leaf_bits = 0, point_bits = 0;
    std::frexp(leaf, &leaf_bits), std::frexp(static_cast<double>(points), &point_bits);
    per_m = std::ldexp(1.0, 60 - leaf_bits - point_bits);
  }

  /// The corner of a leaf on one axis as an offset from the cloud's origin, rounded to float: the difference
  /// of two floats is exact.
  NDT_HD double corner(double leaf, double axis_origin) const {
    return static_cast<double>(static_cast<float>(leaf * leaf_m - axis_origin));
  }
  /// Whether float32 has many values within a leaf so far away. If not, its points are equal there.
  NDT_HD bool fine(double corner) const { return std::abs(corner) < 0x1p22 * leaf_m; }
  /// A point's offset from the corner, in units.
  NDT_HD std::int64_t count(float offset, double corner) const {
    if (!fine(corner)) return 0;
    return nearest((static_cast<double>(offset) - corner) * per_m);
  }
  /// A point's time in nanoseconds.
  NDT_HD static std::int64_t nanoseconds(float time_s) { return nearest(static_cast<double>(time_s) * 1e9); }

 private:
  NDT_HD static std::int64_t nearest(double value) {
#if defined(__CUDA_ARCH__)
    return __double2ll_rn(value);
#else
    return std::llrint(value);
#endif
  }
};

/// Sums over one leaf.
struct LeafSums {
  std::int64_t x = 0, y = 0, z = 0;  ///< units of LeafUnits
  std::int64_t time_ns = 0;          ///< where points have times
  std::uint32_t points = 0;
  Point any{};  ///< one of its points: the only one, if it is alone
  float any_time_s = 0;

  /// Adds points that come later.
  LeafSums& operator+=(const LeafSums& later) {
    x += later.x, y += later.y, z += later.z;
    time_ns += later.time_ns, points += later.points;
    any = later.any, any_time_s = later.any_time_s;
    return *this;
  }
};

/// leaf: its number on each axis.
NDT_HD inline Point centroid_of(const LeafSums& sums, const Vec3<double>& leaf, const LeafUnits& units) {
  if (sums.points == 1) return sums.any;
  const auto n = static_cast<double>(sums.points);
  const auto on_axis = [&](std::int64_t sum, double number, double origin, float any) {
    const double corner = units.corner(number, origin);
    if (!units.fine(corner)) return any;
    return static_cast<float>(corner + static_cast<double>(sum) / n / units.per_m);
  };
  return {on_axis(sums.x, leaf.x, units.origin.x, sums.any.x),
          on_axis(sums.y, leaf.y, units.origin.y, sums.any.y),
          on_axis(sums.z, leaf.z, units.origin.z, sums.any.z)};
}

/// The mean time of a leaf's points.
NDT_HD inline float time_of(const LeafSums& sums) {
  if (sums.points == 1) return sums.any_time_s;
  return static_cast<float>(static_cast<double>(sums.time_ns) / static_cast<double>(sums.points) * 1e-9);
}

}  // namespace ndt
