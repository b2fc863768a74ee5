#include "ndt/voxel/tile_voxels.hpp"

#include "ndt/voxel/cell_sums.hpp"

namespace ndt {
namespace {

/// A cell of one of the tiles.
struct TileCell {
  const TileVoxels* tile;
  std::uint32_t cell;

  std::uint32_t points() const { return tile->points(cell); }
};

/// The statistics of a cell with points of several tiles, from all of them. Returns false if they are too few
/// or define no Gaussian.
bool finish_shared(std::span<const KeyedIndex> run, std::span<const TileCell> all,
                   const AlignOptions& options, VoxelStatistics& out) {
  std::uint64_t points = 0;
  for (const KeyedIndex& part : run) points += all[part.index].points();
  if (points < least_points(options)) return false;
  SummedCell shared{unpack(run.front().key), {}};
  const Vec3<double> reference = centre_of(shared.cell, options.resolution_m);
  for (const KeyedIndex& part : run)
    all[part.index].tile->add_points(all[part.index].cell, reference, shared.sums);
  return finish_cell(shared, options, out);
}

}  // namespace

TileVoxels::TileVoxels(const MapPoints& points, const AlignOptions& options) : points_(points) {
  const std::vector<KeyedIndex> keyed = by_cell(points, options.resolution_m);
  std::size_t occupied = 0, enough = 0;
  for_each_run(keyed, [&](std::span<const KeyedIndex> run) {
    ++occupied;
    enough += run.size() >= least_points(options) ? 1 : 0;
  });
  cells_.reserve(occupied + 1);
  statistics_.reserve(enough);
  order_.reserve(keyed.size());
  for (const KeyedIndex& one : keyed) order_.push_back(one.index);
  std::uint32_t first = 0;
  for_each_run(keyed, [&](std::span<const KeyedIndex> run) {
    cells_.push_back({run.front().key, first, kNone});
    first += static_cast<std::uint32_t>(run.size());
    if (run.size() < least_points(options)) return;
    SummedCell summed{unpack(run.front().key), {}};
    const Vec3<double> reference = centre_of(summed.cell, options.resolution_m);
    for (const KeyedIndex& one : run) add_point(summed.sums, points_[one.index], reference);
    VoxelStatistics statistics;
    if (!finish_cell(summed, options, statistics)) return;
    cells_.back().voxel = static_cast<std::uint32_t>(statistics_.size());
    statistics_.push_back(statistics);
  });
  cells_.push_back({0, first, kNone});
}

void TileVoxels::add_points(std::size_t cell, const Vec3<double>& reference, VoxelSums& sums) const {
  for (std::uint32_t k = cells_[cell].first; k < cells_[cell + 1].first; ++k)
    add_point(sums, points_[order_[k]], reference);
}

std::uint64_t TileVoxels::bytes() const {
  return cells_.capacity() * sizeof(OccupiedCell) + order_.capacity() * sizeof(std::uint32_t) +
         statistics_.capacity() * sizeof(VoxelStatistics);
}

std::int64_t for_each_voxel(std::span<const TileVoxels* const> tiles, const AlignOptions& options,
                            const std::function<void(const Cell&, const VoxelStatistics&)>& f) {
  std::size_t cells = 0;
  for (const TileVoxels* tile : tiles) cells += tile->cells();
  std::vector<KeyedIndex> keyed;
  std::vector<TileCell> all;
  keyed.reserve(cells), all.reserve(cells);
  for (const TileVoxels* tile : tiles)
    for (std::uint32_t cell = 0; cell < tile->cells(); ++cell) {
      keyed.push_back({tile->key(cell), static_cast<std::uint32_t>(all.size())});
      all.push_back({tile, cell});
    }
  sort_by_key(keyed);
  std::int64_t occupied = 0;
  for_each_run(keyed, [&](std::span<const KeyedIndex> run) {
    ++occupied;
    VoxelStatistics shared;
    const TileCell& first = all[run.front().index];
    const VoxelStatistics* voxel = run.size() == 1                            ? first.tile->voxel(first.cell)
                                   : finish_shared(run, all, options, shared) ? &shared
                                                                              : nullptr;
    if (voxel != nullptr) f(unpack(run.front().key), *voxel);
  });
  return occupied;
}

}  // namespace ndt
