// Owner of a voxel map built on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "ndt/voxel/map_points.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

class VoxelMap {
 public:
  /// Voxels of the global grid with at least options.min_points finite points. Throws InputError if there is none or more than 2^26,
  /// if the map is too coarse (align/precision.hpp), or if a point lies 2^20 voxels or more from the map origin.
  VoxelMap(const PointCloud& map, const AlignOptions& options, const VoxelMapLimits& limits = {});

  VoxelMapView view() const;
  const MapInfo& info() const { return info_; }
  /// Map origin [m]: what map-local coordinates are relative to. A multiple of the resolution; 0 unless the median point
  /// lies 1 km or more from 0 on some axis.
  const Vec3<double>& origin() const { return info_.origin; }
  /// Of every voxel, indexed as VoxelMapView::voxels.
  const std::vector<VoxelSurface>& surfaces() const { return surfaces_; }
  std::vector<VoxelRow> rows() const;

 private:
  void index_candidates(const VoxelMapLimits& limits);

  MapInfo info_;
  double resolution_m_;
  Neighbours neighbours_;
  MapOrigin origin_;
  std::vector<Cell> cells_;                  // per voxel, increasing key
  std::vector<VoxelStatistics> statistics_;  // per voxel
  std::vector<Voxel> voxels_;
  std::vector<VoxelSurface> surfaces_;  // beside the voxels, so that kernels do not carry them
  CellWindow window_;
  std::vector<std::uint32_t> starts_;
  std::vector<Candidate> candidates_;
  std::vector<CellEntry> outside_;
};

}  // namespace ndt
