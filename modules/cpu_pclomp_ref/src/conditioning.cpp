#include "conditioning.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ndt::cpu_pclomp_ref {
namespace {

constexpr std::size_t kSurfacePoints = 256;

Vector6d per_metre(double mean_range_m) {
  Vector6d scale = Vector6d::Ones();
  if (mean_range_m > 0) scale.tail<3>().setConstant(1 / mean_range_m);
  return scale;
}

double condition_of(const Vector6d& ascending) {
  return ascending(0) > 0 ? ascending(5) / ascending(0) : std::numeric_limits<double>::infinity();
}

/// The neighbour with the smallest Mahalanobis distance, which is the one with the largest score.
const Leaf* best_leaf(const VoxelGrid& grid, const Eigen::Vector3f& moved,
                      std::vector<Neighbour>& neighbours) {
  grid.find_neighbours(moved.data(), neighbours);
  const Leaf* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Neighbour& n : neighbours) {
    const Leaf& leaf = grid.leaves()[n.leaf];
    const Eigen::Vector3d q = moved.cast<double>() - leaf.mean;
    const double distance = q.dot(leaf.inverse_covariance_transposed * q);
    if (distance < least) least = distance, best = &leaf;
  }
  return best;
}

/// Σ w JᵀnnᵀJ with J = [I | -[Rx]ₓ], where rotations are about the map's axes through the scan's origin.
Matrix6d surface_information(const VoxelGrid& grid, const std::vector<Point>& scan,
                             const Eigen::Matrix4f& matrix, std::size_t most) {
  Matrix6d information = Matrix6d::Zero();
  const Eigen::Matrix3f rotation = matrix.topLeftCorner<3, 3>();
  const Eigen::Vector3f translation = matrix.topRightCorner<3, 1>();
  const std::size_t count = std::min(scan.size(), most);
  std::vector<Neighbour> neighbours;
  for (std::size_t i = 0; i < count; ++i) {
    const Point& p = scan[i * scan.size() / count];
    const Eigen::Vector3f lever = rotation * Eigen::Vector3f(p.x, p.y, p.z);
    const Leaf* leaf = best_leaf(grid, lever + translation, neighbours);
    if (leaf == nullptr) continue;
    Vector6d j;
    j << leaf->normal, lever.cast<double>().cross(leaf->normal);
    information += leaf->flatness * j * j.transpose();
  }
  return information;
}

using Solver6 = Eigen::SelfAdjointEigenSolver<Matrix6d>;

Solver6 surface_solver(const VoxelGrid& grid, const std::vector<Point>& scan, const Eigen::Matrix4f& matrix,
                       double mean_range_m, std::size_t most) {
  const Vector6d scale = per_metre(mean_range_m);
  return Solver6(scale.asDiagonal() * surface_information(grid, scan, matrix, most) * scale.asDiagonal());
}

/// Converts rotations about the map's axes to rates of roll, pitch and yaw, by the axes that these turn
/// about.
Eigen::Vector3d angle_rates(const Pose& pose, const Eigen::Vector3d& turn) {
  const Eigen::AngleAxisd roll(pose.roll, Eigen::Vector3d::UnitX()),
      pitch(pose.pitch, Eigen::Vector3d::UnitY());
  Eigen::Matrix3d axes;
  axes << Eigen::Vector3d::UnitX(), roll * Eigen::Vector3d::UnitY(),
      roll * (pitch * Eigen::Vector3d::UnitZ());
  return axes.inverse() * turn;
}

/// Mean of held - pushed over its standard error; 0 unless the mean is positive. `score_error`: part of that
/// error, over the mean of held, which is not of the points.
double sigmas_of_loss(const std::vector<float>& held, const std::vector<float>& pushed, double score_error) {
  const auto as_double = [](const std::vector<float>& v) {
    return Eigen::Map<const Eigen::ArrayXf>(v.data(), static_cast<Eigen::Index>(v.size())).cast<double>();
  };
  const Eigen::ArrayXd loss = as_double(held) - as_double(pushed);
  const double mean = loss.size() > 0 ? loss.mean() : 0;
  if (!(mean > 0)) return 0;
  const double variance = std::max((loss - mean).square().mean(), 1e-9 * mean * mean);
  const double coarse = score_error * as_double(held).mean();
  return mean / std::hypot(std::sqrt(variance / static_cast<double>(loss.size())), coarse);
}

}  // namespace

Conditioning conditioning_of(const Matrix6d& hessian, double mean_range_m) {
  const Vector6d scale = per_metre(mean_range_m);
  const Eigen::SelfAdjointEigenSolver<Matrix6d> solver(-(scale.asDiagonal() * hessian * scale.asDiagonal()));
  Conditioning result;
  result.condition_number = condition_of(solver.eigenvalues());
  for (int i = 0; i < 6; ++i) result.weak_direction[i] = solver.eigenvectors()(i, 0);
  return result;
}

bool surfaces_fix_the_pose(const VoxelGrid& grid, const std::vector<Point>& scan,
                           const Eigen::Matrix4f& matrix, double mean_range_m) {
  constexpr std::size_t kFewPoints = 64;
  constexpr double kLeastShare = 1.0 / 3000;
  const Vector6d eigenvalues = surface_solver(grid, scan, matrix, mean_range_m, kFewPoints).eigenvalues();
  return eigenvalues.sum() > 0 && eigenvalues.minCoeff() > kLeastShare * eigenvalues.sum();
}

void add_surfaces(const VoxelGrid& grid, const std::vector<Point>& scan, const Eigen::Matrix4f& matrix,
                  const Pose& pose, double mean_range_m, Conditioning& conditioning) {
  const Solver6 solver = surface_solver(grid, scan, matrix, mean_range_m, kSurfacePoints);
  conditioning.surface_condition_number = condition_of(solver.eigenvalues());
  if (conditioning.surface_condition_number / kMaxSurfaceConditionNumber <=
      conditioning.condition_number / kMaxConditionNumber)
    return;
  Vector6d weak = solver.eigenvectors().col(0);
  weak.tail<3>() = angle_rates(pose, weak.tail<3>());
  weak.normalize();
  for (int i = 0; i < 6; ++i) conditioning.weak_direction[i] = weak(i);
}

void add_pushes(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
                const Eigen::Matrix4f& matrix, double mean_range_m, Conditioning& conditioning) {
  constexpr std::size_t kPoints = 512;
  constexpr double kPushPerEdge = 0.75;
  const double share_of_edge = std::min(grid.resolution_m() / 2, 1.0);
  const double score_error =
      grid.covariance_start() == CovarianceStart::zero ? 0.025 : 0.0125 * share_of_edge * share_of_edge;
  std::vector<Point> some;
  const std::size_t count = std::min(scan.size(), kPoints);
  for (std::size_t i = 0; i < count; ++i) some.push_back(scan[i * scan.size() / count]);
  const std::vector<float> held = nearest_voxel_scores(grid, constants, some, matrix);

  const Solver6 solver = surface_solver(grid, scan, matrix, mean_range_m, kSurfacePoints);
  const Vector6d scale = per_metre(mean_range_m);
  conditioning.push_sigmas = std::numeric_limits<double>::infinity();
  for (const int direction : {0, 1})
    for (const double way : {-1.0, 1.0}) {
      const Vector6d push =
          way * kPushPerEdge * grid.resolution_m() * scale.cwiseProduct(solver.eigenvectors().col(direction));
      const Eigen::Vector3d turn = push.tail<3>();
      Eigen::Matrix4d pushed = matrix.cast<double>();
      if (turn.norm() > 0)
        pushed.topLeftCorner<3, 3>() =
            Eigen::AngleAxisd(turn.norm(), turn.normalized()) * pushed.topLeftCorner<3, 3>();
      pushed.topRightCorner<3, 1>() += push.head<3>();
      const std::vector<float> scores = nearest_voxel_scores(grid, constants, some, pushed.cast<float>());
      conditioning.push_sigmas =
          std::min(conditioning.push_sigmas, sigmas_of_loss(held, scores, score_error));
    }
}

}  // namespace ndt::cpu_pclomp_ref
