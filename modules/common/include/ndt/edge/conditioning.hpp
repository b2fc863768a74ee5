// How well the Hessian and the matched surfaces fix a pose. Host only, once per alignment. The Hessian alone
// cannot tell, because covariances that start at identity are thick in every direction, and the cut at the
// radius curves the score along a plane's edge.
#pragma once

#include "ndt/align/align_result.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/core/symmetric_eigen.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/push_test.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt {

struct SurfaceConditioning {
  double condition_number = 0;  ///< largest over smallest eigenvalue; infinite if that is not positive
  Vec6 weak_direction;          ///< as in Conditioning
};

/// Sums the information of a map's surfaces at a map-local pose. most: scan points.
SurfaceInformation surface_information(const LevelMap& map, const ScanView& scan, const SurfacePose& at,
                                       int most = kSurfacePoints);
/// pose: map-local, derivative branch. mean_range_m turns radians into metres, as for the Hessian. most: scan
/// points.
SurfaceInformation surface_information(const VoxelMap& map, const ScanView& scan, const Pose& pose,
                                       double mean_range_m, int most = kSurfacePoints);

/// Conditioning::push_sigmas for pushes of push_m [m] along the information's weak directions. score_error:
/// of solve/push_test.hpp.
double push_sigmas(const LevelMap& map, const ScanView& scan, const SurfaceInformation& information,
                   const SurfacePose& at, double push_m, double score_error);

/// Eigenvalues of the surfaces' information at the pose.
SurfaceConditioning surface_conditioning(const SurfaceInformation& information, const Pose& pose);

/// The two steps of surface_conditioning(): the symmetric matrix, and the conditioning from its
/// decomposition.
void copy_matrix(const SurfaceInformation& information, double (&a)[6][6]);
SurfaceConditioning surface_conditioning(const SymmetricEigen<6>& eigen, const Pose& pose);

/// Eigenvalues of -H with rotations scaled by the scan's mean range [m], so that every entry is per metre.
Conditioning conditioning_of(const Mat6& hessian, double mean_range_m);
/// Does the same, followed by add_surfaces() of surface_conditioning() at the pose, in little more time than
/// the first function alone.
Conditioning conditioning_of(const Mat6& hessian, double mean_range_m, const SurfaceInformation& surfaces,
                             const Pose& pose);

/// -(H_xy)^-1 of the 2x2 block of x and y alone. Like Autoware's Laplace approximation this reads the score's
/// curvature as a Gaussian's. Nothing if the block is not negative definite.
std::optional<PositionCovariance> laplace_covariance(const Mat6& hessian);

/// Adds the surfaces' conditioning. The weak direction becomes theirs if they are worse conditioned than -H,
/// each relative to its bound.
void add_surfaces(const SurfaceConditioning& surfaces, Conditioning& conditioning);

}  // namespace ndt
