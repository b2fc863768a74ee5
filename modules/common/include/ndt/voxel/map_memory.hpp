// The memory that a registration's voxel maps take, on the CPU and on a device: the one place that knows.
// Numbers go in, no map does.
#pragma once

#include <cstdint>
#include <span>

#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// The points of a map, and the box around the finite ones.
struct MapExtent {
  std::uint64_t points = 0, non_finite = 0;  ///< all of them; of these not finite
  Vec3<double> low, high;
};

/// The numbers that decide the memory of one level, as VoxelMap::size() counts them.
struct LevelSize {
  double edge_m = 0;
  std::uint64_t voxels = 0;        ///< cells with enough points
  std::uint64_t window_cells = 0;  ///< with a dense index
  std::uint64_t listed = 0;        ///< entries of the lists of near voxels
  std::uint64_t outside = 0;       ///< of these, of cells outside the window
  std::uint64_t fine = 0;          ///< only of windows: cells with points
  std::uint64_t asked = 0;         ///< only of windows: cells that may have one
};

struct MapMemory {
  std::uint64_t held = 0;  ///< bytes of the finished maps
  std::uint64_t peak = 0;  ///< most bytes while they are built, the finished ones included
};

// Upper bounds for all levels, coarse to fine, beside the cloud itself and an older map that stays until the
// new one is ready. Levels are built one after the other, so the peak is that of one level and what the
// levels before it hold. Not counted: what allocators add (a CUDA pool takes memory in pieces of up to 32
// MiB), and a few hundred bytes an object. An axis of length l meets at most floor(l / edge) + 2 cells, and
// two more where cells are rounded.

/// The memory of VoxelMap. A level holds its voxels (table, statistics, Gaussians, surfaces), the starts of
/// the window's lists, and the lists. A level also holds a hash of twice the outside entries, rounded up to a
/// power of two. The level's peak is the largest of
/// - a counter for each cell of the points' box and the sums of cells with enough points; where the box has
///   more cells than most_counted_cells(): so many counters, counts by axis, the sums twice while they move,
///   and two arrays of 16 bytes a point to sort those outside the counters, of which there may be any number;
/// - the sums beside the voxels made of them;
/// - all that it holds, the axes of the voxels sorted, the window's next entries, the cells that list every
///   voxel, the outside entries sorted. Arrays of unknown length take up to twice what is in them.
/// Windows hold no table, statistics and surfaces. Their peak may be that of three layers of cells, beside
/// the keys of all cells that may have one. Points that are not finite cost a copy of the others.
MapMemory host_memory(const MapExtent& map, std::span<const LevelSize> levels);

/// The memory of DeviceVoxelMap. A level holds what the host's holds, with an 8-byte key for a cell's place.
/// The cloud is there once for all levels. A level's peak is the largest of device_sort_bytes() and
/// device_sums_bytes(); and device_lists_bytes() beside the voxels; and a counter for each cell of the
/// points' box, or of the largest window.
MapMemory device_memory(const MapExtent& map, std::span<const LevelSize> levels, int min_points);

// The parts of a level's peak on a device, each asked for before it is taken.

/// Whether numbers of so many cells take 32 bits, not 64.
inline bool are_narrow(std::uint64_t cells) { return cells <= std::uint64_t{1} << 32; }
/// Numbers of cells and indices of all points, twice for the sort, the first points of voxels, and scratch
/// memory. cells: of the box around the points.
std::uint64_t device_sort_bytes(std::uint64_t points, int min_points, std::uint64_t cells);
/// Sums, statistics and flags of the cells with enough points, and the voxels made of them.
std::uint64_t device_sums_bytes(std::uint64_t voxels);
/// The memory that a tile of a resident map holds beside its points, whatever comes of its cells with points.
std::uint64_t device_tile_bytes(std::uint64_t points, std::uint64_t cells);
/// Voxels of a map that are merged from those of tiles, and what that takes; cells: with points, of all
/// tiles; slots: where they find those that they share. Some of the memory of cells that are no voxels stays
/// with the map.
std::uint64_t device_merge_bytes(std::uint64_t tiles, std::uint64_t cells, std::uint64_t slots);
// The parts of the peak of windows on a device.

/// The hash of a layer of cells, their keys and sums.
std::uint64_t device_layer_bytes(std::uint64_t cells);
/// The keys of the cells that may have a window, twice for their sort, and once more in order.
std::uint64_t device_asked_bytes(std::uint64_t cells);
/// The windows of so many cells, and those that are kept.
std::uint64_t device_windows_bytes(std::uint64_t cells);

/// Starts, lists and hash, with the counts and the unordered lists on the way to them.
std::uint64_t device_lists_bytes(const LevelSize& level);

/// Throws InputError "set_map: the map needs up to 120 MB on the device, 64 MB are free; ..." if `needed`
/// bytes are more than `free`.
void require_device_room(std::uint64_t needed, std::uint64_t free);

}  // namespace ndt
