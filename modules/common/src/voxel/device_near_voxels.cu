// A counting sort by cell: counts, scans, fills the lists in the threads' order, then sorts every list. A
// list holds each voxel once, so its final order does not depend on the threads'.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "cub_call.cuh"
#include "device_near_voxels.cuh"
#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "warp_lanes.cuh"

namespace ndt {
namespace {

constexpr unsigned kBlock = 256;  // threads, as grid_for() has it

/// Numbers the cells that have lists: those of the window, then the entries of the hash.
struct CellNumbers {
  CellWindow window;
  CellEntry* outside = nullptr;
  std::uint64_t outside_mask = 0;

  /// The cell's number; enters it into the hash if it is new.
  __device__ std::size_t enter(const Cell& c) const {
    using Word = unsigned long long;
    static_assert(sizeof(Word) == sizeof(std::uint64_t));
    std::size_t index;
    if (window.index_of(c, index)) return index;
    const std::uint64_t key = pack(c);
    for (std::uint64_t i = hash_key(key) & outside_mask;; i = (i + 1) & outside_mask) {
      const Word before =
          atomicCAS(reinterpret_cast<Word*>(&outside[i].key), Word{CellEntry::kNoKey}, Word{key});
      if (before == CellEntry::kNoKey || before == key) return window.cells() + i;
    }
  }
  /// The number of a cell that was entered.
  __device__ std::size_t find(const Cell& c) const {
    std::size_t index;
    if (window.index_of(c, index)) return index;
    const std::uint64_t key = pack(c);
    std::uint64_t i = hash_key(key) & outside_mask;
    while (outside[i].key != key) i = (i + 1) & outside_mask;
    return window.cells() + i;
  }
};

struct VoxelsView {
  const std::uint64_t* keys;
  const Voxel* voxels;
  unsigned count;
  ListingCells listing;

  /// Calls f(v, cell) for every cell that lists this warp's voxel.
  template <class F>
  __device__ void for_each_of_warp(F&& f) const {
    const unsigned v = warp_index();
    if (v >= count) return;
    listing.for_each(unpack(keys[v]), voxels[v].centroid, WarpLanes{}, [&](const Cell& c) { f(v, c); });
  }
};

__global__ void __launch_bounds__(kBlock)
    count_outside_kernel(VoxelsView voxels, CellWindow window, unsigned* outside) {
  using Reduce = cub::BlockReduce<unsigned, kBlock>;
  __shared__ typename Reduce::TempStorage storage;
  unsigned mine = 0;
  voxels.for_each_of_warp([&](unsigned, const Cell& c) {
    std::size_t index;
    mine += window.index_of(c, index) ? 0 : 1;
  });
  const unsigned block = Reduce(storage).Sum(mine);
  if (threadIdx.x == 0) atomicAdd(outside, block);
}

/// How many voxels each cell lists: by number, or, where they were counted already, in their frame.
struct CellCounts {
  CellWindow window;
  std::uint32_t* counts;  ///< null if they are in the frame
  FramedCounts framed;    ///< its frame holds the window, which holds every cell

  __device__ std::uint32_t* of(const Cell& c, std::size_t number) const {
    return counts != nullptr ? counts + number : framed.of(c);
  }
  /// The count of a cell's number, 0 behind the last one.
  __device__ std::uint32_t operator()(std::uint64_t number) const {
    if (counts != nullptr) return counts[number];
    return number < window.cells() ? *framed.of(cell_at(window, number)) : 0;
  }
};

__global__ void count_kernel(VoxelsView voxels, CellNumbers numbers, std::uint32_t* counts) {
  voxels.for_each_of_warp([&](unsigned, const Cell& c) { atomicAdd(counts + numbers.enter(c), 1U); });
}

/// Fills the lists in any order, and counts back down to zero.
__global__ void fill_kernel(VoxelsView voxels, CellNumbers numbers, const std::uint32_t* starts,
                            CellCounts counts, std::uint32_t* ids) {
  voxels.for_each_of_warp([&](unsigned v, const Cell& c) {
    const std::size_t cell = numbers.find(c);
    ids[starts[cell] + atomicSub(counts.of(c, cell), 1U) - 1] = v;
  });
}

/// Sorts the lists: a voxel's index in its list is the number of smaller voxels there. Clears the padding.
__global__ void order_kernel(VoxelsView voxels, CellNumbers numbers, const std::uint32_t* starts,
                             const std::uint32_t* ids, NearVoxel* lists, NearVoxel* padding) {
  if (blockIdx.x == 0 && threadIdx.x < kNearVoxelPadding) padding[threadIdx.x] = {};
  voxels.for_each_of_warp([&](unsigned v, const Cell& c) {
    const std::size_t cell = numbers.find(c);
    const std::uint32_t first = starts[cell], end = starts[cell + 1];
    std::uint32_t place = first;
    for (std::uint32_t k = first; k < end; ++k) place += ids[k] < v ? 1 : 0;
    lists[place] = {voxels.voxels[v].centroid, v};
  });
}

/// Writes where each hash entry's list starts, and its length. starts: those of the hash's entries.
__global__ void entry_kernel(CellEntry* outside, std::uint64_t size, const std::uint32_t* starts) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  outside[i].first = starts[i];
  outside[i].count = starts[i + 1] - starts[i];
}

/// Counts the entries of lists whose cells are outside the window.
unsigned count_outside(cuda::Context& context, const VoxelsView& voxels, const VoxelCensus& census,
                       const CellWindow& window) {
  std::size_t index;
  if (window.index_of(census.listing.low, index) && window.index_of(census.listing.high, index)) return 0;
  cuda::DeviceBuffer<unsigned> outside(context, 1);
  context.fill_bytes(outside.data(), 0, sizeof(unsigned));
  context.launch(count_outside_kernel, grid_of_warps(voxels.count), voxels, window, outside.data());
  unsigned count = 0;
  context.fetch(&count, outside.data(), sizeof count);
  return count;
}

}  // namespace

std::uint64_t list_candidates(cuda::Context& context, const std::uint64_t* device_keys,
                              const Voxel* device_voxels, const VoxelCensus& census,
                              const FramedCounts& counted, const CellWindow& window,
                              const ListingCells& listing, ListIndex& out) {
  const VoxelsView voxels{device_keys, device_voxels, census.voxels, listing};
  const unsigned outside = count_outside(context, voxels, census, window);
  const std::uint64_t slots = hash_slots(outside), cells = window.cells() + slots;
  require_device_room(context,
                      device_lists_bytes({0, census.voxels, window.cells(), census.listed, outside}));
  out.reserve({cells + 1, census.listed + kNearVoxelPadding, slots});
  const auto [out_starts, lists, hash] = out.data();
  std::uint32_t* starts = out_starts;                         // for the lambda
  context.fill_bytes(hash, 0xFF, slots * sizeof(CellEntry));  // kNoKey
  const CellNumbers numbers{window, hash, slots > 0 ? slots - 1 : 0};
  const cuda::Grid grid = grid_of_warps(census.voxels);

  const bool is_counted = counted.counts != nullptr && slots == 0;
  CellCounts counts{window, nullptr, counted};
  const auto scan = [&](void* memory, std::size_t& bytes) {
    const auto all = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), counts);
    return cub::DeviceScan::ExclusiveSum(memory, bytes, all, starts, cells + 1, context.stream());
  };
  constexpr const char* kScan = "cub::DeviceScan::ExclusiveSum";
  const std::size_t scratch_bytes = cub_bytes(context, kScan, scan);
  const cuda::DeviceArrays<std::uint32_t, std::uint32_t, std::byte> memory(
      context, {is_counted ? 0 : cells + 1, census.listed, scratch_bytes});
  std::uint32_t* ids = memory.data<1>();
  if (!is_counted) {
    counts.counts = memory.data<0>();
    context.fill_bytes(counts.counts, 0, (cells + 1) * sizeof(std::uint32_t));
    context.launch(count_kernel, grid, voxels, numbers, counts.counts);
  }
  cub_call(context, memory.data<2>(), scratch_bytes, kScan, 2, scan);
  context.launch(fill_kernel, grid, voxels, numbers, starts, counts, ids);
  context.launch(order_kernel, grid, voxels, numbers, starts, ids, lists, lists + census.listed);
  if (slots > 0)
    context.launch(entry_kernel, cuda::grid_for(static_cast<long long>(slots)), hash, slots,
                   starts + window.cells());
  return slots;
}

}  // namespace ndt
