#include "ndt/voxel/map_memory.hpp"

#include <algorithm>
#include <cmath>

#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/voxel/cell_sums.hpp"
#include "ndt/voxel/near_voxels.hpp"
#include "ndt/voxel/voxel.hpp"
#include "ndt/voxel/voxel_map_view.hpp"
#include "ndt/voxel/windows.hpp"

namespace ndt {
namespace {

using Bytes = std::uint64_t;

constexpr Bytes kVoxelTable = sizeof(VoxelStatistics) + sizeof(Voxel) + sizeof(VoxelSurface),
                kHostVoxel = sizeof(Cell) + kVoxelTable, kDeviceVoxel = sizeof(std::uint64_t) + kVoxelTable,
                kHostWindow = sizeof(Cell) + sizeof(Voxel),
                kDeviceWindow = sizeof(std::uint64_t) + sizeof(Voxel);
/// Cells of the points' box, with the window's border on either side of every axis.
struct Box {
  double x, y, z;
  Box(const MapExtent& map, double edge_m)
      : x(axis(map.low.x, map.high.x, edge_m)),
        y(axis(map.low.y, map.high.y, edge_m)),
        z(axis(map.low.z, map.high.z, edge_m)) {}

  /// As many as a number tells.
  Bytes cells() const { return static_cast<Bytes>(std::min(x * y * z, 1e18)); }
  static double axis(double low, double high, double edge_m) {
    return std::min(std::floor((high - low) / edge_m) + 4 + 2 * kWindowBorder, 2.0 * kCellLimit);
  }
};

Bytes least_points(int min_points) { return static_cast<Bytes>(std::max(min_points, 1)); }
Bytes finite(const MapExtent& map) { return map.points - map.non_finite; }

/// Starts, lists and hash of a level, where `numbered` cells have a start.
Bytes index_bytes(const LevelSize& level, Bytes numbered) {
  return (numbered + 1) * sizeof(std::uint32_t) + (level.listed + kNearVoxelPadding) * sizeof(NearVoxel) +
         hash_slots(level.outside) * sizeof(CellEntry);
}

bool are_windows(const LevelSize& level) { return level.fine > 0; }

Bytes host_held(const LevelSize& level) {
  return are_windows(level) ? level.asked * kHostWindow + index_bytes(level, level.window_cells)
                            : level.voxels * kHostVoxel + index_bytes(level, level.window_cells);
}

/// While the points of a level are summed.
Bytes host_sums(const MapExtent& map, const LevelSize& level) {
  const Bytes points = finite(map),
              sums = (are_windows(level) ? level.fine : level.voxels) * sizeof(SummedCell),
              counted = are_windows(level) ? most_counted_fine_cells(points) : most_counted_cells(points);
  const Box box(map, level.edge_m);
  if (const double cells = box.x * box.y * box.z; cells <= static_cast<double>(counted))
    return static_cast<Bytes>(cells) * sizeof(std::uint32_t) + sums;
  const Bytes axes = 2 * static_cast<Bytes>(box.x + box.y + box.z) * sizeof(std::uint32_t);
  return counted * sizeof(std::uint32_t) + 2 * points * sizeof(KeyedIndex) + axes + 2 * sums;
}

/// The key, sums and slots of a cell of a layer.
Bytes layer_bytes(Bytes cells) {
  return cells * (sizeof(std::uint64_t) + sizeof(Moments)) + hash_slots(cells) * sizeof(CellEntry);
}

/// The layers of cells with points, beside the keys of those that may have a window, and the windows.
Bytes host_windows(const LevelSize& level) {
  return level.fine * sizeof(SummedCell) + WindowRule::kLayers * layer_bytes(level.fine) +
         level.asked * (sizeof(std::uint64_t) + kHostWindow) + (Bytes{1} << 16) * sizeof(VoxelStatistics);
}

Bytes host_peak(const MapExtent& map, const LevelSize& level) {
  const Bytes sums = host_sums(map, level),
              voxels =
                  are_windows(level) ? host_windows(level) : level.voxels * (sizeof(SummedCell) + kHostVoxel),
              index = host_held(level) + level.voxels * (3 * sizeof(int) + sizeof(std::uint32_t)) +
                      (level.window_cells + 2 * (level.listed - level.outside)) * sizeof(std::uint32_t) +
                      3 * level.outside * sizeof(KeyedIndex);
  return std::max({sums, voxels, index});
}

/// Between arrays in one allocation.
constexpr Bytes kGaps = 4096;

/// The scratch of CUB's sorts, selections and sums: about a third of a byte for each item, and some tables.
Bytes scratch_bytes(Bytes n) { return n + (Bytes{1} << 20); }

Bytes device_numbered(const LevelSize& level) { return level.window_cells + hash_slots(level.outside); }

Bytes device_table(const LevelSize& level) {
  return are_windows(level) ? level.asked * kDeviceWindow : level.voxels * kDeviceVoxel;
}

Bytes device_held(const LevelSize& level) {
  return device_table(level) + index_bytes(level, device_numbered(level)) + kGaps;
}

/// While voxels are made of sorted points.
Bytes device_making(const LevelSize& level, Bytes sort) {
  if (!are_windows(level)) return sort + device_sums_bytes(level.voxels);
  const Bytes layers = WindowRule::kLayers * device_layer_bytes(level.fine);
  return layers + std::max({sort + level.fine * sizeof(VoxelSums), device_asked_bytes(level.asked),
                            level.asked * sizeof(std::uint64_t) + device_windows_bytes(level.asked)});
}

Bytes device_peak(const MapExtent& map, const LevelSize& level, int min_points) {
  const Box box(map, level.edge_m);
  const Bytes sort = device_sort_bytes(finite(map), are_windows(level) ? 1 : min_points, box.cells());
  const Bytes counted = std::min(box.cells(), Bytes{kWindowCells}) * sizeof(std::uint32_t);
  return counted + std::max(device_making(level, sort), device_table(level) + device_lists_bytes(level));
}

/// Sums what levels hold, and finds the largest peak on the way.
template <class Held, class Peak>
MapMemory of_levels(std::span<const LevelSize> levels, Held&& held, Peak&& peak) {
  MapMemory out;
  for (const LevelSize& level : levels) {
    out.peak = std::max(out.peak, out.held + peak(level));
    out.held += held(level);
  }
  out.peak = std::max(out.peak, out.held);
  return out;
}

}  // namespace

MapMemory host_memory(const MapExtent& map, std::span<const LevelSize> levels) {
  MapMemory out = of_levels(levels, host_held, [&](const LevelSize& level) { return host_peak(map, level); });
  if (map.non_finite > 0) out.peak += map.points * sizeof(Point);
  return out;
}

MapMemory device_memory(const MapExtent& map, std::span<const LevelSize> levels, int min_points) {
  MapMemory out = of_levels(levels, device_held,
                            [&](const LevelSize& level) { return device_peak(map, level, min_points); });
  out.peak += finite(map) * sizeof(Point);
  return out;
}

std::uint64_t device_sort_bytes(std::uint64_t points, int min_points, std::uint64_t cells) {
  const Bytes number = are_narrow(cells) ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
  return 2 * points * (number + sizeof(std::uint32_t)) +
         (points / least_points(min_points) + 1) * sizeof(std::uint32_t) + scratch_bytes(points);
}

std::uint64_t device_sums_bytes(std::uint64_t voxels) {
  return voxels * (sizeof(VoxelSums) + sizeof(VoxelStatistics) + kDeviceVoxel) +
         2 * (voxels + 1) * sizeof(std::uint32_t) + scratch_bytes(voxels);
}

std::uint64_t device_tile_bytes(std::uint64_t points, std::uint64_t cells) {
  return points * sizeof(std::uint32_t) +
         (cells + 1) * (sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(VoxelStatistics)) + kGaps;
}

std::uint64_t device_merge_bytes(std::uint64_t tiles, std::uint64_t cells, std::uint64_t slots) {
  constexpr Bytes kTile = 192, kSlot = 3 * sizeof(std::uint32_t),
                  kCell = 2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) + sizeof(void*) +
                          3 * sizeof(std::uint32_t) + sizeof(VoxelStatistics) / 2 + kDeviceVoxel;
  return tiles * kTile + (cells + 2) * kCell + (slots + 2) * kSlot + scratch_bytes(cells) +
         scratch_bytes(slots);
}

std::uint64_t device_layer_bytes(std::uint64_t cells) { return layer_bytes(cells) + kGaps; }

std::uint64_t device_asked_bytes(std::uint64_t cells) {
  return 3 * cells * sizeof(std::uint64_t) + scratch_bytes(cells);
}

std::uint64_t device_windows_bytes(std::uint64_t cells) {
  return cells * (sizeof(Voxel) + kDeviceWindow) + 2 * (cells + 1) * sizeof(std::uint32_t) +
         scratch_bytes(cells) + kGaps;
}

std::uint64_t device_lists_bytes(const LevelSize& level) {
  const Bytes numbered = device_numbered(level),
              lists = index_bytes(level, numbered) + (numbered + 1) * sizeof(std::uint32_t) +
                      level.listed * sizeof(std::uint32_t) + scratch_bytes(numbered),
              axes = 6 * level.voxels * sizeof(int) + scratch_bytes(level.voxels);  // freed before the lists
  return std::max(lists, axes);
}

void require_device_room(std::uint64_t needed, std::uint64_t free) {
  constexpr double kMegabyte = 1e6;
  if (needed > free)
    throw InputError(
        formatted("set_map: the map needs up to {:.0f} MB on the device, {:.0f} MB are free; use longer "
                  "voxels, crop the "
                  "map or load tiles near the guess",
                  std::ceil(static_cast<double>(needed) / kMegabyte),
                  std::floor(static_cast<double>(free) / kMegabyte)));
}

}  // namespace ndt
