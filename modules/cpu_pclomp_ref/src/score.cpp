#include "score.hpp"

#include <algorithm>
#include <cmath>

#include "angle_tables.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

constexpr std::int64_t kChunk = 128;  // points: balances a few threads, and amortises the fold

/// Jacobian [I | first] and the angular second derivatives of one point, with x the untransformed point.
struct PointDerivatives {
  Eigen::Matrix3d angular;             // columns: roll, pitch, yaw
  Eigen::Matrix<double, 3, 6> second;  // columns: rr, rp, ry, pp, py, yy

  PointDerivatives(const AngleTables& tables, const Eigen::Vector3d& x) {
    const Eigen::Matrix<double, 8, 1> j = tables.first * x;
    angular << 0, j(2), j(5), j(0), j(3), j(6), j(1), j(4), j(7);
    const Eigen::Matrix<double, 15, 1> h = tables.second * x;
    second << 0, 0, 0, h(6), h(9), h(12),      //
        h(0), h(2), h(4), h(7), h(10), h(13),  //
        h(1), h(3), h(5), h(8), h(11), h(14);
  }
};

/// exp(-d2/2 qᵀCq) of a pair, or 0 where the reference drops it: d2 e not in [0, 1], or not a number.
double pair_exponential(const GaussConstants& c, double squared_distance) {
  const double e = std::exp(-c.d2 / 2 * squared_distance);
  return c.d2 * e >= 0 && c.d2 * e <= 1 ? e : 0;
}

/// One point-voxel pair.  [Magnusson 2009, eq. 6.9, 6.12, 6.13]  Only the upper triangle of the Hessian is
/// written.
double add_pair(const GaussConstants& c, const Leaf& leaf, const Eigen::Vector3d& moved,
                const PointDerivatives& d, Sums& sums) {
  const Eigen::Vector3d q = moved - leaf.mean;
  // Far from the origin the inverse is not quite symmetric; the reference multiplies q from the left.
  const Eigen::Matrix3d& transposed = leaf.inverse_covariance_transposed;
  const Eigen::Vector3d cq = transposed * q;
  const double e = pair_exponential(c, q.dot(cq));
  if (e == 0) return 0;
  const double score = -c.d1 * e;
  const double w = c.d2 * e * c.d1;

  Vector6d cqj;
  cqj << cq, d.angular.transpose() * cq;
  sums.score += score;
  sums.gradient += w * cqj;

  const Eigen::Matrix3d cj = transposed * d.angular;
  const Eigen::Matrix3d jcj = d.angular.transpose() * cj;
  const Eigen::Matrix<double, 6, 1> qch = d.second.transpose() * cq;
  static constexpr int kPair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      sums.hessian(i, j) += w * (-c.d2 * cqj(i) * cqj(j) + transposed(i, j));
      sums.hessian(i + 3, j + 3) += w * (-c.d2 * cqj(i + 3) * cqj(j + 3) + qch(kPair[i][j]) + jcj(i, j));
    }
    for (int j = 0; j < 3; ++j) sums.hessian(i, j + 3) += w * (-c.d2 * cqj(i) * cqj(j + 3) + cj(i, j));
  }
  return score;
}

/// Moves a point in float32, with the reference's association and unfused: this target is built with
/// -ffp-contract=off.
void move_point(const Eigen::Matrix4f& m, const Point& p, float out[3]) {
  for (int row = 0; row < 3; ++row)
    out[row] = p.x * m(row, 0) + (p.y * m(row, 1) + (p.z * m(row, 2) + m(row, 3)));
}

Sums sum_chunk(const VoxelGrid& grid, const GaussConstants& constants, const Point* points,
               std::int64_t count, const Eigen::Matrix4f& matrix, const AngleTables& tables,
               std::vector<Neighbour>& neighbours) {
  Sums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    float moved[3];
    move_point(matrix, points[i], moved);
    grid.find_neighbours(moved, neighbours);
    if (neighbours.empty()) continue;
    const PointDerivatives derivatives(tables, Eigen::Vector3d(points[i].x, points[i].y, points[i].z));
    const Eigen::Vector3d moved_double(moved[0], moved[1], moved[2]);
    double largest = 0;
    for (const Neighbour& n : neighbours)
      largest =
          std::max(largest, add_pair(constants, grid.leaves()[n.leaf], moved_double, derivatives, sums));
    sums.nearest_voxel_score += largest;
    sums.pairs += static_cast<std::int64_t>(neighbours.size());
    ++sums.points_with_voxels;
  }
  return sums;
}

}  // namespace

GaussConstants::GaussConstants(double outlier_ratio, double resolution_m) {
  const double c1 = 10 * (1 - outlier_ratio);
  const double c2 = outlier_ratio / std::pow(resolution_m, 3);
  const double d3 = -std::log(c2);
  d1 = -std::log(c1 + c2) - d3;
  d2 = -2 * std::log((-std::log(c1 * std::exp(-0.5) + c2) - d3) / d1);
}

Sums& Sums::operator+=(const Sums& other) {
  score += other.score;
  gradient += other.gradient;
  hessian += other.hessian;
  nearest_voxel_score += other.nearest_voxel_score;
  pairs += other.pairs;
  points_with_voxels += other.points_with_voxels;
  return *this;
}

Sums sum_derivatives(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
                     const Eigen::Matrix4f& matrix, const Pose& pose, int threads) {
  const AngleTables tables(pose);
  const auto n = static_cast<std::int64_t>(scan.size());
  const std::int64_t chunks = (n + kChunk - 1) / kChunk;
  std::vector<Sums> partial(static_cast<std::size_t>(chunks));
#pragma omp parallel num_threads(threads)
  {
    std::vector<Neighbour> neighbours;
#pragma omp for schedule(dynamic)
    for (std::int64_t c = 0; c < chunks; ++c)
      partial[static_cast<std::size_t>(c)] =
          sum_chunk(grid, constants, scan.data() + c * kChunk, std::min(kChunk, n - c * kChunk), matrix,
                    tables, neighbours);
  }
  Sums total;
  for (const Sums& p : partial) total += p;
  total.hessian.triangularView<Eigen::StrictlyLower>() = total.hessian.transpose();
  return total;
}

std::vector<float> nearest_voxel_scores(const VoxelGrid& grid, const GaussConstants& constants,
                                        const std::vector<Point>& scan, const Eigen::Matrix4f& matrix) {
  std::vector<float> scores;
  scores.reserve(scan.size());
  std::vector<Neighbour> neighbours;
  for (const Point& point : scan) {
    float moved[3];
    move_point(matrix, point, moved);
    grid.find_neighbours(moved, neighbours);
    double largest = 0;
    for (const Neighbour& n : neighbours) {
      const Leaf& leaf = grid.leaves()[n.leaf];
      const Eigen::Vector3d q = Eigen::Vector3d(moved[0], moved[1], moved[2]) - leaf.mean;
      const double squared_distance = q.dot(leaf.inverse_covariance_transposed * q);
      largest = std::max(largest, -constants.d1 * pair_exponential(constants, squared_distance));
    }
    scores.push_back(static_cast<float>(largest));
  }
  return scores;
}

void add_regularisation(const RegularisationTarget& target, double scale, const Pose& pose, Sums& sums) {
  const float dx = static_cast<float>(target.x) - static_cast<float>(pose.x);
  const float dy = static_cast<float>(target.y) - static_cast<float>(pose.y);
  const float s = std::sin(static_cast<float>(pose.yaw));
  const float c = std::cos(static_cast<float>(pose.yaw));
  const float along = dy * s + dx * c;
  const float weight = static_cast<float>(scale) * static_cast<float>(sums.pairs);
  sums.score -= weight * along * along;
  sums.gradient(0) += weight * 2.0F * c * along;
  sums.gradient(1) += weight * 2.0F * s * along;
  sums.hessian(0, 0) -= weight * 2.0F * c * c;
  sums.hessian(0, 1) -= weight * 2.0F * c * s;
  sums.hessian(1, 0) -= weight * 2.0F * c * s;
  sums.hessian(1, 1) -= weight * 2.0F * s * s;
}

}  // namespace ndt::cpu_pclomp_ref
