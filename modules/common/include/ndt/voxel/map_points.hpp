// What happens to a map before it is cut into voxels, and what its voxels look like to a person: the same for every owner of a
// voxel map.
#pragma once

#include <cstdint>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/voxel/voxel.hpp"
#include "ndt/voxel/voxel_key.hpp"

namespace ndt {

/// Cells the dense window may hold (4 bytes each); voxels beyond it are found through a hash.
inline constexpr std::uint64_t kWindowCells = 1ULL << 24;

/// Build parameters that only tests change.
struct VoxelMapLimits {
  std::uint64_t window_cells = kWindowCells;
  std::int64_t voxels = Limits::kVoxels;
};

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

/// The finite points of a map about the origin that suits it: 0 unless the median point lies 1 km or more from 0 on some axis.
/// Throws InputError if the map is too coarse (align/precision.hpp).
MapPoints map_points(const PointCloud& map, const AlignOptions& options);

/// Throws InputError: a map-local point lies outside the limits of cells.
[[noreturn]] void refuse_far_point(const Point& p);
[[noreturn]] void refuse_so_many_voxels(std::int64_t limit, double resolution_m);

VoxelRow to_row(const VoxelStatistics& statistics, const Cell& cell, const MapOrigin& origin, double resolution_m);

}  // namespace ndt
