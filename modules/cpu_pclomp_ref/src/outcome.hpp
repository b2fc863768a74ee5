// The end of every alignment of the oracle: the numbers of its last sums, and how far its pose can be
// trusted.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "score.hpp"

namespace ndt::cpu_pclomp_ref {

Mat6 to_mat6(const Matrix6d& hessian);

/// Longest run of consecutive position steps that reverse the one before (cosine below -0.9); a zero step
/// ends a run.
int count_oscillations(const std::vector<Eigen::Vector3d>& positions);

/// Copies the sums at `pose` of a scan with `points` finite points.
void fill_sums(const Sums& sums, std::size_t points, const Pose& pose, AlignResult& result);

/// Adds conditioning and covariance at the final pose, whose sums the result has, and calls it degenerate if
/// it ended by its step rule or at the limit without being fixed.
void judge(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
           const Eigen::Matrix4f& matrix, const Matrix6d& hessian, AlignResult& result);

}  // namespace ndt::cpu_pclomp_ref
