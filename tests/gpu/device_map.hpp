// Maps and scores made on the device, as plain host values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ndt/core/finite_points.hpp"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "ndt/voxel/voxel_map_view.hpp"
#include "tiles.hpp"

namespace ndt {

/// Everything a DeviceVoxelMap holds, downloaded.
struct DownloadedMap {
  MapInfo info;
  std::vector<VoxelInfo> table;
  std::vector<Voxel> voxels;
  std::vector<VoxelSurface> surfaces;
  std::vector<std::uint32_t> starts;
  std::vector<NearVoxel> lists;  ///< with the padding
  std::vector<CellEntry> outside;
  VoxelMapView device_view;

  /// The look-up that kernels use, on the host copy.
  VoxelMapView view() const;
};

/// The outcome of builds in which each CUDA call failed in turn.
struct FaultReport {
  int failures = 0;       ///< builds that threw cuda::Error
  std::string complaint;  ///< what went wrong besides; empty if nothing
};

/// A Context with the maps made in it.
class DeviceMaps {
 public:
  DeviceMaps();
  ~DeviceMaps();

  /// From a cloud on the host. Throws what DeviceVoxelMap throws.
  DownloadedMap build(const PointCloud& cloud, const AlignOptions& options,
                      const VoxelMapLimits& limits = {});
  /// From tiles of a cloud, by increasing id.
  DownloadedMap build_of_tiles(const Tiles& tiles, const AlignOptions& options,
                               const VoxelMapLimits& limits = {});
  /// The maps of several levels, from one upload of the cloud.
  std::vector<DownloadedMap> build_levels(const PointCloud& cloud, const std::vector<AlignOptions>& levels);
  /// The windows of a finish; they have no table and no surfaces.
  DownloadedMap build_windows(const PointCloud& cloud, const AlignOptions& options,
                              const VoxelMapLimits& limits = {});
  /// Copies from host to device so far.
  std::int64_t uploads() const;
  /// From the cloud's points, uploaded first; the cloud's origin must be 0.
  DownloadedMap build_from_device_points(const PointCloud& cloud, const AlignOptions& options);
  /// Builds with the first call failing, then the second, and so on until none failed. After each, the device
  /// must hold what it held and a map of `older` must give the same rows.
  FaultReport build_with_faults(const PointCloud& older, const PointCloud& cloud, const AlignOptions& options,
                                const VoxelMapLimits& limits);

  std::vector<PoseScore> score_poses(const PointCloud& map, const AlignOptions& options,
                                     const VoxelMapLimits& limits, const Gauss<float>& gauss,
                                     const ScanView& scan, const std::vector<Motion>& motions);
  std::vector<float> score_points(const PointCloud& map, const AlignOptions& options,
                                  const Gauss<float>& gauss, const ScanView& scan, const Motion& motion);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ndt
