// How well the surfaces that the scan lies on fix its pose. A Hessian cannot say that alone: covariances that start at identity
// are thick in every direction, and the cut at the radius curves the score along a plane's edge. Host only: once per alignment.
#pragma once

#include "ndt/align/align_result.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt {

/// No more scan points are looked at, every k-th: 25 µs, and condition numbers within a third of those of all points.
inline constexpr int kSurfacePoints = 256;

/// The information that point-to-plane distances hold on a pose, from the normals of the voxels the points score highest in.
struct SurfaceConditioning {
  double condition_number = 0;  ///< largest over smallest eigenvalue; infinite if the smallest is not positive
  Vec6 weak_direction;          ///< as in Conditioning
};

/// pose: map-local, derivative branch. mean_range_m turns radians into metres, as for the Hessian.
SurfaceConditioning surface_conditioning(const VoxelMap& map, const ScanView& scan, const Pose& pose,
                                         double mean_range_m);

}  // namespace ndt
