// Merges the cells of tiles that meet in a voxel, and places the voxels.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "cub_call.cuh"
#include "device_placing.cuh"
#include "device_room.cuh"
#include "device_tile_merge.cuh"
#include "warp_sums.cuh"

namespace ndt {
namespace {

/// A tile among all.
struct Part {
  TileVoxelsView tile;
  unsigned first;  ///< number of its first cell
};

/// The cells of all tiles, numbered tile by tile.
struct AllTiles {
  const Part* parts;
  unsigned* part_of;  ///< [cells], the part that each is of, once it was found
  unsigned count, cells;

  struct Place {
    const TileVoxelsView* tile;
    unsigned cell;

    __device__ Key key() const { return tile->keys[cell]; }
    __device__ unsigned points() const { return tile->starts[cell + 1] - tile->starts[cell]; }
    __device__ Point point(unsigned i) const { return tile->points[tile->order[tile->starts[cell] + i]]; }
    __device__ const VoxelStatistics* voxel() const {
      const VoxelStatistics& s = tile->statistics[cell];
      return s.n != 0 ? &s : nullptr;
    }
  };
  /// Finds the part that the cell is of.
  __device__ Place find(unsigned number) const {
    unsigned low = 0, high = count;  // the tile is in [low, high)
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (parts[middle].first <= number ? low : high) = middle;
    }
    part_of[number] = low;
    return place(number);
  }
  __device__ Place place(unsigned number) const {
    const Part& part = parts[part_of[number]];
    return {&part.tile, number - part.first};
  }
};

/// A slot for every cell that a tile has points in, in key order; several tiles share it. Slots are the
/// numbers of cells in the box around all, or, if that is too large, the places of their first keys when all
/// keys are sorted.
struct CellSlots {
  CellWindow box;
  const unsigned* sorted;  ///< [cells], the slots; null if the box has them
  unsigned* heads;         ///< [slots], a cell's number + 1, 0 where there is none
  unsigned* next;          ///< [cells], likewise the next one of the same slot, in any order

  __device__ unsigned of(unsigned number, Key key) const {
    if (sorted != nullptr) return sorted[number];
    std::size_t slot = 0;
    box.index_of(unpack(key), slot);
    return static_cast<unsigned>(slot);
  }
  __device__ void enter(unsigned number, unsigned slot) const {
    next[number] = atomicExch(heads + slot, number + 1);
  }
  /// Whether this is the cell that stands for those of the slot.
  __device__ bool leads(unsigned number, unsigned slot) const { return heads[slot] == number + 1; }
};

__global__ void enter_kernel(AllTiles all, CellSlots slots) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < all.cells) slots.enter(i, slots.of(i, all.find(i).key()));
}

__global__ void key_kernel(AllTiles all, Key* keys, unsigned* numbers) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= all.cells) return;
  keys[i] = all.find(i).key();
  numbers[i] = i;
}

/// One thread per place among the sorted keys.
__global__ void enter_sorted_kernel(const Key* keys, const unsigned* numbers, unsigned cells, CellSlots slots,
                                    unsigned* sorted) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  unsigned first = i;
  while (first > 0 && keys[first - 1] == keys[i]) --first;
  sorted[numbers[i]] = first;
  slots.enter(numbers[i], first);
}

/// The points of the cells of one slot: those of one tile after the other.
struct SharedPoints {
  const AllTiles& all;
  const unsigned* next;
  unsigned head;

  /// The next in the order of tiles after that, or the first after 0; 0 if there is none.
  __device__ unsigned after(unsigned link) const {
    unsigned found = 0;
    for (unsigned one = head; one != 0; one = next[one - 1])
      if (one > link && (found == 0 || one < found)) found = one;
    return found;
  }
  __device__ unsigned count() const {
    unsigned points = 0;
    for (unsigned one = head; one != 0; one = next[one - 1]) points += all.place(one - 1).points();
    return points;
  }
  __device__ bool operator()(unsigned i, Point& p) const {
    for (unsigned one = after(0); one != 0; one = after(one)) {
      const AllTiles::Place place = all.place(one - 1);
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

/// The outcome of the tiles' cells.
struct Merged {
  const VoxelStatistics** statistics;  ///< [cells]; null where there is no voxel, or another cell leads
  VoxelStatistics* shared;             ///< [cells / 2], room for those of several tiles
  unsigned *shared_count, *is_voxel;   ///< zeros at first; is_voxel: [slots + 1]
  OpenCensus* census;
};

/// The statistics are the tile's where no other has points in the cell. Each of a warp's first lanes looks a
/// cell up; those that tiles share, all lanes sum.
__global__ void merge_kernel(AllTiles all, CellSlots slots, VoxelRule rule, Merged out) {
  const unsigned i = item_of_lane();
  const bool mine = i < all.cells;
  const VoxelStatistics* found = nullptr;
  Key key = 0;
  unsigned slot = 0;
  bool is_shared = false;
  if (mine) {
    const AllTiles::Place place = all.place(i);
    key = place.key(), slot = slots.of(i, key);
    if (slots.leads(i, slot)) {
      is_shared = slots.next[i] != 0 && SharedPoints{all, slots.next, i + 1}.count() >= rule.least;
      if (slots.next[i] == 0) found = place.voxel();
    }
  }
  for_each_item_of_warp(is_shared, [&](int lane) {
    const SharedPoints points{all, slots.next, __shfl_sync(kWholeWarp, i, lane) + 1};
    const Key of_cell = __shfl_sync(kWholeWarp, key, lane);
    const VoxelSums sums = sum_by_warp(rule.reference(of_cell), points);
    if (WarpLanes::rank() != lane) return;
    VoxelStatistics& room = out.shared[atomicAdd(out.shared_count, 1U)];
    if (rule.finish(key, sums, room)) found = &room;
  });
  if (i == 0) *out.census = OpenCensus{};
  if (!mine) return;
  if (found != nullptr) out.is_voxel[slot] = 1;
  out.statistics[i] = found;
}

struct MergedRuns {
  AllTiles all;
  CellSlots slots;
  const VoxelStatistics* const* of_cells;

  __device__ Key key(unsigned cell) const { return all.place(cell).key(); }
  __device__ unsigned slot(unsigned cell, Key key) const { return slots.of(cell, key); }
  __device__ const VoxelStatistics* found(unsigned cell) const { return of_cells[cell]; }
};

struct IsHead {
  const unsigned* heads;
  __device__ bool operator()(unsigned slot) const { return heads[slot] != 0; }
};

CellWindow around(const CellWindow& a, const CellWindow& b) {
  if (a.cells() == 0) return b;
  CellWindow out;
  const auto axis = [&](int Cell::*at, unsigned CellWindow::*size) {
    const int first = std::min(a.low.*at, b.low.*at);
    const auto end = [&](const CellWindow& box) { return box.low.*at + static_cast<int>(box.*size); };
    out.low.*at = first;
    out.*size = static_cast<unsigned>(std::max(end(a), end(b)) - first);
  };
  axis(&Cell::x, &CellWindow::nx), axis(&Cell::y, &CellWindow::ny), axis(&Cell::z, &CellWindow::nz);
  return out;
}

/// Tiles with cells.
struct TileTable {
  std::vector<Part> parts;
  unsigned cells = 0;
  CellWindow box;

  explicit TileTable(std::span<const DeviceTileVoxels* const> all) {
    for (const DeviceTileVoxels* tile : all) {
      const TileVoxelsView view = tile->view();
      if (view.cells == 0) continue;
      parts.push_back({view, cells});
      cells += view.cells;
      box = around(box, tile->box());
    }
  }
  /// Whether the box has slots for the cells: for far-apart tiles that would take too much.
  bool is_dense() const { return box.cells() <= std::max(std::uint64_t{1} << 20, std::uint64_t{16} * cells); }
  unsigned slots() const { return is_dense() ? static_cast<unsigned>(box.cells()) : cells; }
};

/// Enters all cells into slots by a sort of their keys.
void enter_sorted(cuda::Context& context, const AllTiles& all, const CellSlots& slots, unsigned* sorted) {
  cub::DoubleBuffer<Key> keys;
  cub::DoubleBuffer<unsigned> numbers;
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, numbers, all.cells, 0, kKeyBits,
                                           context.stream());
  };
  constexpr const char* kSort = "cub::DeviceRadixSort::SortPairs";
  const std::size_t bytes = cub_bytes(context, kSort, sort), pair = std::size_t{2} * all.cells;
  const cuda::DeviceArrays<Key, unsigned, std::byte> memory(context, {pair, pair, bytes});
  const auto [key_pair, number_pair, scratch] = memory.data();
  keys = cub::DoubleBuffer<Key>(key_pair, key_pair + all.cells);
  numbers = cub::DoubleBuffer<unsigned>(number_pair, number_pair + all.cells);
  context.launch(key_kernel, cuda::grid_for(all.cells), all, key_pair, number_pair);
  cub_call(context, scratch, bytes, kSort, 2 + kKeyBits / 8 + 1, sort);
  context.launch(enter_sorted_kernel, cuda::grid_for(all.cells), keys.Current(), numbers.Current(), all.cells,
                 slots, sorted);
}

}  // namespace

VoxelCensus merge_voxels(cuda::Context& context, std::span<const DeviceTileVoxels* const> tiles,
                         const AlignOptions& options, VoxelTable& out, ListCounts& counts) {
  const TileTable table(tiles);
  const unsigned cells = table.cells, slots = table.slots();
  if (cells == 0) return {};
  counts.begin(table.box);
  require_device_room(context, device_merge_bytes(table.parts.size(), cells, slots));
  const std::size_t zeros = std::size_t{2} * slots + 2, scratch_bytes = slot_scan_bytes(context, slots);
  const cuda::DeviceArrays<Part, unsigned, unsigned, unsigned, unsigned, unsigned, VoxelStatistics,
                           const VoxelStatistics*, OpenCensus, std::byte>
      memory(context, {table.parts.size(), cells, zeros, slots + std::size_t{1}, cells, cells,
                       cells / 2 + std::size_t{1}, cells, 1, scratch_bytes});
  const auto [parts, part_of, heads, positions, next, sorted, shared, statistics, census, scratch] =
      memory.data();
  context.upload_copy(parts, table.parts.data(), table.parts.size() * sizeof(Part));
  context.fill_bytes(heads, 0, zeros * sizeof(unsigned));
  const AllTiles all{parts, part_of, static_cast<unsigned>(table.parts.size()), cells};
  const CellSlots cell_slots{table.box, table.is_dense() ? nullptr : sorted, heads, next};
  if (table.is_dense())
    context.launch(enter_kernel, cuda::grid_for(cells), all, cell_slots);
  else
    enter_sorted(context, all, cell_slots, sorted);

  unsigned *is_voxel = heads + slots, *shared_count = is_voxel + slots + 1;
  context.launch(merge_kernel, grid_of_lanes(cells), all, cell_slots, VoxelRule(options),
                 Merged{statistics, shared, shared_count, is_voxel, census});
  VoxelCensus found = place_voxels(context, MergedRuns{all, cell_slots, statistics}, cells,
                                   {is_voxel, positions, slots, census, scratch, scratch_bytes}, options, out,
                                   counts.framed());
  if (found.voxels == 0) found.occupied = count_where(context, slots, IsHead{heads});
  return found;
}

}  // namespace ndt
