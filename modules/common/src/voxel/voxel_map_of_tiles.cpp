// A voxel map from the voxels of tiles, or from an earlier map and the tiles that have come and gone since.
// Then the arrays of the earlier map are copied around the cells that have changed.
#include <algorithm>
#include <limits>

#include "ndt/voxel/voxel_map.hpp"

namespace ndt {
namespace {

constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();

/// Calls f(first cell, first cell, cells) with the indices in both windows of every row that they share.
template <class F>
void for_each_shared_row(const CellWindow& a, const CellWindow& b, F&& f) {
  const auto end = [](int low, unsigned n) { return low + static_cast<int>(n); };
  const Cell low{std::max(a.low.x, b.low.x), std::max(a.low.y, b.low.y), std::max(a.low.z, b.low.z)};
  const int end_x = std::min(end(a.low.x, a.nx), end(b.low.x, b.nx)),
            end_y = std::min(end(a.low.y, a.ny), end(b.low.y, b.ny)),
            end_z = std::min(end(a.low.z, a.nz), end(b.low.z, b.nz));
  if (low.x >= end_x) return;
  for (int z = low.z; z < end_z; ++z)
    for (int y = low.y; y < end_y; ++y) {
      std::size_t in_a, in_b;
      a.index_of({low.x, y, z}, in_a);
      b.index_of({low.x, y, z}, in_b);
      f(in_a, in_b, static_cast<std::size_t>(end_x - low.x));
    }
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t first, std::size_t end) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

/// The way from an earlier map's voxels to a new one's.
struct VoxelMap::Patch {
  std::vector<std::uint32_t> moved;  // the new index of each earlier voxel, or kGone
  std::vector<std::uint32_t> come;   // indices of the new voxels
};

VoxelMap::VoxelMap(const CloudFacts& facts, const TilesVoxels& tiles, const AlignOptions& options,
                   const VoxelMap* before, const VoxelMapLimits& limits)
    : VoxelMap(facts, options) {
  tiles_ = tiles;
  if (before != nullptr && before->origin_ == origin_) {
    const TileChange change(before->tiles_, tiles_);
    if (change.cells().size() <= before->voxels_.size()) make_from(*before, change, options, limits);
  }
  if (voxels_.empty()) make_voxels(options, limits);
}

/// Leaves the map without voxels if there are none.
void VoxelMap::make_from(const VoxelMap& before, const TileChange& change, const AlignOptions& options,
                         const VoxelMapLimits& limits) {
  const Patch patch = take_voxels(before, change, options);
  info_.voxels = static_cast<std::int64_t>(voxels_.size());
  if (info_.voxels > limits.voxels) refuse_so_many_voxels(limits.voxels, resolution_m_);
  if (!voxels_.empty()) take_lists(before, patch, limits);
}

void VoxelMap::make_voxels(const AlignOptions& options, const VoxelMapLimits& limits) {
  std::size_t voxels = 0;
  for (const auto& tile : tiles_) voxels += tile->voxels();
  reserve(voxels);
  const std::int64_t occupied = for_each_voxel(
      tiles_, options,
      [&](const Cell& cell, const VoxelStatistics& statistics) { add(cell, statistics, limits); });
  finish_map(occupied, options, limits);
}

/// Merges the earlier voxels of cells that have not changed with the voxels of those that have.
VoxelMap::Patch VoxelMap::take_voxels(const VoxelMap& before, const TileChange& change,
                                      const AlignOptions& options) {
  reserve(before.cells_.size() + change.cells().size());
  Patch patch;
  patch.moved.assign(before.cells_.size(), kGone);
  patch.come.reserve(change.cells().size());
  auto changed = change.cells().begin();
  auto at = before.cells_.begin();
  const auto keep_until = [&](std::uint64_t key) {
    const auto end = std::lower_bound(at, before.cells_.end(), key,
                                      [](const Cell& c, std::uint64_t sought) { return pack(c) < sought; });
    const auto first = static_cast<std::size_t>(at - before.cells_.begin()),
               count = static_cast<std::size_t>(end - at);
    auto next = static_cast<std::uint32_t>(cells_.size());
    for (std::size_t v = first; v < first + count; ++v) patch.moved[v] = next++;
    keep(before, first, first + count);
    at = end;
  };
  const auto pass_changed = [&](std::uint64_t last) {
    for (; changed != change.cells().end() && *changed <= last; ++changed) {
      keep_until(*changed);
      if (at != before.cells_.end() && pack(*at) == *changed) ++at;
    }
  };
  change.for_each_voxel(options, [&](const Cell& cell, const VoxelStatistics& statistics) {
    pass_changed(pack(cell));
    patch.come.push_back(static_cast<std::uint32_t>(cells_.size()));
    add(cell, statistics, {});
  });
  pass_changed(std::numeric_limits<std::uint64_t>::max());
  keep_until(std::numeric_limits<std::uint64_t>::max());
  return patch;
}

void VoxelMap::keep(const VoxelMap& before, std::size_t first, std::size_t end) {
  append(cells_, before.cells_, first, end);
  append(statistics_, before.statistics_, first, end);
  append(voxels_, before.voxels_, first, end);
  append(surfaces_, before.surfaces_, first, end);
}

/// Copies the lists, without the voxels that have gone, and puts those that have come in their places.
void VoxelMap::take_lists(const VoxelMap& before, const Patch& patch, const VoxelMapLimits& limits) {
  const std::optional<CellWindow> whole = window_of_all(cells_, limits.window_cells);
  if (!whole || !before.outside_.empty()) return index_candidates(limits);
  window_ = *whole;
  const ListingCells listing{neighbours_, static_cast<float>(resolution_m_)};
  const auto for_each_listing = [&](const VoxelMap& map, std::size_t v, auto&& f) {
    listing.for_each(map.cells_[v], map.voxels_[v].centroid, SingleLane{}, [&](const Cell& c) {
      if (std::size_t i; window_.index_of(c, i)) f(i);
    });
  };

  starts_.assign(window_.cells() + 1, 0);
  for_each_shared_row(before.window_, window_, [&](std::size_t from, std::size_t to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      starts_[to + i + 1] = before.starts_[from + i + 1] - before.starts_[from + i];
  });
  for (std::size_t v = 0; v < patch.moved.size(); ++v)
    if (patch.moved[v] == kGone) for_each_listing(before, v, [&](std::size_t i) { --starts_[i + 1]; });
  std::vector<std::uint32_t> listed, ends;  // as in index_candidates()
  ends.reserve(patch.come.size());
  for (const std::uint32_t v : patch.come) {
    for_each_listing(*this, v, [&](std::size_t i) {
      ++starts_[i + 1];
      listed.push_back(static_cast<std::uint32_t>(i));
    });
    ends.push_back(static_cast<std::uint32_t>(listed.size()));
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];

  lists_.resize(starts_.back() + kNearVoxelPadding);
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for_each_shared_row(before.window_, window_, [&](std::size_t from, std::size_t to, std::size_t n) {
    std::uint32_t k = before.starts_[from];
    if (k == before.starts_[from + n]) return;  // most rows above the ground
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t at = next[to + i];
      for (const std::uint32_t end = before.starts_[from + i + 1]; k < end; ++k) {
        const NearVoxel& one = before.lists_[k];
        if (const std::uint32_t v = patch.moved[one.voxel]; v != kGone) lists_[at++] = {one.centroid, v};
      }
      next[to + i] = at;
    }
  });
  for (std::size_t n = 0, k = 0; n < patch.come.size(); ++n)
    for (; k < ends[n]; ++k) {
      std::uint32_t at = next[listed[k]]++;
      for (; at > starts_[listed[k]] && lists_[at - 1].voxel > patch.come[n]; --at)
        lists_[at] = lists_[at - 1];
      lists_[at] = {voxels_[patch.come[n]].centroid, patch.come[n]};
    }
}

}  // namespace ndt
