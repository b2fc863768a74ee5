// One of the voxel maps of an alignment, as a kernel needs it.
#pragma once

#include "ndt/score/derivative_sums.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// A voxel map, the constants of its pairs, and the flat voxels that tell how well it fixes a pose.
struct LevelMap {
  VoxelMapView view;
  Gauss<float> gauss;
  const VoxelSurface* surfaces = nullptr;
};

}  // namespace ndt
