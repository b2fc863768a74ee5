// The sums over the points of every cell that has enough of them, on the CPU. Only the builder of a map needs
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ndt/voxel/map_cloud.hpp"
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

/// Adds every point to the sums of its cell, in the order of the points. Counts the points of each cell first
/// and gives sums only to cells with min_points. Cells outside the largest box of inner quantiles that has at
/// most max_cells are found by sorting their points; the sums do not depend on the box. Throws InputError for
/// a point outside the limits of cells.
SummedCells sum_cells(const MapPoints& points, double resolution_m, int min_points, std::uint64_t max_cells);

}  // namespace ndt
