// The output of `ndt-bench map describe`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/io_names.hpp"
#include "ndt/align/align_options.hpp"
#include "ndt/core/small_matrix.hpp"
#include "ndt/edge/scan_memory.hpp"
#include "ndt/io/tiled_map.hpp"
#include "ndt/voxel/map_memory.hpp"

namespace ndt::harness {

/// A voxel map of the CPU implementations: one of a registration's levels.
struct VoxelFacts {
  double edge_m = 0;
  std::int64_t voxels = 0;  ///< with enough points
  std::uint64_t bytes = 0;  ///< that alignments read: voxels, the lists of near voxels, and their index
  double covered = 0;       ///< share of the map's points with a voxel
};

/// The memory that all levels take at most, beside the points.
struct MemoryFacts {
  MapMemory host, device;
};

/// The size of the alignments that are planned with the map.
struct Batches {
  std::size_t scan_points = 30000, poses = 1;
};

struct MapDescription {
  std::size_t tiles = 0;                       ///< 0 for one file
  double tile_width_m = 0, tile_height_m = 0;  ///< 0 without metadata
  nlohmann::ordered_json survey;               ///< what a file in LAS, LAZ or E57 says of itself, else null
  std::int64_t points = 0, non_finite_points = 0;  ///< all of them; of these not finite
  Vec3<double> low, high;                          ///< of the finite points; both 0 without any
  double resolution_m = 0;
  std::vector<VoxelFacts> levels;  ///< coarse to fine; none where there can be no voxel map, and why:
  std::string no_voxel_map;
  std::optional<VoxelFacts> windows;  ///< of a finish
  std::optional<MemoryFacts> memory;
  Batches batches;
  ScanMemory host_alignments, device_alignments;  ///< at most
  double read_us = 0, build_us = 0;               ///< the files, and the voxel map or the attempt
};

/// Reads the whole map, and builds the voxel maps of all levels, one after the other. Throws as MapFiles
/// does.
MapDescription describe_map(const std::filesystem::path& map, BinFields fields, const AlignOptions& options,
                            const Batches& batches);

std::string to_text(const MapDescription& description);
nlohmann::ordered_json to_json(const MapDescription& description);

}  // namespace ndt::harness
