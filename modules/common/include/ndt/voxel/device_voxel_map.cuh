// Owner of a voxel map that is built on the device and stays there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/device_tile_voxels.cuh"
#include "ndt/voxel/voxel_map.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

struct VoxelCensus;  // src/voxel/device_voxels.cuh
struct FramedCounts;

/// The finite points of a map or a part of it, on the device. Must not outlive its Context; the map is not
/// needed afterwards.
class DeviceMapCloud {
 public:
  /// Throws what MapCloud throws, InputError if the device has no room for the points and their sort, and
  /// cuda::Error.
  DeviceMapCloud(cuda::Context& context, const PointCloud& map, const AlignOptions& options)
      : DeviceMapCloud(context, map.origin, map.points, options) {}
  /// points: offsets from `origin`.
  DeviceMapCloud(cuda::Context& context, const Vec3<double>& origin, std::span<const Point> points,
                 const AlignOptions& options)
      : DeviceMapCloud(context, MapCloud(origin, points, options), options) {}
  /// Packs a map that is on the device, and waits. Throws as the others do, and as open_cloud() does. facts()
  /// are not for a map in parts: all points count as in the kilometre of their median.
  DeviceMapCloud(cuda::Context& context, const DeviceCloud& map, const AlignOptions& options);
  /// Joins parts of a map that have one origin. facts: about all.
  DeviceMapCloud(cuda::Context& context, const CloudFacts& facts,
                 std::span<const DeviceMapCloud* const> parts);

  const CloudFacts& facts() const { return facts_; }
  /// The points on the device, relative to a position; they stay here.
  MapPoints points(const Vec3<double>& position) const {
    return {offsets_.data(), static_cast<std::size_t>(facts_.points), own_origin_ - position, box_};
  }

 private:
  DeviceMapCloud(cuda::Context& context, const MapCloud& on_host, const AlignOptions& options);

  Vec3<double> own_origin_;
  PointBox box_;
  CloudFacts facts_;
  cuda::DeviceBuffer<Point> offsets_;
};

/// The voxels of VoxelMap, with the same keys, counts, centroids and lists of near voxels. The rest of a
/// voxel may differ by the order of double sums, and the hash may have another layout. Must not outlive its
/// Context; calls to it are in the order of the Context's stream. A constructor that throws frees everything.
class DeviceVoxelMap {
 public:
  /// Throws what VoxelMap throws, InputError before it takes memory that the device does not have
  /// (map_memory.hpp), and cuda::Error.
  DeviceVoxelMap(cuda::Context& context, const PointCloud& map, const AlignOptions& options,
                 const VoxelMapLimits& limits = {});
  /// Builds the same map, bit for bit, from a cloud that other levels share, and does not keep the cloud.
  DeviceVoxelMap(cuda::Context& context, const DeviceMapCloud& cloud, const AlignOptions& options,
                 const VoxelMapLimits& limits = {});
  /// Builds the same map, bit for bit, from a cloud in tiles. facts: about all points of the tiles, which are
  /// relative to the map's origin. Needs neither facts nor tiles afterwards.
  DeviceVoxelMap(cuda::Context& context, const CloudFacts& facts,
                 std::span<const DeviceTileVoxels* const> tiles, const AlignOptions& options,
                 const VoxelMapLimits& limits = {});
  /// Builds the map from finite points on the device, relative to the origin. They are not needed afterwards.
  /// Their precision is not checked, because points on the device do not show how coarsely they were stored.
  DeviceVoxelMap(cuda::Context& context, const ScanView& device_points, const AlignOptions& options,
                 const VoxelMapLimits& limits = {}, const MapOrigin& origin = {});

  /// The windows of VoxelMap::windows(). They may differ in the last bits by the order of double sums. They
  /// have no surfaces and no voxel table. Throws as the first constructor does.
  static DeviceVoxelMap windows(cuda::Context& context, const DeviceMapCloud& cloud,
                                const AlignOptions& options, const VoxelMapLimits& limits = {});

  /// The view for kernels. Its pointers are into device memory.
  VoxelMapView view() const;
  /// The voxels' surfaces on the device, indexed as VoxelMapView::voxels.
  const VoxelSurface* surfaces() const { return table_.data<3>(); }
  const MapInfo& info() const { return info_; }
  double resolution_m() const { return resolution_m_; }
  const Vec3<double>& origin() const { return info_.origin; }
  /// Downloads the voxels with a Context of the same device, and waits. The map must be finished.
  std::vector<VoxelInfo> voxel_table(cuda::Context& context) const;

 private:
  struct Start;
  static Start start(const CloudFacts& facts, const AlignOptions& options);
  DeviceVoxelMap(cuda::Context& context, const Start& start);
  void finish_map(const VoxelCensus& census, const FramedCounts& counts, const AlignOptions& options,
                  const VoxelMapLimits& limits);

  cuda::Context* context_;
  MapOrigin origin_;
  MapInfo info_;
  double resolution_m_;
  Neighbours neighbours_;
  // all voxels' keys, increasing; statistics; what kernels read; surfaces
  cuda::DeviceArrays<std::uint64_t, VoxelStatistics, Voxel, VoxelSurface> table_;
  CellWindow window_;
  // starts; lists; hash of cells outside the window
  cuda::DeviceArrays<std::uint32_t, NearVoxel, CellEntry> index_;
  std::uint64_t outside_slots_ = 0;
};

}  // namespace ndt
