// How well the surfaces that the scan lies on fix its pose. A Hessian cannot say that alone: covariances that start at identity
// are thick in every direction, and the cut at the radius curves the score along a plane's edge. Host only: once per alignment.
#pragma once

#include "ndt/align/align_result.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/core/symmetric_eigen.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt {

struct SurfaceConditioning {
  double condition_number = 0;  ///< largest over smallest eigenvalue; infinite if the smallest is not positive
  Vec6 weak_direction;          ///< as in Conditioning
};

/// pose: map-local, derivative branch. mean_range_m turns radians into metres, as for the Hessian.
SurfaceInformation surface_information(const VoxelMap& map, const ScanView& scan, const Pose& pose,
                                       double mean_range_m);

/// The eigenvalues of what was found at the pose.
SurfaceConditioning surface_conditioning(const SurfaceInformation& information, const Pose& pose);

/// The two steps of it: the symmetric matrix, and what its decomposition says.
void copy_matrix(const SurfaceInformation& information, double (&a)[6][6]);
SurfaceConditioning surface_conditioning(const SymmetricEigen<6>& eigen, const Pose& pose);

}  // namespace ndt
