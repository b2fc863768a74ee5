// Score, gradient, Hessian and nearest-voxel score of a scan at one pose: the reference's textbook sums,
// float64 per pair.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/core/pose.hpp"
#include "voxel_grid.hpp"
#include "windows.hpp"

namespace ndt::cpu_pclomp_ref {

/// First and second derivatives of R(roll, pitch, yaw) x as tables that are multiplied with x. [Magnusson
/// 2009, eq. 6.19, 6.21] They are written out for R = Rx Ry Rz. Angles below 1e-4 rad count as zero here (and
/// only here), as in the reference.
struct AngleTables {
  explicit AngleTables(const Pose& pose, HessianForm form = HessianForm::exact);

  /// Non-zero rows of dR/droll (y, z), dR/dpitch (x, y, z), dR/dyaw (x, y, z).
  Eigen::Matrix<double, 8, 3> first;
  /// Non-zero rows of the second derivatives: roll-roll (y, z), roll-pitch (y, z), roll-yaw (y, z),
  /// pitch-pitch (x, y, z), pitch-yaw (x, y, z), yaw-yaw (x, y, z).
  Eigen::Matrix<double, 15, 3> second;
};

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// d1 and d2 of the mixture approximation.  [Magnusson 2009, eq. 6.8]
struct GaussConstants {
  GaussConstants(double outlier_ratio, double resolution_m);
  /// The constants of windows.
  static GaussConstants of_windows() { return {}; }
  double d1 = -1, d2 = 0.5;

 private:
  GaussConstants() = default;
};

struct Sums {
  double score = 0;
  Vector6d gradient = Vector6d::Zero();
  Matrix6d hessian = Matrix6d::Zero();
  double nearest_voxel_score = 0;  ///< sum over points of their largest pair score
  std::int64_t pairs = 0;          ///< point-voxel pairs
  std::int64_t points_with_voxels = 0;

  Sums& operator+=(const Sums& other);
  double probability(std::size_t points) const {
    return points > 0 ? score / static_cast<double>(points) : 0.0;
  }
  double nvtl() const {
    return points_with_voxels > 0 ? nearest_voxel_score / static_cast<double>(points_with_voxels) : 0.0;
  }
};

/// Sums over all scan points moved by `matrix` (float32 arithmetic, unfused); derivatives at the angles of
/// `pose`. Gives the same bits for every number of threads, because points are summed in fixed chunks, and
/// chunks in order.
Sums sum_derivatives(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
                     const Eigen::Matrix4f& matrix, const Pose& pose, int threads,
                     HessianForm form = HessianForm::exact);

/// Sums the same over every stride-th point, moved in float64 by the pose itself. Only the neighbours are
/// looked up at the point's float32 position. negative_curvature: the share that the Hessian keeps of two
/// parts. Both can make it indefinite: -d2 u uᵀ of a pair and the second derivatives of the rotation. A share
/// of 1 gives the true Hessian, 0 the one of least squares with fixed weights.
Sums sum_derivatives(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
                     const Pose& pose, double negative_curvature, int stride, int threads);

/// Sums the same with each point's own window.
Sums sum_derivatives(const Windows& windows, const std::vector<Point>& scan, const Pose& pose, int threads);

/// Largest pair score of every scan point, 0 without a voxel.
std::vector<float> nearest_voxel_scores(const VoxelGrid& grid, const GaussConstants& constants,
                                        const std::vector<Point>& scan, const Eigen::Matrix4f& matrix);

/// The pull towards target along the heading, float32, weighted by the number of pairs.
void add_regularisation(const RegularisationTarget& target, double scale, const Pose& pose, Sums& sums);

}  // namespace ndt::cpu_pclomp_ref
