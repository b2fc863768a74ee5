#include "score.hpp"

#include <algorithm>
#include <cmath>

#include "pose_vectors.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

struct SinCos {
  double s, c;
  explicit SinCos(double angle) : s(std::sin(angle)), c(std::cos(angle)) {
    if (std::abs(angle) < 1e-4) s = 0, c = 1;
  }
};

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
/// written; theta is the share of its negative curvature.
double add_pair(const GaussConstants& c, const Leaf& leaf, const Eigen::Vector3d& moved,
                const PointDerivatives& d, double theta, Sums& sums) {
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
  const Eigen::Matrix<double, 6, 1> qch = theta * (d.second.transpose() * cq);
  const double d2 = theta * c.d2;
  static constexpr int kPair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      sums.hessian(i, j) += w * (-d2 * cqj(i) * cqj(j) + transposed(i, j));
      sums.hessian(i + 3, j + 3) += w * (-d2 * cqj(i + 3) * cqj(j + 3) + qch(kPair[i][j]) + jcj(i, j));
    }
    for (int j = 0; j < 3; ++j) sums.hessian(i, j + 3) += w * (-d2 * cqj(i) * cqj(j + 3) + cj(i, j));
  }
  return score;
}

/// Moves a point in float32, with the reference's association and unfused: this target is built with
/// -ffp-contract=off.
struct MoveInFloat {
  const Eigen::Matrix4f& m;
  Eigen::Vector3d operator()(const Point& p) const {
    const auto row = [&](int r) { return p.x * m(r, 0) + (p.y * m(r, 1) + (p.z * m(r, 2) + m(r, 3))); };
    return {row(0), row(1), row(2)};
  }
};
struct MoveInDouble {
  Eigen::Isometry3d motion;
  Eigen::Vector3d operator()(const Point& p) const { return motion * Eigen::Vector3d(p.x, p.y, p.z); }
};

void find_neighbours(const VoxelGrid& grid, const Eigen::Vector3d& moved, std::vector<Neighbour>& out) {
  const Eigen::Vector3f query = moved.cast<float>();
  grid.find_neighbours(query.data(), out);
}

/// Calls f(leaf) for the leaves that a point is scored against. scratch: room for a search.
template <class F>
void for_each_leaf(const VoxelGrid& grid, const Eigen::Vector3d& moved, std::vector<Neighbour>& scratch,
                   F&& f) {
  find_neighbours(grid, moved, scratch);
  for (const Neighbour& n : scratch) f(grid.leaves()[n.leaf]);
}
template <class F>
void for_each_leaf(const Windows& windows, const Eigen::Vector3d& moved, std::vector<Neighbour>&, F&& f) {
  if (const std::optional<Leaf> leaf = windows.around(moved.cast<float>())) f(*leaf);
}

/// One pass over every stride-th point of a scan.
template <class Map, class Move>
struct Pass {
  const Map& map;
  const GaussConstants& constants;
  const std::vector<Point>& scan;
  AngleTables tables;
  Move move;
  double negative_curvature = 1;
  std::int64_t stride = 1;

  std::int64_t points() const { return (static_cast<std::int64_t>(scan.size()) + stride - 1) / stride; }
  Sums sum(int threads) const;

 private:
  Sums sum_chunk(std::int64_t begin, std::int64_t end, std::vector<Neighbour>& scratch) const;
};

template <class Map, class Move>
Sums Pass<Map, Move>::sum_chunk(std::int64_t begin, std::int64_t end, std::vector<Neighbour>& scratch) const {
  Sums sums;
  for (std::int64_t i = begin; i < end; ++i) {
    const Point& point = scan[static_cast<std::size_t>(i * stride)];
    const Eigen::Vector3d moved = move(point);
    const PointDerivatives derivatives(tables, Eigen::Vector3d(point.x, point.y, point.z));
    double largest = 0;
    std::int64_t pairs = 0;
    for_each_leaf(map, moved, scratch, [&](const Leaf& leaf) {
      ++pairs;
      largest = std::max(largest, add_pair(constants, leaf, moved, derivatives, negative_curvature, sums));
    });
    if (pairs == 0) continue;
    sums.nearest_voxel_score += largest;
    sums.pairs += pairs;
    ++sums.points_with_voxels;
  }
  return sums;
}

template <class Map, class Move>
Sums Pass<Map, Move>::sum(int threads) const {
  const std::int64_t n = points(), chunks = (n + kChunk - 1) / kChunk;
  std::vector<Sums> partial(static_cast<std::size_t>(chunks));
#pragma omp parallel num_threads(threads)
  {
    std::vector<Neighbour> scratch;
#pragma omp for schedule(dynamic)
    for (std::int64_t c = 0; c < chunks; ++c)
      partial[static_cast<std::size_t>(c)] = sum_chunk(c * kChunk, std::min(n, (c + 1) * kChunk), scratch);
  }
  Sums total;
  for (const Sums& p : partial) total += p;
  total.hessian.triangularView<Eigen::StrictlyLower>() = total.hessian.transpose();
  return total;
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
                     const Eigen::Matrix4f& matrix, const Pose& pose, int threads, HessianForm form) {
  return Pass<VoxelGrid, MoveInFloat>{grid, constants, scan, AngleTables(pose, form), {matrix}}.sum(threads);
}

Sums sum_derivatives(const VoxelGrid& grid, const GaussConstants& constants, const std::vector<Point>& scan,
                     const Pose& pose, double negative_curvature, int stride, int threads) {
  return Pass<VoxelGrid, MoveInDouble>{
      grid, constants, scan, AngleTables(pose), {motion_of(pose)}, negative_curvature, stride}
      .sum(threads);
}

Sums sum_derivatives(const Windows& windows, const std::vector<Point>& scan, const Pose& pose, int threads) {
  return Pass<Windows, MoveInDouble>{
      windows, GaussConstants::of_windows(), scan, AngleTables(pose), {motion_of(pose)}}
      .sum(threads);
}

std::vector<float> nearest_voxel_scores(const VoxelGrid& grid, const GaussConstants& constants,
                                        const std::vector<Point>& scan, const Eigen::Matrix4f& matrix) {
  std::vector<float> scores;
  scores.reserve(scan.size());
  std::vector<Neighbour> neighbours;
  for (const Point& point : scan) {
    const Eigen::Vector3d moved = MoveInFloat{matrix}(point);
    find_neighbours(grid, moved, neighbours);
    double largest = 0;
    for (const Neighbour& n : neighbours) {
      const Leaf& leaf = grid.leaves()[n.leaf];
      const Eigen::Vector3d q = moved - leaf.mean;
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

AngleTables::AngleTables(const Pose& pose, HessianForm form) {
  const SinCos x(pose.roll), y(pose.pitch), z(pose.yaw);
  const double pitch_sine = form == HessianForm::autoware_1_9 ? y.s : -y.s;
  first << -x.s * z.s + x.c * y.s * z.c, -x.s * z.c - x.c * y.s * z.s, -x.c * y.c,  // roll, y
      x.c * z.s + x.s * y.s * z.c, x.c * z.c - x.s * y.s * z.s, -x.s * y.c,         // roll, z
      -y.s * z.c, y.s * z.s, y.c,                                                   // pitch, x
      x.s * y.c * z.c, -x.s * y.c * z.s, x.s * y.s,                                 // pitch, y
      -x.c * y.c * z.c, x.c * y.c * z.s, -x.c * y.s,                                // pitch, z
      -y.c * z.s, -y.c * z.c, 0,                                                    // yaw, x
      x.c * z.c - x.s * y.s * z.s, -x.c * z.s - x.s * y.s * z.c, 0,                 // yaw, y
      x.s * z.c + x.c * y.s * z.s, x.c * y.s * z.c - x.s * z.s, 0;                  // yaw, z

  second << -x.c * z.s - x.s * y.s * z.c, -x.c * z.c + x.s * y.s * z.s, x.s * y.c,  // roll-roll, y
      -x.s * z.s + x.c * y.s * z.c, -x.c * y.s * z.s - x.s * z.c, -x.c * y.c,       // roll-roll, z
      x.c * y.c * z.c, -x.c * y.c * z.s, x.c * y.s,                                 // roll-pitch, y
      x.s * y.c * z.c, -x.s * y.c * z.s, x.s * y.s,                                 // roll-pitch, z
      -x.s * z.c - x.c * y.s * z.s, x.s * z.s - x.c * y.s * z.c, 0,                 // roll-yaw, y
      x.c * z.c - x.s * y.s * z.s, -x.s * y.s * z.c - x.c * z.s, 0,                 // roll-yaw, z
      -y.c * z.c, y.c * z.s, pitch_sine,                                            // pitch-pitch, x
      -x.s * y.s * z.c, x.s * y.s * z.s, x.s * y.c,                                 // pitch-pitch, y
      x.c * y.s * z.c, -x.c * y.s * z.s, -x.c * y.c,                                // pitch-pitch, z
      y.s * z.s, y.s * z.c, 0,                                                      // pitch-yaw, x
      -x.s * y.c * z.s, -x.s * y.c * z.c, 0,                                        // pitch-yaw, y
      x.c * y.c * z.s, x.c * y.c * z.c, 0,                                          // pitch-yaw, z
      -y.c * z.c, y.c * z.s, 0,                                                     // yaw-yaw, x
      -x.c * z.s - x.s * y.s * z.c, -x.c * z.c + x.s * y.s * z.s, 0,                // yaw-yaw, y
      -x.s * z.s + x.c * y.s * z.c, -x.c * y.s * z.s - x.s * z.c, 0;                // yaw-yaw, z
}

}  // namespace ndt::cpu_pclomp_ref
