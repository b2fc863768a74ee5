// TileVoxels on a device: the voxels of one tile of a map, made once.
#pragma once

#include <cstdint>

#include "ndt/align/align_options.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/voxel.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// The part of a tile that kernels read. Cells come by increasing key.
struct TileVoxelsView {
  const std::uint64_t* keys;          ///< [cells]
  const std::uint32_t* starts;        ///< [cells + 1], into order
  const std::uint32_t* order;         ///< indices of points by cell
  const VoxelStatistics* statistics;  ///< [cells]; n = 0 where the cell is no Gaussian
  MapPoints points;
  std::uint32_t cells;
};

/// The cells of a tile with points. Must not outlive its Context, nor the points.
class DeviceTileVoxels {
 public:
  /// Waits for the device. Throws InputError for a point outside the limits of cells and before it takes
  /// memory that the device does not have, and cuda::Error.
  DeviceTileVoxels(cuda::Context& context, const MapPoints& device_points, const AlignOptions& options);

  TileVoxelsView view() const;
  /// The box around its cells; it has no starts.
  const CellWindow& box() const { return box_; }

 private:
  MapPoints points_;
  std::uint32_t cells_ = 0;
  CellWindow box_;
  cuda::DeviceArrays<VoxelStatistics, std::uint64_t, std::uint32_t, std::uint32_t> memory_;
};

}  // namespace ndt
