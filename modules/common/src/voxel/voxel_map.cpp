#include "ndt/voxel/voxel_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "ndt/core/error.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/voxel/cell_sums.hpp"
#include "ndt/voxel/near_voxels.hpp"

namespace ndt {

void refuse_so_many_voxels(std::int64_t limit, double resolution_m) {
  throw InputError(fmt::format(
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

VoxelMap::VoxelMap(const MapCloud& cloud, const AlignOptions& options, const VoxelMapLimits& limits,
                   HostPool* pool)
    : VoxelMap(cloud.facts(), options) {
  finish_map(make_voxels(cloud.points(info_.origin), options, limits, pool), options, limits, pool);
}

VoxelMap::VoxelMap(const CloudFacts& facts, std::span<const TileVoxels* const> tiles,
                   const AlignOptions& options, const VoxelMapLimits& limits)
    : VoxelMap(facts, options) {
  std::size_t cells = 0;
  for (const TileVoxels* tile : tiles) cells += tile->voxels();
  reserve(cells);
  const auto add_voxel = [&](const Cell& cell, const VoxelStatistics& statistics) {
    add(cell, statistics, limits);
  };
  finish_map(for_each_voxel(tiles, options, add_voxel), options, limits);
}

std::int64_t VoxelMap::make_voxels(const MapPoints& points, const AlignOptions& options,
                                   const VoxelMapLimits& limits, HostPool* pool) {
  const SummedCells summed =
      sum_cells(points, resolution_m_, options.min_points, most_counted_cells(points.size), pool);
  const std::size_t cells = summed.cells.size();
  reserve(cells);
  // Every voxel's first, then without those that define no Gaussian, which have no points here.
  std::vector<VoxelStatistics> all(std::move(statistics_));
  all.resize(cells);
  on_workers(pool, [&](const Share& share) {
    for (std::size_t i = share.begin(cells); i < share.end(cells); ++i)
      if (!finish_cell(summed.cells[i], options, all[i])) all[i].n = 0;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    if (all[i].n == 0) continue;
    add_others(summed.cells[i].cell, all[i], limits);
    all[kept++] = all[i];
  }
  all.resize(kept);
  statistics_ = std::move(all);
  return summed.occupied;
}

void VoxelMap::reserve(std::size_t voxels) {
  cells_.reserve(voxels);
  statistics_.reserve(voxels);
  voxels_.reserve(voxels);
  surfaces_.reserve(voxels);
}

void VoxelMap::add(const Cell& cell, const VoxelStatistics& statistics, const VoxelMapLimits& limits) {
  add_others(cell, statistics, limits);
  statistics_.push_back(statistics);
}

void VoxelMap::add_others(const Cell& cell, const VoxelStatistics& statistics, const VoxelMapLimits& limits) {
  if (static_cast<std::int64_t>(voxels_.size()) >= limits.voxels)
    refuse_so_many_voxels(limits.voxels, resolution_m_);
  cells_.push_back(cell);
  voxels_.push_back(to_voxel(statistics));
  surfaces_.push_back(statistics.surface);
}

void VoxelMap::finish_map(std::int64_t occupied, const AlignOptions& options, const VoxelMapLimits& limits,
                          HostPool* pool) {
  info_.voxels = static_cast<std::int64_t>(voxels_.size());
  if (voxels_.empty()) throw_no_valid_voxel(info_, occupied, options);
  index_candidates(limits, pool);
}

void VoxelMap::index_candidates(const VoxelMapLimits& limits, HostPool* pool) {
  window_ = choose_window(cells_, limits.window_cells);
  // A counting sort by cell inside the window, by key outside. Voxels come in key order, so every list is in
  // that order too. Which cells list a voxel takes longer to find than to keep: each worker finds those of
  // its voxels, and all go through them to write the lists of their cells.
  std::vector<ListingCellsOf> parts = find_listing_cells(pool);
  std::vector<KeyedIndex> beyond = take_beyond(parts);
  starts_.assign(window_.cells() + 1, 0);
  on_workers(pool, [&](const Share& share) {
    for (const ListingCellsOf& part : parts)
      for (const std::uint32_t i : part.cells)
        if (share.writes(i)) ++starts_[i + 1];
  });
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  lists_.resize(starts_.back() + beyond.size() + kNearVoxelPadding);
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  on_workers(pool, [&](const Share& share) {
    for (const ListingCellsOf& part : parts) {
      std::size_t k = 0;
      for (std::size_t v = 0; v < part.ends.size(); ++v)
        for (; k < part.ends[v]; ++k)
          if (const std::uint32_t i = part.cells[k]; share.writes(i)) {
            const auto voxel = static_cast<std::uint32_t>(part.first + v);
            lists_[next[i]++] = {voxels_[voxel].centroid, voxel};
          }
    }
  });
  if (!beyond.empty()) index_outside(beyond);
}

std::vector<VoxelMap::ListingCellsOf> VoxelMap::find_listing_cells(HostPool* pool) const {
  const ListingCells listing{neighbours_, static_cast<float>(resolution_m_)};
  std::vector<ListingCellsOf> parts(pool == nullptr ? 1 : static_cast<std::size_t>(pool->size()));
  on_workers(pool, [&](const Share& share) {
    ListingCellsOf& own = parts[share.rank];
    own.first = share.begin(voxels_.size());
    const std::size_t end = share.end(voxels_.size());
    own.ends.reserve(end - own.first);
    for (std::size_t v = own.first; v < end; ++v) {
      listing.for_each(cells_[v], voxels_[v].centroid, SingleLane{}, [&](const Cell& c) {
        std::size_t i;
        if (!window_.index_of(c, i)) return own.beyond.push_back({pack(c), static_cast<std::uint32_t>(v)});
        own.cells.push_back(static_cast<std::uint32_t>(i));
      });
      own.ends.push_back(static_cast<std::uint32_t>(own.cells.size()));
    }
  });
  return parts;
}

std::vector<KeyedIndex> VoxelMap::take_beyond(std::vector<ListingCellsOf>& parts) {
  std::vector<KeyedIndex> beyond = std::move(parts.front().beyond);
  for (ListingCellsOf& part : std::span(parts).subspan(1)) {
    beyond.insert(beyond.end(), part.beyond.begin(), part.beyond.end());
    part.beyond = {};
  }
  return beyond;
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
  return {resolution_m_, cells_.capacity(), window_.cells(), listed, listed - starts_.back()};
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
