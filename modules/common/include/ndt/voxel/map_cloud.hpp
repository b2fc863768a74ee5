// The points of a map as its voxels are made from them, and the origin that they are relative to.
#pragma once

#include <cstdint>
#include <vector>

#include "ndt/align/aligner.hpp"
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

struct MapPoints {
  MapOrigin origin;
  MapInfo info;               ///< voxels are not counted yet
  std::vector<Point> points;  ///< finite, map-local
};

/// The finite points of a map, relative to its origin: 0 unless the median point is 1 km or more from 0 on
/// some axis. Throws InputError if the map is too coarse (align/usable_points.hpp).
MapPoints map_points(const PointCloud& map, const AlignOptions& options);

/// Throws InputError, which tells that a map-local point is outside the limits of cells.
[[noreturn]] void refuse_far_point(const Point& p);

}  // namespace ndt
