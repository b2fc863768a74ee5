// What `ndt-bench map describe` tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "data/tiled_map.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt::harness {

/// The voxel map of the CPU implementations.
struct VoxelFacts {
  std::int64_t voxels = 0;  ///< with enough points
  std::uint64_t bytes = 0;  ///< that alignments read: voxels, the lists of near voxels, and their index
};

struct MapDescription {
  std::size_t tiles = 0;                           ///< 0 for one file
  double tile_width_m = 0, tile_height_m = 0;      ///< 0 without metadata
  std::int64_t points = 0, non_finite_points = 0;  ///< all of them; of these not finite
  Vec3<double> low, high;                          ///< of the finite points; both 0 without any
  double resolution_m = 0;
  std::optional<VoxelFacts> voxel_map;  ///< nothing where there can be none, and why:
  std::string no_voxel_map;
  double read_us = 0, build_us = 0;  ///< the files, and the voxel map or the attempt
};

/// Reads the whole map. Throws as MapFiles does.
MapDescription describe_map(const MapFiles& files, double resolution_m);

std::string to_text(const MapDescription& description);
nlohmann::ordered_json to_json(const MapDescription& description);

}  // namespace ndt::harness
