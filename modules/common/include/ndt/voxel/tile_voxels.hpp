// The voxels of one tile of a map, made once, and the voxels of a map in tiles, made of those. On the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {

/// The cells of a tile with points. They do not depend on other tiles; what they become in a map does, where
/// a cell has points of several tiles. Never changes.
class TileVoxels {
 public:
  /// The points stay where they are and must outlive the last add_points(). Throws InputError for one that is
  /// outside the limits of cells.
  TileVoxels(const MapPoints& points, const AlignOptions& options);

  /// Whether the boxes around the cells of both have a cell in common.
  bool meets(const TileVoxels& other) const;
  /// Number of cells, which come by increasing key.
  std::size_t cells() const { return cells_.size() - 1; }
  std::uint64_t key(std::size_t cell) const { return cells_[cell].key; }
  std::uint32_t points(std::size_t cell) const { return cells_[cell + 1].first - cells_[cell].first; }
  std::size_t voxels() const { return statistics_.size(); }
  /// Returns the statistics of a cell; null unless the cell has enough points for a Gaussian.
  const VoxelStatistics* voxel(std::size_t cell) const {
    return cells_[cell].voxel == kNone ? nullptr : &statistics_[cells_[cell].voxel];
  }
  /// Adds the cell's points to sums about `reference`, in the order of the tile's.
  void add_points(std::size_t cell, const Vec3<double>& reference, VoxelSums& sums) const;
  /// The memory that it holds beside the points.
  std::uint64_t bytes() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct OccupiedCell {
    std::uint64_t key;
    std::uint32_t first, voxel;  // where its points begin in order_; its statistics
  };

  MapPoints points_;
  Cell low_, high_;                   // the box around the cells, if there is one
  std::vector<OccupiedCell> cells_;   // and one that ends the last
  std::vector<std::uint32_t> order_;  // points by cell
  std::vector<VoxelStatistics> statistics_;
};

/// The voxels of all tiles of a map, in the order of the tiles.
using TilesVoxels = std::vector<std::shared_ptr<const TileVoxels>>;
using TakeVoxel = std::function<void(const Cell&, const VoxelStatistics&)>;

/// Calls f(cell, statistics) for the voxels of the tiles' points one after the other, by increasing key: with
/// the bits that a build of all points has, for any way in which they are parted. Voxels with points of one
/// tile are that tile's, others are summed anew. Returns the number of cells with points.
std::int64_t for_each_voxel(const TilesVoxels& tiles, const AlignOptions& options, const TakeVoxel& f);

/// The difference between two maps in tiles: the tiles that one of them has, and these tiles' cells.
class TileChange {
 public:
  /// The tiles must outlive this.
  TileChange(const TilesVoxels& before, const TilesVoxels& now);

  /// Keys of the cells, increasing.
  const std::vector<std::uint64_t>& cells() const { return cells_; }
  /// Does as the function above, for the voxels that `now` has in these cells.
  void for_each_voxel(const AlignOptions& options, const TakeVoxel& f) const;

 private:
  const TilesVoxels& now_;
  std::vector<const TileVoxels*> tiles_;
  std::vector<std::uint64_t> cells_;
};

}  // namespace ndt
