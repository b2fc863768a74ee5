// The box of all leaves of a voxel grid that have points, in which every leaf has a number.
#pragma once

#include <cmath>
#include <cstdint>

#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// The leaf of a point is floor(coordinate / leaf_m) per axis, in double and in the cloud's frame.
NDT_HD inline Vec3<double> leaf_at(const Vec3<double>& p, double leaf_m) {
  return {std::floor(p.x / leaf_m), std::floor(p.y / leaf_m), std::floor(p.z / leaf_m)};
}

/// The lowest and the highest leaf on each axis. Leaves are doubles here: whole numbers of any size, so that
/// no coordinate is too far away. Leaves in their order, z slowest, have increasing numbers.
struct LeafBox {
  Vec3<double> low, high;

  NDT_HD Vec3<double> size() const { return high - low + Vec3<double>{1, 1, 1}; }
  /// The number of its leaves, rounded if it is huge.
  NDT_HD double leaves() const {
    const Vec3<double> s = size();
    return s.x * s.y * s.z;
  }
  /// The largest number of a leaf on an axis, without its sign.
  NDT_HD double largest() const {
    double most = 0;
    for (const double v : {low.x, low.y, low.z, high.x, high.y, high.z}) most = fmax(most, fabs(v));
    return most;
  }
  /// Whether every leaf has a number in 53 bits, and an int32 on each axis.
  NDT_HD bool is_numbered() const { return leaves() <= 0x1p52 && largest() < 0x1p31 - 1; }
  /// The number of a leaf in the box.
  NDT_HD std::uint64_t number(const Vec3<double>& leaf) const {
    const auto whole = [](double v) { return static_cast<std::uint64_t>(v); };
    const Vec3<double> s = size(), from_low = leaf - low;
    return (whole(from_low.z) * whole(s.y) + whole(from_low.y)) * whole(s.x) + whole(from_low.x);
  }
};

}  // namespace ndt
