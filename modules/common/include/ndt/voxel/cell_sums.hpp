// The sums over the points of every cell that has enough of them, and points in the order of their cells, on
// the CPU. Only the builders of maps need them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/near_voxels.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {

struct SummedCell {
  Cell cell;
  VoxelSums sums;  ///< about the cell's centre
};

struct SummedCells {
  std::vector<SummedCell> cells;  ///< those with enough points, by increasing key
  std::int64_t occupied = 0;      ///< cells with points
};

/// Most cells of the box that has a counter for each cell: 8 bytes a point.
inline std::uint64_t most_counted_cells(std::size_t points) {
  return std::max<std::uint64_t>(std::uint64_t{1} << 16, 2 * std::uint64_t{points});
}

/// Allows 64 bytes a point for the cells of windows, because a box has many more of them.
inline std::uint64_t most_counted_fine_cells(std::size_t points) { return 8 * most_counted_cells(points); }

/// Adds every point to the sums of its cell, in the order of the points. Counts the points of each cell first
/// and gives sums only to cells with min_points. Cells outside the largest box of inner quantiles that has at
/// most max_cells are found by sorting their points; the sums do not depend on the box. Throws InputError for
/// a point outside the limits of cells.
SummedCells sum_cells(const MapPoints& points, double resolution_m, int min_points, std::uint64_t max_cells);

/// Number of points from which on a cell has sums.
inline std::uint32_t least_points(const AlignOptions& options) {
  return static_cast<std::uint32_t>(std::max(options.min_points, 1));
}
/// The statistics of a cell with enough points. Returns false if they define no Gaussian.
bool finish_cell(const SummedCell& cell, const AlignOptions& options, VoxelStatistics& out);

/// Points by key of their cell, and in their order where keys are equal.
struct PointsByCell {
  struct Run {
    std::uint64_t key;
    std::uint32_t first;  ///< in order
  };
  std::vector<std::uint32_t> order;  ///< indices of the points
  std::vector<Run> cells;            ///< those with points, by increasing key, and one that ends the last
};

/// Counts points where the box around them has at most most_counted_cells(), and sorts them elsewhere. Throws
/// InputError for a point outside the limits of cells.
PointsByCell by_cell(const MapPoints& points, double resolution_m);
/// Sorts by key. Equal keys stay in order.
void sort_by_key(std::vector<KeyedIndex>& keyed);

/// Calls f(run) for every run of equal keys.
template <class F>
void for_each_run(std::span<const KeyedIndex> keyed, F&& f) {
  for (std::size_t i = 0, end; i < keyed.size(); i = end) {
    for (end = i; end < keyed.size() && keyed[end].key == keyed[i].key;) ++end;
    f(keyed.subspan(i, end - i));
  }
}

}  // namespace ndt
