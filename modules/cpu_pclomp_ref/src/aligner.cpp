#include "ndt/cpu_pclomp_ref/aligner.hpp"

#include <omp.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ndt/core/error.hpp"
#include "score.hpp"
#include "voxel_grid.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

Eigen::Matrix4f to_float(const Transform& t) {
  Eigen::Matrix4f m;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) m(i, j) = static_cast<float>(t(i, j));
  return m;
}

Transform to_double(const Eigen::Matrix4f& m) {
  Transform t;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) t(i, j) = static_cast<double>(m(i, j));
  return t;
}

/// The reference's pose vector of a matrix: polar factor and Euler angles in float32, roll in [0, pi].
Pose pose_of(const Eigen::Matrix4f& matrix) {
  Eigen::Transform<float, 3, Eigen::Affine, Eigen::ColMajor> transform;
  transform.matrix() = matrix;
  const Eigen::Vector3f t = transform.translation();
  const Eigen::Vector3f angles = transform.rotation().eulerAngles(0, 1, 2);
  return {t(0), t(1), t(2), angles(0), angles(1), angles(2)};
}

/// The reference's matrix of a pose vector: every factor in float32.
Eigen::Matrix4f matrix_of(const Pose& p) {
  return (Eigen::Translation<float, 3>(static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)) *
          Eigen::AngleAxis<float>(static_cast<float>(p.roll), Eigen::Vector3f::UnitX()) *
          Eigen::AngleAxis<float>(static_cast<float>(p.pitch), Eigen::Vector3f::UnitY()) *
          Eigen::AngleAxis<float>(static_cast<float>(p.yaw), Eigen::Vector3f::UnitZ()))
      .matrix();
}

Pose advanced(const Pose& p, const Vector6d& step) {
  return {p.x + step(0), p.y + step(1), p.z + step(2), p.roll + step(3), p.pitch + step(4), p.yaw + step(5)};
}

/// Longest run of consecutive position steps that reverse the one before (cosine below -0.9); a zero step ends a run.
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

Conditioning conditioning_of(const Matrix6d& hessian, double mean_range_m) {
  Vector6d per_metre = Vector6d::Ones();
  if (mean_range_m > 0) per_metre.tail<3>().setConstant(1 / mean_range_m);
  const Matrix6d scaled = -(per_metre.asDiagonal() * hessian * per_metre.asDiagonal());
  const Eigen::SelfAdjointEigenSolver<Matrix6d> solver(scaled);
  const double lowest = solver.eigenvalues()(0), highest = solver.eigenvalues()(5);
  Conditioning result;
  result.condition_number = lowest > 0 ? highest / lowest : std::numeric_limits<double>::infinity();
  for (int i = 0; i < 6; ++i) result.weak_direction[i] = solver.eigenvectors()(i, 0);
  return result;
}

Vec6 to_vec6(const Vector6d& v) {
  Vec6 out;
  for (int i = 0; i < 6; ++i) out[i] = v(i);
  return out;
}

Mat6 to_mat6(const Matrix6d& h) {
  Mat6 out;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out(i, j) = h(i, j);
  return out;
}

class ReferenceAligner final : public Aligner {
 public:
  explicit ReferenceAligner(const AlignOptions& options)
      : options_(options),
        constants_(options.outlier_ratio, options.resolution_m),
        threads_(options.threads > 0 ? options.threads : omp_get_num_procs()) {}

  MapInfo set_map(const PointCloud& map) override {
    const FinitePoints finite = finite_points(map);
    auto grid = std::make_unique<VoxelGrid>(finite.points, options_);
    const MapInfo info{static_cast<std::int64_t>(finite.points.size()),
                       finite.dropped,
                       static_cast<std::int64_t>(grid->leaves().size()),
                       {}};
    if (grid->leaves().empty()) throw_no_valid_voxel(info, grid->occupied_voxels(), options_);
    grid_ = std::move(grid);
    return info;
  }

  AlignResult align(const PointCloud& cloud, const Transform& guess, const PerScan& per_scan) override;

  Evaluation evaluate(const PointCloud& cloud, const Transform& pose, const PerScan& per_scan) override {
    require_map("evaluate");
    require_rigid(pose, "evaluate");
    const FinitePoints scan = finite_points(cloud);
    const Eigen::Matrix4f matrix = to_float(pose);
    Evaluation out;
    out.derivative_pose = pose_of(matrix);
    const Sums sums = sums_at(scan.points, matrix, out.derivative_pose, per_scan);
    out.score = sums.score;
    out.transform_probability = probability(sums, scan.points);
    out.nvtl = sums.nvtl();
    out.correspondences = sums.pairs;
    out.points_with_voxels = sums.points_with_voxels;
    out.dropped_points = scan.dropped;
    out.gradient = to_vec6(sums.gradient);
    out.hessian = to_mat6(sums.hessian);
    if (per_scan.point_scores) out.point_scores = nearest_voxel_scores(*grid_, constants_, scan.points, matrix);
    return out;
  }

  std::vector<VoxelRow> voxels() const override {
    require_map("voxels");
    std::vector<VoxelRow> rows;
    for (const Leaf& leaf : grid_->leaves()) {
      const auto sym = [](const Eigen::Matrix3d& m) {
        return Sym3<double>{m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
      };
      rows.push_back({{leaf.key[0], leaf.key[1], leaf.key[2]},
                      leaf.points,
                      {leaf.centroid(0), leaf.centroid(1), leaf.centroid(2)},
                      {leaf.mean(0), leaf.mean(1), leaf.mean(2)},
                      sym(leaf.covariance),
                      sym(leaf.inverse_covariance_transposed.transpose())});
    }
    return rows;
  }

 private:
  void require_map(const char* where) const {
    if (!grid_) throw std::logic_error(std::string(where) + ": set_map was not called");
  }
  static double probability(const Sums& sums, const std::vector<Point>& scan) {
    return scan.empty() ? 0.0 : sums.score / static_cast<double>(scan.size());
  }
  Sums sums_at(const std::vector<Point>& scan, const Eigen::Matrix4f& matrix, const Pose& pose,
               const PerScan& per_scan) const {
    Sums sums = sum_derivatives(*grid_, constants_, scan, matrix, pose, threads_);
    if (per_scan.regularisation)
      add_regularisation(*per_scan.regularisation, options_.regularisation_scale, pose, sums);
    return sums;
  }

  AlignOptions options_;
  GaussConstants constants_;
  int threads_;
  std::unique_ptr<VoxelGrid> grid_;
};

/// Solution of H d = -g with the reference's SVD: minimum norm where H is singular.
Vector6d newton_direction(const Sums& sums) {
  const Eigen::JacobiSVD<Matrix6d> svd(sums.hessian, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.solve(-sums.gradient);
}

AlignResult ReferenceAligner::align(const PointCloud& cloud, const Transform& guess, const PerScan& per_scan) {
  require_map("align");
  require_rigid(guess, "align");
  const FinitePoints scan = finite_points(cloud);
  AlignResult result;
  result.dropped_points = scan.dropped;

  Eigen::Matrix4f matrix = to_float(guess);
  Pose pose = pose_of(matrix);
  const Sums at_guess = sums_at(scan.points, matrix, pose, per_scan);
  const Pose pose_of_guess = pose;
  Sums sums = at_guess;
  std::vector<Eigen::Vector3d> positions;
  double step = 0;
  const auto record = [&] {
    positions.push_back(matrix.block<3, 1>(0, 3).cast<double>());
    if (per_scan.trace)
      result.trace.push_back({to_double(matrix), sums.score, probability(sums, scan.points), sums.nvtl(), step});
  };
  record();
  ++result.evaluations;

  bool step_rule_met = false;
  bool finite = sums.gradient.allFinite() && sums.hessian.allFinite();
  while (finite && sums.pairs > 0 && !step_rule_met && result.iterations < options_.max_iterations) {
    Vector6d direction = newton_direction(sums);
    const double length = direction.norm();
    finite = std::isfinite(length);
    step_rule_met = length == 0;
    if (!finite || step_rule_met) break;
    direction /= length;
    const double slope = sums.gradient.dot(direction);
    if (slope < 0) direction = -direction;
    step = slope == 0 ? 0.0 : std::max(std::min(length, options_.step_m), options_.epsilon_m / 2);
    if (Eigen::LLT<Matrix6d>(-sums.hessian).info() != Eigen::Success) ++result.newton_fallbacks;

    pose = advanced(pose, step * direction);
    matrix = matrix_of(pose);
    sums = sums_at(scan.points, matrix, pose, per_scan);
    finite = sums.gradient.allFinite() && sums.hessian.allFinite();
    ++result.iterations;
    ++result.evaluations;
    record();
    step_rule_met = step < options_.epsilon_m;
  }

  result.map_from_scan = result.iterations > 0 ? to_double(matrix) : guess;
  if (!finite || sums.pairs == 0) {
    result.stop = finite ? Stop::no_overlap : Stop::non_finite;
    result.map_from_scan = guess;
    pose = pose_of_guess;
    sums = at_guess;
  }
  result.oscillation_count = count_oscillations(positions);
  result.correspondences = sums.pairs;
  result.score = sums.score;
  result.transform_probability = probability(sums, scan.points);
  result.nvtl = sums.nvtl();
  result.hessian = to_mat6(sums.hessian);
  result.derivative_pose = pose;
  if (finite && sums.pairs > 0) {
    result.conditioning = conditioning_of(sums.hessian, mean_range_m(scan.points));
    result.stop = !step_rule_met                     ? Stop::max_iterations
                  : result.conditioning.well_posed() ? Stop::converged
                                                     : Stop::degenerate;
  }
  return result;
}

}  // namespace

std::unique_ptr<Aligner> make_aligner(const AlignOptions& options) {
  validate(options);
  require_reference_schedule(options, "cpu_pclomp_ref");
  return std::make_unique<ReferenceAligner>(options);
}

}  // namespace ndt::cpu_pclomp_ref
