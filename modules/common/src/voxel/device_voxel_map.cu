#include <limits>

#include "device_near_voxels.cuh"
#include "device_room.cuh"
#include "device_statistics.cuh"
#include "device_tile_merge.cuh"
#include "device_windows.cuh"
#include "ndt/core/finite_points.hpp"
#include "ndt/voxel/device_voxel_map.cuh"
#include "ndt/voxel/windows.hpp"

namespace ndt {

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

DeviceVoxelMap DeviceVoxelMap::windows(cuda::Context& context, const DeviceMapCloud& cloud,
                                       const AlignOptions& options, const VoxelMapLimits& limits) {
  const AlignOptions fine = window_options(options);
  DeviceVoxelMap map(context, start(cloud.facts(), fine));
  ListCounts counts(context, limits.window_cells);
  const VoxelCensus census =
      make_windows(context, cloud.points(map.info_.origin), map.origin_, options, map.table_, counts);
  map.finish_map(census, counts.framed(), fine, limits);
  return map;
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
