// The cloud of a map, read once for the voxel maps of all levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

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
};

/// Finite points relative to a voxel map's origin, on the host or on a device. They are shifted when they are
/// read, so that voxel maps with different origins share one copy.
struct MapPoints {
  const Point* offsets = nullptr;  ///< [size]
  std::size_t size = 0;
  Vec3<double> shift;  ///< the offsets' origin minus the voxel map's; without a shift every bit is kept

  NDT_HD Point operator[](std::size_t i) const { return shifted(offsets[i]); }
  NDT_HD Point shifted(const Point& offset) const {
    if (shift.x == 0 && shift.y == 0 && shift.z == 0) return offset;
    return cast<float>(cast<double>(offset) + shift);
  }
};

/// Distance from 0 at which a map gets an origin of its own; float32 resolves 0.06 mm there.
inline constexpr double kOriginThresholdM = 1000;

/// The finite points of a map, and what voxel maps of any resolution need to know of them. Points are copied
/// only if some of them are not finite; the map must outlive its MapCloud.
class MapCloud {
 public:
  /// Throws InputError if the map is too coarse (align/usable_points.hpp).
  MapCloud(const PointCloud& map, const AlignOptions& options);
  MapCloud(PointCloud&& map, const AlignOptions& options) = delete;
  MapCloud(const MapCloud&) = delete;
  MapCloud& operator=(const MapCloud&) = delete;

  /// Origin of the voxel map: 0 unless the median point is 1 km or more from 0 on some axis.
  MapOrigin origin(double resolution_m) const;
  /// The facts about the voxel map, whose voxels are not counted yet.
  MapInfo info(double resolution_m) const;
  /// The points relative to a position; they stay here.
  MapPoints points(const Vec3<double>& position) const;

 private:
  Vec3<double> own_origin_;
  FinitePoints copy_;              // of the finite points; empty if all are
  std::span<const Point> points_;  // finite, offsets from own_origin_
  std::optional<Vec3<double>> far_centre_;
};

/// Throws InputError, which tells that a map-local point is outside the limits of cells.
[[noreturn]] void refuse_far_point(const Point& p);

}  // namespace ndt
