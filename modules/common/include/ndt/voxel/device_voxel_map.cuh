// Owner of a voxel map that is built on the device and stays there.
#pragma once

#include <cstdint>
#include <vector>

#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/voxel_map.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// The voxels of VoxelMap with the same keys, counts, centroids and candidate lists; the rest of a record differs by the order of
/// double sums. Its hash may be laid out otherwise. Must not outlive its Context; calls to it are in the order of the
/// Context's stream. A constructor that throws leaves nothing behind.
class DeviceVoxelMap {
 public:
  /// Throws what VoxelMap throws, and cuda::Error.
  DeviceVoxelMap(cuda::Context& context, const PointCloud& map, const AlignOptions& options,
                 const VoxelMapLimits& limits = {});
  /// From finite points on the device, relative to the origin, which are not needed afterwards. Nothing says how coarse they were stored.
  DeviceVoxelMap(cuda::Context& context, const ScanView& device_points, const AlignOptions& options,
                 const VoxelMapLimits& limits = {}, const MapOrigin& origin = {});

  /// Pointers into device memory.
  VoxelMapView view() const;
  /// On the device, indexed as VoxelMapView::voxels.
  const VoxelSurface* surfaces() const { return surfaces_.data(); }
  const MapInfo& info() const { return info_; }
  const Vec3<double>& origin() const { return info_.origin; }
  /// Downloads them, and waits.
  std::vector<VoxelRow> rows() const;

 private:
  struct Start;
  DeviceVoxelMap(cuda::Context& context, const Start& start);
  void build(const ScanView& device_points, const AlignOptions& options, const VoxelMapLimits& limits);

  cuda::Context* context_;
  MapOrigin origin_;
  MapInfo info_;
  double resolution_m_;
  Neighbours neighbours_;
  cuda::DeviceBuffer<std::uint64_t> keys_;  // of every voxel, increasing
  cuda::DeviceBuffer<VoxelStatistics> statistics_;
  cuda::DeviceBuffer<Voxel> voxels_;
  cuda::DeviceBuffer<VoxelSurface> surfaces_;
  CellWindow window_;
  cuda::DeviceBuffer<std::uint32_t> starts_;
  cuda::DeviceBuffer<Candidate> candidates_;
  cuda::DeviceBuffer<CellEntry> outside_;
  std::uint64_t outside_slots_ = 0;
};

}  // namespace ndt
