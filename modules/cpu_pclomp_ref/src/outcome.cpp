#include "outcome.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>

#include "conditioning.hpp"
#include "ndt/core/finite_points.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

/// Minus the inverse of the Hessian's x-y block alone.
std::optional<PositionCovariance> laplace_covariance(const Matrix6d& hessian) {
  const Eigen::Matrix2d block = -hessian.topLeftCorner<2, 2>();
  if (Eigen::LLT<Eigen::Matrix2d>(block).info() != Eigen::Success) return std::nullopt;
  const Eigen::Matrix2d inverse = block.inverse();
  return PositionCovariance{inverse(0, 0), inverse(0, 1), inverse(1, 1)};
}

}  // namespace

Mat6 to_mat6(const Matrix6d& h) {
  Mat6 out;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out(i, j) = h(i, j);
  return out;
}

int count_oscillations(const std::vector<Eigen::Vector3d>& positions) {
  int run = 0, longest = 0;
  for (std::size_t i = 2; i < positions.size(); ++i) {
    const Eigen::Vector3d now = positions[i] - positions[i - 1], before = positions[i - 1] - positions[i - 2];
    const double norms = now.norm() * before.norm();
    run = norms > 0 && now.dot(before) / norms < -0.9 ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

void fill_sums(const Sums& sums, std::size_t points, const Pose& pose, AlignResult& result) {
  result.correspondences = sums.pairs;
  result.score = sums.score;
  result.transform_probability = sums.probability(points);
  result.nvtl = sums.nvtl();
  result.hessian = to_mat6(sums.hessian);
  result.derivative_pose = pose;
}

void judge(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
           const Eigen::Matrix4f& matrix, const Matrix6d& hessian, AlignResult& result) {
  const double range_m = mean_range_m(scan);
  result.conditioning = conditioning_of(hessian, range_m);
  result.laplace_covariance = laplace_covariance(hessian);
  if (result.stop != Stop::converged && result.stop != Stop::max_iterations) return;
  add_surfaces(grid, scan, matrix, result.derivative_pose, range_m, result.conditioning);
  if (result.stop == Stop::converged) add_pushes(grid, constants, scan, matrix, range_m, result.conditioning);
  const Conditioning& c = result.conditioning;
  if (!(result.stop == Stop::converged ? c.well_posed() : c.surfaces_fix_the_pose()))
    result.stop = Stop::degenerate;
}

}  // namespace ndt::cpu_pclomp_ref
