#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "device_placing.cuh"
#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "device_tile_voxels.cuh"
#include "warp_sums.cuh"

namespace ndt {
namespace {

/// One thread per point, and one more for the end of the last cell.
__global__ void keep_kernel(const Key* sorted_keys, const unsigned* sorted_order,
                            const unsigned* sorted_starts, unsigned n, unsigned cells, Key* keys,
                            unsigned* starts, unsigned* order) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) order[i] = sorted_order[i];
  if (i < cells) {
    const unsigned start = sorted_starts[i];
    keys[i] = sorted_keys[start];
    starts[i] = start;
  }
  if (i == cells) starts[i] = n;
}

/// One warp per cell of a tile.
__global__ void tile_kernel(TileVoxelsView tile, VoxelRule rule, VoxelStatistics* statistics) {
  const unsigned cell = warp_index();
  if (cell >= tile.cells) return;
  const unsigned start = tile.starts[cell], count = tile.starts[cell + 1] - start;
  const VoxelSums sums = sum_by_warp(rule.reference(tile.keys[cell]), [&](unsigned i, Point& p) {
    if (i < count) p = tile.points[tile.order[start + i]];
    return i < count;
  });
  if (WarpLanes::rank() != 0) return;
  VoxelStatistics out;
  if (!rule.finish(tile.keys[cell], sums, out)) out.n = 0;
  statistics[cell] = out;
}

/// The cells of all tiles, numbered tile by tile.
struct AllTiles {
  const TileVoxelsView* tiles;
  const unsigned* firsts;  ///< number of each tile's first cell
  unsigned count, cells;

  struct Place {
    const TileVoxelsView* tile;
    unsigned cell;

    __device__ unsigned points() const { return tile->starts[cell + 1] - tile->starts[cell]; }
    __device__ Point point(unsigned i) const { return tile->points[tile->order[tile->starts[cell] + i]]; }
  };
  __device__ Place place(unsigned number) const {
    unsigned low = 0, high = count;  // the tile is in [low, high)
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (firsts[middle] <= number ? low : high) = middle;
    }
    return {tiles + low, number - firsts[low]};
  }
};

__global__ void number_kernel(AllTiles all, Key* keys, unsigned* numbers) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= all.cells) return;
  const AllTiles::Place place = all.place(i);
  keys[i] = place.tile->keys[place.cell];
  numbers[i] = i;
}

/// The cells of all tiles by increasing key, those of one key in the order of the tiles.
struct SortedCells {
  const Key* keys;
  const unsigned* numbers;
};

/// The points of the run of equal keys that begins at `first`: those of one tile after the other.
struct RunPoints {
  const AllTiles& all;
  const SortedCells& sorted;
  unsigned first, end;

  __device__ unsigned count() const {
    unsigned points = 0;
    for (unsigned i = first; i < end; ++i) points += all.place(sorted.numbers[i]).points();
    return points;
  }
  __device__ bool operator()(unsigned i, Point& p) const {
    for (unsigned part = first; part < end; ++part) {
      const AllTiles::Place place = all.place(sorted.numbers[part]);
      const unsigned points = place.points();
      if (i < points) {
        p = place.point(i);
        return true;
      }
      i -= points;
    }
    return false;
  }
};

/// One warp per cell, and one more that sets is_voxel[cells] = 0: finds the statistics of the first cell of a
/// run, which are the tile's if there is no other. shared: [cells / 2 + 1], room for the others, of which no
/// two begin side by side.
__global__ void merge_kernel(AllTiles all, SortedCells sorted, VoxelRule rule, VoxelStatistics* shared,
                             const VoxelStatistics** statistics, unsigned* is_voxel) {
  const unsigned i = warp_index();
  if (i > all.cells) return;
  const VoxelStatistics* found = nullptr;
  if (i < all.cells && (i == 0 || sorted.keys[i - 1] != sorted.keys[i])) {
    const Key key = sorted.keys[i];
    unsigned end = i + 1;
    while (end < all.cells && sorted.keys[end] == key) ++end;
    if (end == i + 1) {
      const AllTiles::Place only = all.place(sorted.numbers[i]);
      found = only.tile->statistics + only.cell;
      if (found->n == 0) found = nullptr;
    } else if (const RunPoints points{all, sorted, i, end}; points.count() >= rule.least) {
      const VoxelSums sums = sum_by_warp(rule.reference(key), points);
      VoxelStatistics& out = shared[i / 2];
      if (WarpLanes::rank() == 0 && rule.finish(key, sums, out)) found = &out;
    }
  }
  if (WarpLanes::rank() != 0) return;
  is_voxel[i] = found != nullptr ? 1 : 0;
  if (i < all.cells) statistics[i] = found;
}

struct MergedRuns {
  const Key* keys;
  const VoxelStatistics* const* of_runs;

  __device__ Key key(unsigned run) const { return keys[run]; }
  __device__ const VoxelStatistics& statistics(unsigned run) const { return *of_runs[run]; }
};

/// Tiles with cells, and the numbers of their first cells.
struct TileTable {
  std::vector<TileVoxelsView> tiles;
  std::vector<unsigned> firsts;
  unsigned cells = 0;

  explicit TileTable(std::span<const DeviceTileVoxels* const> all) {
    for (const DeviceTileVoxels* tile : all) {
      const TileVoxelsView view = tile->view();
      if (view.cells == 0) continue;
      tiles.push_back(view);
      firsts.push_back(cells);
      cells += view.cells;
    }
  }
};

}  // namespace

DeviceTileVoxels::DeviceTileVoxels(cuda::Context& context, const MapPoints& points,
                                   const AlignOptions& options)
    : points_(points), keys_(context), starts_(context), order_(context), statistics_(context) {
  if (points.size == 0) return;
  require_device_room(context, device_sort_bytes(points.size, 1));
  SortedPoints sorted(context, points, 1.0F / static_cast<float>(options.resolution_m), 1);
  cells_ = sorted.runs();
  require_device_room(context, device_tile_bytes(points.size, cells_));
  keys_.reserve(cells_);
  starts_.reserve(cells_ + 1);
  order_.reserve(points.size);
  statistics_.reserve(cells_);
  context.launch(keep_kernel, cuda::grid_for(static_cast<long long>(points.size) + 1), sorted.keys(),
                 sorted.order(), sorted.starts(), sorted.size(), cells_, keys_.data(), starts_.data(),
                 order_.data());
  context.launch(tile_kernel, grid_of_warps(cells_), view(), VoxelRule(options), statistics_.data());
}

TileVoxelsView DeviceTileVoxels::view() const {
  return {keys_.data(), starts_.data(), order_.data(), statistics_.data(), points_, cells_};
}

VoxelCensus merge_voxels(cuda::Context& context, std::span<const DeviceTileVoxels* const> tiles,
                         const AlignOptions& options, const DeviceVoxels& out) {
  const TileTable table(tiles);
  const unsigned cells = table.cells;
  if (cells == 0) return {};
  require_device_room(context, device_merge_bytes(table.tiles.size(), cells));
  cuda::DeviceBuffer<TileVoxelsView> device_tiles(context, table.tiles.size());
  cuda::DeviceBuffer<unsigned> firsts(context, table.firsts.size());
  context.upload(device_tiles.data(), table.tiles.data(), table.tiles.size() * sizeof(TileVoxelsView));
  context.upload(firsts.data(), table.firsts.data(), table.firsts.size() * sizeof(unsigned));
  const AllTiles all{device_tiles.data(), firsts.data(), static_cast<unsigned>(table.tiles.size()), cells};

  cuda::DeviceBuffer<Key> key_pair(context, std::size_t{2} * cells);
  cuda::DeviceBuffer<unsigned> number_pair(context, std::size_t{2} * cells);
  context.launch(number_kernel, cuda::grid_for(cells), all, key_pair.data(), number_pair.data());
  cub::DoubleBuffer<Key> keys(key_pair.data(), key_pair.data() + cells);
  cub::DoubleBuffer<unsigned> numbers(number_pair.data(), number_pair.data() + cells);
  CubScratch scratch(context);
  cub_call(context, scratch, "cub::DeviceRadixSort::SortPairs", 2 + kKeyBits / 8 + 1,
           [&](void* memory, std::size_t& bytes) {
             return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, numbers, cells, 0, kKeyBits,
                                                    context.stream());
           });

  cuda::DeviceBuffer<VoxelStatistics> shared(context, cells / 2 + 1);
  cuda::DeviceBuffer<const VoxelStatistics*> statistics(context, cells);
  cuda::DeviceBuffer<unsigned> is_voxel(context, cells + 1);
  context.launch(merge_kernel, grid_of_warps(cells + 1LL), all,
                 SortedCells{keys.Current(), numbers.Current()}, VoxelRule(options), shared.data(),
                 statistics.data(), is_voxel.data());
  VoxelCensus census = place_voxels(context, scratch, MergedRuns{keys.Current(), statistics.data()}, cells,
                                    is_voxel.data(), options, out);
  if (census.voxels == 0) census.occupied = count_runs(context, keys.Current(), cells);
  return census;
}

}  // namespace ndt
