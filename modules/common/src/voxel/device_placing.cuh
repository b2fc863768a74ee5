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

static __global__ void clear_kernel(VoxelCensus* census) { *census = VoxelCensus{}; }

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

/// The arrays for those runs that are voxels. positions: [runs + 1], the number of voxels before each run.
struct RunsOut {
  const unsigned* positions;
  Key* keys;
  VoxelStatistics* statistics;
  Voxel* voxels;
  VoxelSurface* surfaces;
};

/// One warp per run: moves voxels together and takes the census.
template <class Runs>
__global__ void __launch_bounds__(kPlacing)
    place_kernel(Runs runs, unsigned count, ListingCells listing, RunsOut out, VoxelCensus* census) {
  using Reduce = cub::BlockReduce<Extent, kPlacing>;
  __shared__ typename Reduce::TempStorage storage;
  const unsigned run = warp_index();
  Extent extent;
  if (run < count && out.positions[run] != out.positions[run + 1]) {
    const unsigned v = out.positions[run];
    const VoxelStatistics& s = runs.statistics(run);
    const Key key = runs.key(run);
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
  if (blockIdx.x == 0) census->voxels = out.positions[count];
  if (block.listed == 0) return;
  add_atomically(census->own, block.own);
  add_atomically(census->listing, block.listing);
  atomicAdd(&census->listed, static_cast<unsigned long long>(block.listed));
}

/// Fills `out` and takes the census. runs: key(run) and statistics(run) of `count` runs, by increasing key;
/// is_voxel: [count + 1], 1 for those that are voxels, and a last 0. Waits for the device.
template <class Runs>
VoxelCensus place_voxels(cuda::Context& context, CubScratch& scratch, const Runs& runs, unsigned count,
                         const unsigned* is_voxel, const AlignOptions& options, const DeviceVoxels& out) {
  cuda::DeviceBuffer<unsigned> positions(context, count + 1);
  cub_call(context, scratch, "cub::DeviceScan::ExclusiveSum", 2, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, is_voxel, positions.data(), count + 1,
                                         context.stream());
  });
  out.keys.reserve(count);
  out.statistics.reserve(count);
  out.voxels.reserve(count);
  out.surfaces.reserve(count);
  cuda::DeviceBuffer<VoxelCensus> device_census(context, 1);
  context.launch(clear_kernel, cuda::Grid{}, device_census.data());
  context.launch(place_kernel<Runs>, grid_of_warps(count), runs, count,
                 ListingCells{options.neighbours, static_cast<float>(options.resolution_m)},
                 RunsOut{positions.data(), out.keys.data(), out.statistics.data(), out.voxels.data(),
                         out.surfaces.data()},
                 device_census.data());
  VoxelCensus census;
  context.download(&census, device_census.data(), sizeof census);
  context.synchronise();
  return census;
}

}  // namespace ndt
