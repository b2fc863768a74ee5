// The oracle's own answer to how well a scan fixes a pose. Not the reference's: it calls every alignment converged.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "score.hpp"

namespace ndt::cpu_pclomp_ref {

/// -H with rotations per metre of mean range.
Conditioning conditioning_of(const Matrix6d& hessian, double mean_range_m);

/// Adds what the flat voxels under at most 256 scan points say; the worse of the two gives the weak direction.
void add_surfaces(const VoxelGrid& grid, const std::vector<Point>& scan, const Eigen::Matrix4f& matrix,
                  const Pose& pose, double mean_range_m, Conditioning& conditioning);

}  // namespace ndt::cpu_pclomp_ref
