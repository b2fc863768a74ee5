#include "ndt/voxel/tile_voxels.hpp"

#include <algorithm>
#include <iterator>

#include "ndt/voxel/cell_sums.hpp"

namespace ndt {
namespace {

/// A cell of one of the tiles.
struct TileCell {
  const TileVoxels* tile;
  std::uint32_t cell;

  std::uint32_t points() const { return tile->points(cell); }
};

/// Cells of tiles, by key when they are finished, and in the order of tiles where keys are equal.
class TileCells {
 public:
  void reserve(std::size_t cells) { keyed_.reserve(cells), all_.reserve(cells); }
  void add(const TileVoxels& tile, std::size_t cell) {
    keyed_.push_back({tile.key(cell), static_cast<std::uint32_t>(all_.size())});
    all_.push_back({&tile, static_cast<std::uint32_t>(cell)});
  }
  /// As for_each_voxel().
  std::int64_t finish(const AlignOptions& options, const TakeVoxel& f);

 private:
  bool finish_shared(std::span<const KeyedIndex> run, const AlignOptions& options,
                     VoxelStatistics& out) const;

  std::vector<KeyedIndex> keyed_;
  std::vector<TileCell> all_;
};

/// The statistics of a cell with points of several tiles, from all of them. Returns false if they are too few
/// or define no Gaussian.
bool TileCells::finish_shared(std::span<const KeyedIndex> run, const AlignOptions& options,
                              VoxelStatistics& out) const {
  std::uint64_t points = 0;
  for (const KeyedIndex& part : run) points += all_[part.index].points();
  if (points < least_points(options)) return false;
  SummedCell shared{unpack(run.front().key), {}};
  const Vec3<double> reference = centre_of(shared.cell, options.resolution_m);
  for (const KeyedIndex& part : run)
    all_[part.index].tile->add_points(all_[part.index].cell, reference, shared.sums);
  return finish_cell(shared, options, out);
}

std::int64_t TileCells::finish(const AlignOptions& options, const TakeVoxel& f) {
  sort_by_key(keyed_);
  std::int64_t occupied = 0;
  for_each_run(keyed_, [&](std::span<const KeyedIndex> run) {
    ++occupied;
    VoxelStatistics shared;
    const TileCell& first = all_[run.front().index];
    const VoxelStatistics* voxel = run.size() == 1                       ? first.tile->voxel(first.cell)
                                   : finish_shared(run, options, shared) ? &shared
                                                                         : nullptr;
    if (voxel != nullptr) f(unpack(run.front().key), *voxel);
  });
  return occupied;
}

}  // namespace

TileVoxels::TileVoxels(const MapPoints& points, const AlignOptions& options) : points_(points) {
  PointsByCell sorted = by_cell(points, options.resolution_m);
  order_ = std::move(sorted.order);
  cells_.reserve(sorted.cells.size());
  for (const auto& run : sorted.cells) cells_.push_back({run.key, run.first, kNone});
  const auto enough = [&](std::size_t cell) { return this->points(cell) >= least_points(options); };
  std::size_t most = 0;
  for (std::size_t cell = 0; cell < cells(); ++cell) most += enough(cell) ? 1 : 0;
  statistics_.reserve(most);
  for (std::size_t cell = 0; cell < cells(); ++cell) {
    const Cell c = unpack(cells_[cell].key);
    if (cell == 0) low_ = high_ = c;
    low_ = {std::min(low_.x, c.x), std::min(low_.y, c.y), std::min(low_.z, c.z)};
    high_ = {std::max(high_.x, c.x), std::max(high_.y, c.y), std::max(high_.z, c.z)};
    if (!enough(cell)) continue;
    SummedCell summed{c, {}};
    add_points(cell, centre_of(c, options.resolution_m), summed.sums);
    VoxelStatistics statistics;
    if (!finish_cell(summed, options, statistics)) continue;
    cells_[cell].voxel = static_cast<std::uint32_t>(statistics_.size());
    statistics_.push_back(statistics);
  }
}

bool TileVoxels::meets(const TileVoxels& other) const {
  return cells() > 0 && other.cells() > 0 && low_.x <= other.high_.x && other.low_.x <= high_.x &&
         low_.y <= other.high_.y && other.low_.y <= high_.y && low_.z <= other.high_.z &&
         other.low_.z <= high_.z;
}

void TileVoxels::add_points(std::size_t cell, const Vec3<double>& reference, VoxelSums& sums) const {
  for (std::uint32_t k = cells_[cell].first; k < cells_[cell + 1].first; ++k)
    add_point(sums, points_[order_[k]], reference);
}

std::uint64_t TileVoxels::bytes() const {
  return cells_.capacity() * sizeof(OccupiedCell) + order_.capacity() * sizeof(std::uint32_t) +
         statistics_.capacity() * sizeof(VoxelStatistics);
}

std::int64_t for_each_voxel(const TilesVoxels& tiles, const AlignOptions& options, const TakeVoxel& f) {
  std::size_t cells = 0;
  for (const auto& tile : tiles) cells += tile->cells();
  TileCells all;
  all.reserve(cells);
  for (const auto& tile : tiles)
    for (std::size_t cell = 0; cell < tile->cells(); ++cell) all.add(*tile, cell);
  return all.finish(options, f);
}

TileChange::TileChange(const TilesVoxels& before, const TilesVoxels& now) : now_(now) {
  const auto sorted = [](const TilesVoxels& tiles) {
    std::vector<const TileVoxels*> out;
    for (const auto& tile : tiles) out.push_back(tile.get());
    std::ranges::sort(out);
    return out;
  };
  std::ranges::set_symmetric_difference(sorted(before), sorted(now), std::back_inserter(tiles_));
  for (const TileVoxels* tile : tiles_)
    for (std::size_t cell = 0; cell < tile->cells(); ++cell) cells_.push_back(tile->key(cell));
  std::ranges::sort(cells_);
  cells_.erase(std::ranges::unique(cells_).begin(), cells_.end());
}

void TileChange::for_each_voxel(const AlignOptions& options, const TakeVoxel& f) const {
  TileCells changed;
  for (const auto& tile : now_) {
    if (std::ranges::none_of(tiles_, [&](const TileVoxels* other) { return tile->meets(*other); })) continue;
    for (std::size_t cell = 0; cell < tile->cells(); ++cell)
      if (std::ranges::binary_search(cells_, tile->key(cell))) changed.add(*tile, cell);
  }
  changed.finish(options, f);
}

}  // namespace ndt
