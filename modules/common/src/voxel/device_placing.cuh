// Moves the voxels among runs of cells together, and counts what the lists of near voxels need to know.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <type_traits>
#include <utility>

#include "cub_call.cuh"
#include "device_sorted_points.cuh"
#include "device_voxels.cuh"
#include "ndt/align/align_options.hpp"
#include "ndt/voxel/near_voxels.hpp"
#include "warp_lanes.cuh"

namespace ndt {

constexpr unsigned kPlacing = 256;  // threads, as grid_for() has it

struct Extent {
  CellBox own, listing;
  unsigned listed = 0;
};

__device__ inline int smaller(int a, int b) { return a < b ? a : b; }
__device__ inline int larger(int a, int b) { return a > b ? a : b; }

__device__ inline CellBox around(const CellBox& a, const CellBox& b) {
  return {{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
          {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)}};
}

struct JoinExtents {
  __device__ Extent operator()(const Extent& a, const Extent& b) const {
    return {around(a.own, b.own), around(a.listing, b.listing), a.listed + b.listed};
  }
};

/// Looks first, because thousands of blocks would wait for one another: few of them move a bound.
__device__ inline void lower_to(int& bound, int value) {
  if (value < *static_cast<volatile int*>(&bound)) atomicMin(&bound, value);
}
__device__ inline void raise_to(int& bound, int value) {
  if (value > *static_cast<volatile int*>(&bound)) atomicMax(&bound, value);
}

__device__ inline void add_atomically(CellBox& box, const CellBox& part) {
  lower_to(box.low.x, part.low.x), lower_to(box.low.y, part.low.y), lower_to(box.low.z, part.low.z);
  raise_to(box.high.x, part.high.x), raise_to(box.high.y, part.high.y), raise_to(box.high.z, part.high.z);
}

/// The places where voxels go. positions: [slots + 1], the number of voxels in the slots before each.
struct VoxelPlaces {
  const unsigned* positions;
  unsigned slots;
  Key* keys;
  VoxelStatistics* statistics;
  Voxel* voxels;
  VoxelSurface* surfaces;

  __device__ void put(unsigned v, const VoxelStatistics& s) const {
    statistics[v] = s;
    voxels[v] = to_voxel(s);
    surfaces[v] = s.surface;
  }
  __device__ void put(unsigned v, const Voxel& voxel) const { voxels[v] = voxel; }
};

/// The census of the blocks that have added their part, and their number; none at first.
struct OpenCensus {
  VoxelCensus sum;
  unsigned blocks = 0;
};

/// Has the last block close the census: it writes it to pinned memory.
__device__ inline void close_census(OpenCensus* census, unsigned voxels, VoxelCensus* closed) {
  __threadfence();
  if (atomicAdd(&census->blocks, 1U) + 1 < gridDim.x) return;
  __threadfence();
  const auto* from = reinterpret_cast<const unsigned*>(&census->sum);
  auto* to = reinterpret_cast<unsigned*>(closed);
  for (unsigned i = 0; i < sizeof(VoxelCensus) / sizeof(unsigned); ++i) to[i] = __ldcg(from + i);
  closed->voxels = voxels;
}

/// Moves voxels together, takes the census, and counts what cells list. A warp's first lanes look up a run
/// each, at the same time; what each voxel's cells list, all lanes count.
template <class Runs>
__global__ void __launch_bounds__(kPlacing)
    place_kernel(Runs runs, unsigned count, ListingCells listing, VoxelPlaces out, FramedCounts counts,
                 OpenCensus* census, VoxelCensus* closed) {
  using Reduce = cub::BlockReduce<Extent, kPlacing>;
  __shared__ typename Reduce::TempStorage storage;
  const unsigned run = item_of_lane();
  Extent extent;
  Cell own;
  Vec3<float> centroid;
  const auto* found = run < count ? runs.found(run) : nullptr;
  if (found != nullptr) {
    const Key key = runs.key(run);
    const unsigned v = out.positions[runs.slot(run, key)];
    own = unpack(key), centroid = found->centroid;
    extent.own = {own, own};
    out.keys[v] = key;
    out.put(v, *found);
  }
  for_each_item_of_warp(found != nullptr, [&](int lane) {
    const auto of_lane = [lane](auto value) { return __shfl_sync(kWholeWarp, value, lane); };
    const Cell cell{of_lane(own.x), of_lane(own.y), of_lane(own.z)};
    const Vec3<float> at{of_lane(centroid.x), of_lane(centroid.y), of_lane(centroid.z)};
    listing.for_each(cell, at, WarpLanes{}, [&](const Cell& c) {
      extent.listing = around(extent.listing, {c, c});
      ++extent.listed;
      if (std::uint32_t* count = counts.of(c)) atomicAdd(count, 1U);
    });
  });
  const Extent block = Reduce(storage).Reduce(extent, JoinExtents{});
  if (threadIdx.x != 0) return;
  if (block.listed > 0) {
    add_atomically(census->sum.own, block.own);
    add_atomically(census->sum.listing, block.listing);
    atomicAdd(&census->sum.listed, static_cast<unsigned long long>(block.listed));
  }
  close_census(census, out.positions[out.slots], closed);
}

/// The slots of voxels, in key order, and room for what comes of them.
struct VoxelSlots {
  const unsigned* is_voxel;  ///< [slots + 1], 1 where there is a voxel, and a last 0
  unsigned* positions;       ///< [slots + 1]
  unsigned slots;
  OpenCensus* census;  ///< that of no blocks
  std::byte* scratch;  ///< [scratch_bytes], those of slot_scan_bytes()
  std::size_t scratch_bytes;

  cudaError_t scan(void* memory, std::size_t& bytes, cudaStream_t stream) const {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, is_voxel, positions, slots + 1, stream);
  }
};

constexpr const char* kSlotScan = "cub::DeviceScan::ExclusiveSum";

inline std::size_t slot_scan_bytes(cuda::Context& context, unsigned slots) {
  const VoxelSlots any{nullptr, nullptr, slots, nullptr, nullptr, 0};
  return cub_bytes(context, kSlotScan, [&](void* memory, std::size_t& bytes) {
    return any.scan(memory, bytes, context.stream());
  });
}

/// Fills `out` and takes the census. runs: found(run) of `count` runs, the statistics or the voxel alone,
/// null if it is no voxel; its key(run) and its slot(run, key). Waits for the device.
template <class Runs>
VoxelCensus place_voxels(cuda::Context& context, const Runs& runs, unsigned count, const VoxelSlots& slots,
                         const AlignOptions& options, VoxelTable& out, const FramedCounts& counts) {
  cub_call(context, slots.scratch, slots.scratch_bytes, kSlotScan, 2,
           [&](void* memory, std::size_t& bytes) { return slots.scan(memory, bytes, context.stream()); });
  constexpr bool alone = std::is_same_v<decltype(std::declval<Runs>().found(0)), const Voxel*>;
  out.reserve({count, alone ? 0 : count, count, alone ? 0 : count});
  const auto [keys, statistics, voxels, surfaces] = out.data();
  VoxelCensus* closed = context.room_for_result<VoxelCensus>();
  context.launch(place_kernel<Runs>, grid_of_lanes(count), runs, count,
                 ListingCells{options.neighbours, static_cast<float>(options.resolution_m)},
                 VoxelPlaces{slots.positions, slots.slots, keys, statistics, voxels, surfaces}, counts,
                 slots.census, closed);
  context.synchronise();
  return *closed;
}

}  // namespace ndt
