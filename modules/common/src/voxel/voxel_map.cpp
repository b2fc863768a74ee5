#include "ndt/voxel/voxel_map.hpp"

#include <algorithm>
#include <limits>

#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/voxel/cell_sums.hpp"
#include "ndt/voxel/near_voxels.hpp"
#include "ndt/voxel/windows.hpp"

namespace ndt {

void refuse_so_many_voxels(std::int64_t limit, double resolution_m) {
  throw InputError(formatted(
      "set_map: more than {} voxels of {} m have enough points; choose a larger resolution or a smaller map",
      limit, resolution_m));
}

VoxelInfo to_info(const VoxelStatistics& s, const Cell& c, const MapOrigin& origin, double resolution_m) {
  const Vec3<double> zero = origin.position(resolution_m);
  return {{c.x + origin.cell[0], c.y + origin.cell[1], c.z + origin.cell[2]},
          s.n,
          cast<double>(s.centroid) + zero,
          s.mean + zero,
          s.covariance,
          s.inverse_covariance};
}

VoxelMap::VoxelMap(const PointCloud& map, const AlignOptions& options, const VoxelMapLimits& limits)
    : VoxelMap(MapCloud(map, options), options, limits) {}

VoxelMap::VoxelMap(const CloudFacts& facts, const AlignOptions& options)
    : info_(facts.info(options.resolution_m)),
      resolution_m_(options.resolution_m),
      neighbours_(options.neighbours),
      origin_(facts.origin(options.resolution_m)) {}

VoxelMap::VoxelMap(const MapCloud& cloud, const AlignOptions& options, const VoxelMapLimits& limits)
    : VoxelMap(cloud.facts(), options) {
  finish_map(make_voxels(cloud.points(info_.origin), options, limits), options, limits);
}

VoxelMap VoxelMap::windows(const MapCloud& cloud, const AlignOptions& options, const VoxelMapLimits& limits) {
  const AlignOptions fine = window_options(options);
  VoxelMap map(cloud.facts(), fine);
  const Windows windows(cloud.points(map.info_.origin), map.origin_, options);
  map.cells_.reserve(windows.at_most()), map.voxels_.reserve(windows.at_most());
  windows.for_each(
      [&](const Cell& cell, const VoxelStatistics& window) { map.add(cell, to_voxel(window), limits); });
  map.fine_ = static_cast<std::uint64_t>(windows.occupied());
  map.finish_map(windows.occupied(), fine, limits);
  return map;
}

VoxelMap VoxelMap::windows(const VoxelMap& before, const ChangedWindows& changed, const CloudFacts& facts,
                           const MapCloud& cloud, const AlignOptions& options, const VoxelMapLimits& limits) {
  const AlignOptions fine = window_options(options);
  VoxelMap map(facts, fine);
  const Windows windows(cloud.points(map.info_.origin), map.origin_, options);
  const std::size_t most = before.cells_.size() + windows.at_most();
  map.cells_.reserve(most), map.voxels_.reserve(most);
  std::size_t next = 0;
  const auto keep_before = [&](std::uint64_t key) {
    for (; next < before.cells_.size() && pack(before.cells_[next]) < key; ++next)
      if (!changed.has(before.cells_[next])) map.add(before.cells_[next], before.voxels_[next], limits);
  };
  windows.for_each([&](const Cell& cell, const VoxelStatistics& window) {
    if (!changed.has(cell)) return;
    keep_before(pack(cell));
    map.add(cell, to_voxel(window), limits);
  });
  keep_before(~std::uint64_t{0});
  map.fine_ = std::min<std::uint64_t>(map.cells_.size(), static_cast<std::uint64_t>(facts.points));
  map.finish_map(windows.occupied(), fine, limits);
  return map;
}

std::int64_t VoxelMap::make_voxels(const MapPoints& points, const AlignOptions& options,
                                   const VoxelMapLimits& limits) {
  const SummedCells summed =
      sum_cells(points, resolution_m_, options.min_points, most_counted_cells(points.size));
  reserve(summed.cells.size());
  for (const SummedCell& one : summed.cells)
    if (VoxelStatistics statistics; finish_cell(one, options, statistics)) add(one.cell, statistics, limits);
  return summed.occupied;
}

void VoxelMap::reserve(std::size_t voxels) {
  cells_.reserve(voxels);
  statistics_.reserve(voxels);
  voxels_.reserve(voxels);
  surfaces_.reserve(voxels);
}

void VoxelMap::add(const Cell& cell, const Voxel& voxel, const VoxelMapLimits& limits) {
  if (static_cast<std::int64_t>(voxels_.size()) >= limits.voxels)
    refuse_so_many_voxels(limits.voxels, resolution_m_);
  cells_.push_back(cell);
  voxels_.push_back(voxel);
}

void VoxelMap::add(const Cell& cell, const VoxelStatistics& statistics, const VoxelMapLimits& limits) {
  add(cell, to_voxel(statistics), limits);
  statistics_.push_back(statistics);
  surfaces_.push_back(statistics.surface);
}

void VoxelMap::finish_map(std::int64_t occupied, const AlignOptions& options, const VoxelMapLimits& limits) {
  info_.voxels = static_cast<std::int64_t>(voxels_.size());
  if (voxels_.empty()) throw_no_valid_voxel(info_, occupied, options);
  index_candidates(limits);
}

void VoxelMap::index_candidates(const VoxelMapLimits& limits) {
  const ListingCells listing{neighbours_, static_cast<float>(resolution_m_)};
  window_ = choose_window(cells_, limits.window_cells);

  // A counting sort by cell inside the window, by key outside. Voxels come in key order, so every list is in
  // that order too. Which cells list a voxel takes longer to find than to keep.
  starts_.assign(window_.cells() + 1, 0);
  std::vector<std::uint32_t> listed, ends;  // the window's cells that list each voxel
  std::vector<KeyedIndex> beyond;
  ends.reserve(voxels_.size());
  for (std::uint32_t v = 0; v < voxels_.size(); ++v) {
    listing.for_each(cells_[v], voxels_[v].centroid, SingleLane{}, [&](const Cell& c) {
      std::size_t i;
      if (!window_.index_of(c, i)) return beyond.push_back({pack(c), v});
      ++starts_[i + 1];
      listed.push_back(static_cast<std::uint32_t>(i));
    });
    ends.push_back(static_cast<std::uint32_t>(listed.size()));
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  lists_.resize(starts_.back() + beyond.size() + kNearVoxelPadding);
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t v = 0, k = 0; v < voxels_.size(); ++v)
    for (; k < ends[v]; ++k) lists_[next[listed[k]]++] = {voxels_[v].centroid, v};

  if (!beyond.empty()) index_outside(beyond);
}

void VoxelMap::index_outside(std::vector<KeyedIndex>& beyond) {
  std::stable_sort(beyond.begin(), beyond.end(),
                   [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
  const std::uint64_t slots = hash_slots(beyond.size());
  outside_.assign(slots, {});
  std::uint32_t at = starts_.back();
  for (std::size_t i = 0; i < beyond.size();) {
    CellEntry entry{beyond[i].key, at, 0};
    for (; i < beyond.size() && beyond[i].key == entry.key; ++i, ++entry.count)
      lists_[at++] = {voxels_[beyond[i].index].centroid, beyond[i].index};
    std::size_t slot = hash_key(entry.key) & (slots - 1);
    while (outside_[slot].key != CellEntry::kNoKey) slot = (slot + 1) & (slots - 1);
    outside_[slot] = entry;
  }
}

VoxelMapView VoxelMap::view() const {
  VoxelMapView view;
  view.voxels = voxels_.data();
  view.lists = lists_.data();
  view.window = window_;
  view.window.starts = starts_.data();
  view.outside = outside_.empty() ? nullptr : outside_.data();
  view.outside_mask = outside_.empty() ? 0 : outside_.size() - 1;
  view.voxel_count = static_cast<int>(voxels_.size());
  view.inverse_resolution = 1.0F / static_cast<float>(resolution_m_);
  view.squared_radius = neighbours_ == Neighbours::radius ? static_cast<float>(resolution_m_ * resolution_m_)
                                                          : std::numeric_limits<float>::infinity();
  return view;
}

LevelSize VoxelMap::size() const {
  const std::uint64_t listed = lists_.size() - kNearVoxelPadding;
  LevelSize size{resolution_m_, cells_.capacity(), window_.cells(), listed, listed - starts_.back()};
  if (fine_ > 0) size.fine = fine_, size.asked = cells_.capacity();
  return size;
}

std::uint64_t VoxelMap::bytes() const {
  const auto of = [](const auto& vector) { return vector.capacity() * sizeof vector[0]; };
  return of(cells_) + of(statistics_) + of(voxels_) + of(surfaces_) + of(starts_) + of(lists_) + of(outside_);
}

std::vector<VoxelInfo> VoxelMap::voxel_table() const {
  std::vector<VoxelInfo> table;
  table.reserve(voxels_.size());
  for (std::size_t i = 0; i < voxels_.size(); ++i)
    table.push_back(to_info(statistics_[i], cells_[i], origin_, resolution_m_));
  return table;
}

}  // namespace ndt
