// The cloud of a map, read once for the voxel maps of all levels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/core/hd.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Voxel of the global grid that map-local coordinates are relative to.
struct MapOrigin {
  std::int64_t cell[3] = {};
  Vec3<double> position(double resolution_m) const {
    return {static_cast<double>(cell[0]) * resolution_m, static_cast<double>(cell[1]) * resolution_m,
            static_cast<double>(cell[2]) * resolution_m};
  }
  friend bool operator==(const MapOrigin&, const MapOrigin&) = default;
};

/// The box around points; low.x > high.x where it is not known.
struct PointBox {
  Point low{1, 0, 0}, high;

  bool known() const { return low.x <= high.x; }
};

/// The bits of a float as a whole number in the order of floats, NaN beyond the infinities; and back.
/// Compilers vectorise the search for the smallest and largest of those, and devices have atomic ones.
NDT_HD inline std::int32_t in_order(std::int32_t bits) { return bits ^ (bits >> 31 & 0x7fffffff); }

/// Finite points relative to a voxel map's origin, on the host or on a device. They are shifted when they are
/// read, so that voxel maps with different origins share one copy.
struct MapPoints {
  const Point* offsets = nullptr;  ///< [size]
  std::size_t size = 0;
  Vec3<double> shift;  ///< the offsets' origin minus the voxel map's; without a shift every bit is kept
  PointBox box = {};   ///< around the offsets

  NDT_HD Point operator[](std::size_t i) const { return shifted(offsets[i]); }
  NDT_HD Point shifted(const Point& offset) const {
    if (shift.x == 0 && shift.y == 0 && shift.z == 0) return offset;
    return cast<float>(cast<double>(offset) + shift);
  }
};

/// Distance from 0 at which a map gets an origin of its own; float32 resolves 0.06 mm there.
inline constexpr double kOriginThresholdM = 1000;

/// In whole kilometres, rounded towards 0. A coordinate beyond all limits is as far as a whole number tells.
NDT_HD inline std::int64_t kilometre_of(double coordinate) {
  constexpr double kFarthest = 1e15;
  const double kilometres = coordinate / kOriginThresholdM;
  return static_cast<std::int64_t>(kilometres < -kFarthest  ? -kFarthest
                                   : kilometres > kFarthest ? kFarthest
                                                            : kilometres);
}

/// Numbers of points by one coordinate in whole kilometres, rounded towards 0.
class KilometreCounts {
 public:
  void add(std::int64_t kilometre, std::int64_t points) { counts_[kilometre] += points; }
  void add(const KilometreCounts& more);
  /// The kilometre of the median point; 0 without points.
  std::int64_t median() const;

 private:
  std::map<std::int64_t, std::int64_t> counts_;
};

/// The facts about all points of a map that voxel maps of any resolution need. The facts about a map in parts
/// are the sum of those about its parts.
struct CloudFacts {
  std::int64_t points = 0, dropped = 0;  ///< finite, and those that are not
  std::array<KilometreCounts, 3> kilometres;

  void add(const CloudFacts& part);
  /// Origin of the voxel map: on each axis 0 if the median point is less than 1 km from 0, else the middle of
  /// its kilometre, down to a multiple of the resolution. A map that gains and loses points at its ends keeps
  /// it for a while.
  MapOrigin origin(double resolution_m) const;
  /// The facts about the voxel map, whose voxels are not counted yet.
  MapInfo info(double resolution_m) const;
};

/// The finite points of a map or a part of it. Points are copied only if some of them are not finite; the
/// others must outlive their MapCloud.
class MapCloud {
 public:
  /// Throws InputError if the map is too coarse (align/usable_points.hpp).
  MapCloud(const PointCloud& map, const AlignOptions& options) : MapCloud(map.origin, map.points, options) {}
  MapCloud(PointCloud&& map, const AlignOptions& options) = delete;
  /// points: offsets from `origin`.
  MapCloud(const Vec3<double>& origin, std::span<const Point> points, const AlignOptions& options);
  MapCloud(const MapCloud&) = delete;
  MapCloud& operator=(const MapCloud&) = delete;

  const CloudFacts& facts() const { return facts_; }
  /// The points relative to a position; they stay here.
  MapPoints points(const Vec3<double>& position) const;

 private:
  Vec3<double> own_origin_;
  std::vector<Point> copy_;        // of the finite points; empty if all are
  std::span<const Point> points_;  // finite, offsets from own_origin_
  PointBox box_;                   // around points_
  CloudFacts facts_;
};

/// Throws InputError, which tells that a map-local point is outside the limits of cells.
[[noreturn]] void refuse_far_point(const Point& p);

}  // namespace ndt
