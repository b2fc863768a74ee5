#include "device_placing.cuh"
#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "device_statistics.cuh"
#include "warp_sums.cuh"

namespace ndt {
namespace {

/// One warp per run.
__global__ void sum_kernel(MapPoints points, SortedNumbers numbers, const unsigned* order, unsigned n,
                           const unsigned* starts, unsigned runs, VoxelRule rule, VoxelSums* out) {
  const unsigned run = warp_index();
  if (run >= runs) return;
  const unsigned start = starts[run];
  const std::uint64_t number = numbers.number(start);
  const VoxelSums sums = sum_by_warp(rule.reference(numbers.key(start)), [&](unsigned i, Point& p) {
    const bool mine = i < n - start && numbers.number(start + i) == number;
    if (mine) p = points[order[start + i]];
    return mine;
  });
  if (WarpLanes::rank() == 0) out[run] = sums;
}

}  // namespace

void sum_runs(cuda::Context& context, const MapPoints& points, const SortedPoints& sorted,
              const AlignOptions& options, VoxelSums* out) {
  context.launch(sum_kernel, grid_of_warps(sorted.runs()), points, sorted.numbers(), sorted.order(),
                 sorted.size(), sorted.starts(), sorted.runs(), VoxelRule(options), out);
}

namespace {

/// One thread per run, and one more that sets is_voxel[runs] = 0 and clears the census.
__global__ void finish_kernel(const VoxelSums* sums, SortedNumbers numbers, const unsigned* starts,
                              unsigned runs, VoxelRule rule, VoxelStatistics* statistics, unsigned* is_voxel,
                              OpenCensus* census) {
  const unsigned run = blockIdx.x * blockDim.x + threadIdx.x;
  if (run > runs) return;
  if (run == runs) *census = OpenCensus{};
  bool valid = false;
  if (run < runs) {
    VoxelStatistics out;
    valid = rule.finish(numbers.key(starts[run]), sums[run], out);
    if (valid) statistics[run] = out;
  }
  is_voxel[run] = valid ? 1 : 0;
}

struct SortedRuns {
  SortedNumbers numbers;
  const unsigned *starts, *is_voxel;
  const VoxelStatistics* of_runs;

  __device__ Key key(unsigned run) const { return numbers.key(starts[run]); }
  __device__ unsigned slot(unsigned run, Key) const { return run; }
  __device__ const VoxelStatistics* found(unsigned run) const {
    return is_voxel[run] != 0 ? of_runs + run : nullptr;
  }
};

/// Computes the statistics of every run, moves the voxels among them together, and takes the census.
VoxelCensus finish_voxels(cuda::Context& context, const MapPoints& points, const SortedPoints& sorted,
                          const AlignOptions& options, VoxelTable& out, ListCounts& counts) {
  const unsigned runs = sorted.runs();
  const VoxelRule rule(options);
  counts.begin(sorted.numbers().box);
  require_device_room(context, device_sums_bytes(runs));
  const std::size_t slots = runs + std::size_t{1}, scratch_bytes = slot_scan_bytes(context, runs);
  const cuda::DeviceArrays<VoxelSums, VoxelStatistics, unsigned, unsigned, OpenCensus, std::byte> memory(
      context, {runs, runs, slots, slots, 1, scratch_bytes});
  const auto [sums, statistics, is_voxel, positions, census, scratch] = memory.data();
  sum_runs(context, points, sorted, options, sums);
  context.launch(finish_kernel, cuda::grid_for(runs + 1LL), sums, sorted.numbers(), sorted.starts(), runs,
                 rule, statistics, is_voxel, census);
  return place_voxels(context, SortedRuns{sorted.numbers(), sorted.starts(), is_voxel, statistics}, runs,
                      {is_voxel, positions, runs, census, scratch, scratch_bytes}, options, out,
                      counts.framed());
}

}  // namespace

VoxelCensus make_voxels(cuda::Context& context, const MapPoints& points, const AlignOptions& options,
                        VoxelTable& out, ListCounts& counts) {
  if (points.size == 0) return {};
  const SortedPoints sorted(context, points, 1.0F / static_cast<float>(options.resolution_m),
                            VoxelRule(options).least);
  VoxelCensus census;
  if (sorted.runs() > 0) census = finish_voxels(context, points, sorted, options, out, counts);
  if (census.voxels == 0) census.occupied = count_where(context, sorted.size(), sorted.numbers());
  return census;
}

}  // namespace ndt
