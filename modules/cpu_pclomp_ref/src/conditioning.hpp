// The oracle's own measure of how well a scan fixes a pose. The reference has none: it calls every alignment
// converged.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "score.hpp"

namespace ndt::cpu_pclomp_ref {

/// -H with rotations per metre of mean range.
Conditioning conditioning_of(const Matrix6d& hessian, double mean_range_m);

/// Whether the flat voxels under at most 64 scan points fix the pose: the smallest eigenvalue of their
/// information is above 1/3000 of the sum of all.
bool surfaces_fix_the_pose(const VoxelGrid& grid, const std::vector<Point>& scan,
                           const Eigen::Matrix4f& matrix, double mean_range_m);

/// Adds the information of the flat voxels under at most 256 scan points. The worse conditioned of the two
/// gives the weak direction.
void add_surfaces(const VoxelGrid& grid, const std::vector<Point>& scan, const Eigen::Matrix4f& matrix,
                  const Pose& pose, double mean_range_m, Conditioning& conditioning);

/// Adds what pushes of 3/4 voxel edge cost at most 512 points, both ways along the two directions that the
/// surfaces hold least.
void add_pushes(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
                const Eigen::Matrix4f& matrix, double mean_range_m, Conditioning& conditioning);

}  // namespace ndt::cpu_pclomp_ref
