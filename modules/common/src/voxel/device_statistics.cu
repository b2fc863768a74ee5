#include "device_placing.cuh"
#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "device_statistics.cuh"
#include "warp_sums.cuh"

namespace ndt {
namespace {

/// One warp per run.
__global__ void sum_kernel(MapPoints points, const Key* keys, const unsigned* order, unsigned n,
                           const unsigned* starts, unsigned runs, VoxelRule rule, VoxelSums* out) {
  const unsigned run = warp_index();
  if (run >= runs) return;
  const unsigned start = starts[run];
  const Key key = keys[start];
  const VoxelSums sums = sum_by_warp(rule.reference(key), [&](unsigned i, Point& p) {
    const bool mine = i < n - start && keys[start + i] == key;
    if (mine) p = points[order[start + i]];
    return mine;
  });
  if (WarpLanes::rank() == 0) out[run] = sums;
}

/// One thread per run, and one more that sets is_voxel[runs] = 0.
__global__ void finish_kernel(const VoxelSums* sums, const Key* keys, const unsigned* starts, unsigned runs,
                              VoxelRule rule, VoxelStatistics* statistics, unsigned* is_voxel) {
  const unsigned run = blockIdx.x * blockDim.x + threadIdx.x;
  if (run > runs) return;
  bool valid = false;
  if (run < runs) {
    VoxelStatistics out;
    valid = rule.finish(keys[starts[run]], sums[run], out);
    if (valid) statistics[run] = out;
  }
  is_voxel[run] = valid ? 1 : 0;
}

struct SortedRuns {
  const Key* keys;
  const unsigned* starts;
  const VoxelStatistics* of_runs;

  __device__ Key key(unsigned run) const { return keys[starts[run]]; }
  __device__ const VoxelStatistics& statistics(unsigned run) const { return of_runs[run]; }
};

/// Computes the statistics of every run, moves the voxels among them together, and takes the census.
VoxelCensus finish_voxels(cuda::Context& context, const MapPoints& points, SortedPoints& sorted,
                          const AlignOptions& options, const DeviceVoxels& out) {
  const unsigned runs = sorted.runs();
  const VoxelRule rule(options);
  require_device_room(context, device_sums_bytes(runs));
  cuda::DeviceBuffer<VoxelSums> sums(context, runs);
  context.launch(sum_kernel, grid_of_warps(runs), points, sorted.keys(), sorted.order(), sorted.size(),
                 sorted.starts(), runs, rule, sums.data());
  cuda::DeviceBuffer<VoxelStatistics> statistics(context, runs);
  cuda::DeviceBuffer<unsigned> is_voxel(context, runs + 1);
  context.launch(finish_kernel, cuda::grid_for(runs + 1LL), sums.data(), sorted.keys(), sorted.starts(), runs,
                 rule, statistics.data(), is_voxel.data());
  return place_voxels(context, sorted.scratch(),
                      SortedRuns{sorted.keys(), sorted.starts(), statistics.data()}, runs, is_voxel.data(),
                      options, out);
}

}  // namespace

VoxelCensus make_voxels(cuda::Context& context, const MapPoints& points, const AlignOptions& options,
                        const DeviceVoxels& out) {
  if (points.size == 0) return {};
  require_device_room(context, device_sort_bytes(points.size, options.min_points));
  SortedPoints sorted(context, points, 1.0F / static_cast<float>(options.resolution_m),
                      VoxelRule(options).least);
  VoxelCensus census;
  if (sorted.runs() > 0) census = finish_voxels(context, points, sorted, options, out);
  if (census.voxels == 0) census.occupied = count_runs(context, sorted.keys(), sorted.size());
  return census;
}

}  // namespace ndt
