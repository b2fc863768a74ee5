// The voxel map built on the CPU, and what every owner of a voxel map shares: its limits, and the voxel table
// that people read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/map_memory.hpp"
#include "ndt/voxel/near_voxels.hpp"
#include "ndt/voxel/tile_voxels.hpp"
#include "ndt/voxel/voxel.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

class ChangedWindows;

/// Build parameters that only tests change.
struct VoxelMapLimits {
  std::uint64_t window_cells = kWindowCells;
  std::int64_t voxels = Limits::kVoxels;
};

[[noreturn]] void refuse_so_many_voxels(std::int64_t limit, double resolution_m);

/// Builds a map of every level with build(options of the level), and gives what that gives, coarse to fine.
/// Leaves out a coarse level on which no voxel has enough points, as around a small cloud.
template <class Build>
auto build_levels(const AlignOptions& options, Build&& build) {
  std::vector<decltype(build(options))> maps;
  AlignOptions one = options;
  for (const double level : options.levels) {
    one.resolution_m = level * options.resolution_m;
    try {
      maps.push_back(build(one));
    } catch (const NoValidVoxel&) {
      if (level == *(options.levels.end() - 1)) throw;
    }
  }
  return maps;
}

VoxelInfo to_info(const VoxelStatistics& statistics, const Cell& cell, const MapOrigin& origin,
                  double resolution_m);

class VoxelMap {
 public:
  /// Voxels of the global grid with at least options.min_points finite points. Throws InputError if there is
  /// none or more than 2^26, if the map is too coarse (align/usable_points.hpp), or if a point is 2^20 voxels
  /// or more from the map origin.
  VoxelMap(const PointCloud& map, const AlignOptions& options, const VoxelMapLimits& limits = {});
  /// Builds the same map, bit for bit, from a cloud that other levels are built from, too.
  VoxelMap(const MapCloud& cloud, const AlignOptions& options, const VoxelMapLimits& limits = {});
  /// Builds the same map, bit for bit, from a cloud in tiles. facts: about all points of the tiles, which are
  /// relative to the map's origin. before: null, or a map with these options whose voxels and lists are taken
  /// over where its tiles are the same.
  VoxelMap(const CloudFacts& facts, const TilesVoxels& tiles, const AlignOptions& options,
           const VoxelMap* before = nullptr, const VoxelMapLimits& limits = {});

  /// The overlapping windows of Finish::windows: a voxel for every cell of their fine grid that has enough
  /// points around it. Points see the voxel of their own cell alone. It has no surfaces and no voxel table.
  /// Throws as the first constructor does.
  static VoxelMap windows(const MapCloud& cloud, const AlignOptions& options,
                          const VoxelMapLimits& limits = {});
  /// Builds the same map, bit for bit, from an earlier one of the same origin. facts: about all points.
  /// cloud: those that the changed windows read, in the order of all.
  static VoxelMap windows(const VoxelMap& before, const ChangedWindows& changed, const CloudFacts& facts,
                          const MapCloud& cloud, const AlignOptions& options,
                          const VoxelMapLimits& limits = {});

  VoxelMapView view() const;
  const MapInfo& info() const { return info_; }
  double resolution_m() const { return resolution_m_; }
  Neighbours neighbours() const { return neighbours_; }
  /// Map origin [m], to which map-local coordinates are relative: CloudFacts::origin().
  const Vec3<double>& origin() const { return info_.origin; }
  const MapOrigin& origin_cell() const { return origin_; }
  /// The voxels' surfaces, indexed as VoxelMapView::voxels.
  const std::vector<VoxelSurface>& surfaces() const { return surfaces_; }
  std::vector<VoxelInfo> voxel_table() const;
  /// The numbers that decide its memory; `voxels` are all cells with enough points, for which there is room.
  LevelSize size() const;
  /// The memory that it holds.
  std::uint64_t bytes() const;

 private:
  /// Makes a map that has no voxels yet.
  VoxelMap(const CloudFacts& facts, const AlignOptions& options);
  /// Returns the number of cells with points.
  std::int64_t make_voxels(const MapPoints& points, const AlignOptions& options,
                           const VoxelMapLimits& limits);
  void reserve(std::size_t voxels);
  void add(const Cell& cell, const Voxel& voxel, const VoxelMapLimits& limits);
  void add(const Cell& cell, const VoxelStatistics& statistics, const VoxelMapLimits& limits);
  void finish_map(std::int64_t occupied, const AlignOptions& options, const VoxelMapLimits& limits);
  void index_candidates(const VoxelMapLimits& limits);
  void index_outside(std::vector<KeyedIndex>& beyond);

  // From an earlier map.
  struct Patch;
  void make_voxels(const AlignOptions& options, const VoxelMapLimits& limits);
  void make_from(const VoxelMap& before, const TileChange& change, const AlignOptions& options,
                 const VoxelMapLimits& limits);
  Patch take_voxels(const VoxelMap& before, const TileChange& change, const AlignOptions& options);
  void keep(const VoxelMap& before, std::size_t first, std::size_t end);
  void take_lists(const VoxelMap& before, const Patch& patch, const VoxelMapLimits& limits);

  MapInfo info_;
  double resolution_m_;
  Neighbours neighbours_;
  MapOrigin origin_;
  std::vector<Cell> cells_;                  // per voxel, by increasing key
  std::vector<VoxelStatistics> statistics_;  // per voxel
  std::vector<Voxel> voxels_;
  std::vector<VoxelSurface> surfaces_;  // beside the voxels, so that kernels do not carry them
  CellWindow window_;
  std::vector<std::uint32_t> starts_;
  std::vector<NearVoxel> lists_;
  std::vector<CellEntry> outside_;
  std::uint64_t fine_ = 0;  // of windows: cells with points, at most
  TilesVoxels tiles_;       // that it is made of
};

}  // namespace ndt
