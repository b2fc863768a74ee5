// Moves the voxels among runs of cells together, and counts what the lists of near voxels need to know.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>

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

__device__ inline void add_atomically(CellBox& box, const CellBox& part) {
  atomicMin(&box.low.x, part.low.x), atomicMin(&box.low.y, part.low.y), atomicMin(&box.low.z, part.low.z);
  atomicMax(&box.high.x, part.high.x), atomicMax(&box.high.y, part.high.y),
      atomicMax(&box.high.z, part.high.z);
}

/// Where voxels go. positions: [slots + 1], the number of voxels in the slots before each.
struct VoxelPlaces {
  const unsigned* positions;
  unsigned slots;
  Key* keys;
  VoxelStatistics* statistics;
  Voxel* voxels;
  VoxelSurface* surfaces;
};

/// One warp per run: moves voxels together and takes the census.
template <class Runs>
__global__ void __launch_bounds__(kPlacing)
    place_kernel(Runs runs, unsigned count, ListingCells listing, VoxelPlaces out, VoxelCensus* census) {
  using Reduce = cub::BlockReduce<Extent, kPlacing>;
  __shared__ typename Reduce::TempStorage storage;
  const unsigned run = warp_index();
  Extent extent;
  const VoxelStatistics* found = run < count ? runs.statistics(run) : nullptr;
  if (found != nullptr) {
    const VoxelStatistics& s = *found;
    const Key key = runs.key(run);
    const unsigned v = out.positions[runs.slot(run, key)];
    const Cell own = unpack(key);
    if (WarpLanes::rank() == 0) {
      out.keys[v] = key;
      out.statistics[v] = s;
      out.voxels[v] = to_voxel(s);
      out.surfaces[v] = s.surface;
    }
    extent.own = {own, own};
    listing.for_each(own, s.centroid, WarpLanes{}, [&](const Cell& c) {
      extent.listing = around(extent.listing, {c, c});
      ++extent.listed;
    });
  }
  const Extent block = Reduce(storage).Reduce(extent, JoinExtents{});
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) census->voxels = out.positions[out.slots];
  if (block.listed == 0) return;
  add_atomically(census->own, block.own);
  add_atomically(census->listing, block.listing);
  atomicAdd(&census->listed, static_cast<unsigned long long>(block.listed));
}

/// The slots of voxels, in key order, and what comes of them.
struct VoxelSlots {
  const unsigned* is_voxel;  ///< [slots + 1], 1 where there is a voxel, and a last 0
  unsigned slots;
  VoxelCensus* census;  ///< that of no voxels
};

/// Fills `out` and takes the census. runs: statistics(run) of `count` runs, null if it is no voxel, its
/// key(run) and its slot(run, key). Waits for the device.
template <class Runs>
VoxelCensus place_voxels(cuda::Context& context, const Runs& runs, unsigned count, const VoxelSlots& slots,
                         const AlignOptions& options, VoxelTable& out) {
  unsigned* positions = nullptr;
  const auto scan = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, slots.is_voxel, positions, slots.slots + 1,
                                         context.stream());
  };
  constexpr const char* kScan = "cub::DeviceScan::ExclusiveSum";
  const std::size_t scratch_bytes = cub_bytes(context, kScan, scan);
  const cuda::DeviceArrays<unsigned, std::byte> memory(context,
                                                       {slots.slots + std::size_t{1}, scratch_bytes});
  positions = memory.template data<0>();
  cub_call(context, memory.template data<1>(), scratch_bytes, kScan, 2, scan);
  out.reserve({count, count, count, count});
  const auto [keys, statistics, voxels, surfaces] = out.data();
  context.launch(place_kernel<Runs>, grid_of_warps(count), runs, count,
                 ListingCells{options.neighbours, static_cast<float>(options.resolution_m)},
                 VoxelPlaces{positions, slots.slots, keys, statistics, voxels, surfaces}, slots.census);
  VoxelCensus census;
  context.fetch(&census, slots.census, sizeof census);
  return census;
}

}  // namespace ndt
