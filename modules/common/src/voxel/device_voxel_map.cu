#include <limits>

#include "device_near_voxels.cuh"
#include "device_placing.cuh"
#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "device_tile_merge.cuh"
#include "ndt/core/finite_points.hpp"
#include "ndt/voxel/device_voxel_map.cuh"
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
  __device__ const VoxelStatistics* statistics(unsigned run) const {
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
  context.launch(sum_kernel, grid_of_warps(runs), points, sorted.numbers(), sorted.order(), sorted.size(),
                 sorted.starts(), runs, rule, sums);
  context.launch(finish_kernel, cuda::grid_for(runs + 1LL), sums, sorted.numbers(), sorted.starts(), runs,
                 rule, statistics, is_voxel, census);
  return place_voxels(context, SortedRuns{sorted.numbers(), sorted.starts(), is_voxel, statistics}, runs,
                      {is_voxel, positions, runs, census, scratch, scratch_bytes}, options, out,
                      counts.framed());
}

/// From points on the device to the voxels that are Gaussians. Reserves `out` and fills it, and takes
/// `counts`. Throws InputError if a point is outside the limits of cells. Waits for the device.
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

}  // namespace

/// The facts about a map before it has voxels.
struct DeviceVoxelMap::Start {
  const AlignOptions& options;
  MapOrigin origin;
  MapInfo info;
};

DeviceVoxelMap::Start DeviceVoxelMap::start(const CloudFacts& facts, const AlignOptions& options) {
  return {options, facts.origin(options.resolution_m), facts.info(options.resolution_m)};
}

DeviceVoxelMap::DeviceVoxelMap(cuda::Context& context, const Start& start)
    : context_(&context),
      origin_(start.origin),
      info_(start.info),
      resolution_m_(start.options.resolution_m),
      neighbours_(start.options.neighbours),
      table_(context),
      index_(context) {}

DeviceVoxelMap::DeviceVoxelMap(cuda::Context& context, const ScanView& device_points,
                               const AlignOptions& options, const VoxelMapLimits& limits,
                               const MapOrigin& origin)
    : DeviceVoxelMap(
          context,
          Start{options, origin, {device_points.size, 0, 0, origin.position(options.resolution_m)}}) {
  const MapPoints points{device_points.points, static_cast<std::size_t>(device_points.size), {}, {}};
  ListCounts counts(context, limits.window_cells);
  finish_map(make_voxels(context, points, options, table_, counts), counts.framed(), options, limits);
}

DeviceVoxelMap::DeviceVoxelMap(cuda::Context& context, const VoxelMap& built)
    : context_(&context),
      info_(built.info()),
      resolution_m_(built.resolution_m()),
      neighbours_(built.neighbours()),
      table_(context),
      window_(built.view().window),
      index_(context) {
  const VoxelMapView view = built.view();
  const std::size_t voxels = built.surfaces().size(), starts = window_.cells() + 1,
                    lists = built.size().listed + kNearVoxelPadding;
  outside_slots_ = view.outside == nullptr ? 0 : view.outside_mask + 1;
  require_device_room(context, voxels * (sizeof(Voxel) + sizeof(VoxelSurface)) +
                                   starts * sizeof(std::uint32_t) + lists * sizeof(NearVoxel) +
                                   outside_slots_ * sizeof(CellEntry));
  table_.reserve({0, 0, voxels, voxels});
  index_.reserve({starts, lists, outside_slots_});
  const auto upload = [&]<class T>(T* to, const T* from, std::size_t n) {
    context.upload(to, from, n * sizeof(T));
  };
  upload(table_.data<2>(), view.voxels, voxels);
  upload(table_.data<3>(), built.surfaces().data(), voxels);
  upload(index_.data<0>(), view.window.starts, starts);
  upload(index_.data<1>(), view.lists, lists);
  upload(index_.data<2>(), view.outside, outside_slots_);
  context.synchronise();
}

DeviceVoxelMap::DeviceVoxelMap(cuda::Context& context, const PointCloud& map, const AlignOptions& options,
                               const VoxelMapLimits& limits)
    : DeviceVoxelMap(context, DeviceMapCloud(context, map, options), options, limits) {}

DeviceVoxelMap::DeviceVoxelMap(cuda::Context& context, const DeviceMapCloud& cloud,
                               const AlignOptions& options, const VoxelMapLimits& limits)
    : DeviceVoxelMap(context, start(cloud.facts(), options)) {
  ListCounts counts(context, limits.window_cells);
  finish_map(make_voxels(context, cloud.points(info_.origin), options, table_, counts), counts.framed(),
             options, limits);
}

DeviceVoxelMap::DeviceVoxelMap(cuda::Context& context, const CloudFacts& facts,
                               std::span<const DeviceTileVoxels* const> tiles, const AlignOptions& options,
                               const VoxelMapLimits& limits)
    : DeviceVoxelMap(context, start(facts, options)) {
  ListCounts counts(context, limits.window_cells);
  finish_map(merge_voxels(context, tiles, options, table_, counts), counts.framed(), options, limits);
}

void DeviceVoxelMap::finish_map(const VoxelCensus& census, const FramedCounts& counts,
                                const AlignOptions& options, const VoxelMapLimits& limits) {
  info_.voxels = census.voxels;
  if (info_.voxels == 0) throw_no_valid_voxel(info_, census.occupied, options);
  if (info_.voxels > limits.voxels) refuse_so_many_voxels(limits.voxels, resolution_m_);
  const auto [keys, statistics, voxels, surfaces] = table_.data();
  window_ = choose_window(*context_, keys, census, limits.window_cells);
  const ListingCells listing{neighbours_, static_cast<float>(resolution_m_)};
  outside_slots_ = list_candidates(*context_, keys, voxels, census, counts, window_, listing, index_);
}

VoxelMapView DeviceVoxelMap::view() const {
  VoxelMapView view;
  const auto [starts, lists, outside] = index_.data();
  view.voxels = table_.data<2>();
  view.lists = lists;
  view.window = window_;
  view.window.starts = starts;
  view.outside = outside_slots_ > 0 ? outside : nullptr;
  view.outside_mask = outside_slots_ > 0 ? outside_slots_ - 1 : 0;
  view.voxel_count = static_cast<int>(info_.voxels);
  view.inverse_resolution = 1.0F / static_cast<float>(resolution_m_);
  view.squared_radius = neighbours_ == Neighbours::radius ? static_cast<float>(resolution_m_ * resolution_m_)
                                                          : std::numeric_limits<float>::infinity();
  return view;
}

std::vector<VoxelInfo> DeviceVoxelMap::voxel_table(cuda::Context& context) const {
  const auto n = static_cast<std::size_t>(info_.voxels);
  std::vector<std::uint64_t> keys(n);
  std::vector<VoxelStatistics> statistics(n);
  context.download(keys.data(), table_.data<0>(), n * sizeof(std::uint64_t));
  context.download(statistics.data(), table_.data<1>(), n * sizeof(VoxelStatistics));
  context.synchronise();
  std::vector<VoxelInfo> table;
  table.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    table.push_back(to_info(statistics[i], unpack(keys[i]), origin_, resolution_m_));
  return table;
}

}  // namespace ndt
