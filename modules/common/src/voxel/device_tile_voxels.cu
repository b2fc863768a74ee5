#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "ndt/voxel/device_tile_voxels.cuh"
#include "warp_sums.cuh"

namespace ndt {
namespace {

/// The arrays of a tile that is made.
struct TileOut {
  VoxelStatistics* statistics;
  Key* keys;
  unsigned *starts, *order;
};

/// One warp per cell of a tile.
__global__ void tile_kernel(MapPoints points, SortedNumbers numbers, const unsigned* order,
                            const unsigned* starts, unsigned n, unsigned cells, VoxelRule rule, TileOut out) {
  const unsigned cell = warp_index();
  if (cell >= cells) return;
  const unsigned start = starts[cell], end = cell + 1 < cells ? starts[cell + 1] : n;
  const Key key = numbers.key(start);
  const VoxelSums sums = sum_by_warp(rule.reference(key), [&](unsigned i, Point& p) {
    if (i >= end - start) return false;
    const unsigned index = order[start + i];
    out.order[start + i] = index;
    p = points[index];
    return true;
  });
  if (WarpLanes::rank() != 0) return;
  VoxelStatistics found;
  if (!rule.finish(key, sums, found)) found.n = 0;
  out.statistics[cell] = found;
  out.keys[cell] = key;
  out.starts[cell] = start;
  if (cell + 1 == cells) out.starts[cells] = n;
}

}  // namespace

DeviceTileVoxels::DeviceTileVoxels(cuda::Context& context, const MapPoints& points,
                                   const AlignOptions& options)
    : points_(points), memory_(context) {
  if (points.size == 0) return;
  const SortedPoints sorted(context, points, 1.0F / static_cast<float>(options.resolution_m), 1);
  box_ = sorted.numbers().box;
  cells_ = sorted.runs();
  require_device_room(context, device_tile_bytes(points.size, cells_));
  memory_.reserve({cells_, cells_, cells_ + std::size_t{1}, points.size});
  const auto [statistics, keys, starts, order] = memory_.data();
  context.launch(tile_kernel, grid_of_warps(cells_), points, sorted.numbers(), sorted.order(),
                 sorted.starts(), sorted.size(), cells_, VoxelRule(options),
                 TileOut{statistics, keys, starts, order});
}

TileVoxelsView DeviceTileVoxels::view() const {
  const auto [statistics, keys, starts, order] = memory_.data();
  return {keys, starts, order, statistics, points_, cells_};
}

}  // namespace ndt
