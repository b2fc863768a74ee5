// The functions of Autoware's estimate_covariance.hpp, which its node calls after an alignment: how uncertain
// x and y are. Header-only; needs PCL.
//
// Alignments and scores beside a pose go to the implementation together, so that a GPU takes them at once.
#pragma once

#include <Eigen/LU>
#include <tuple>
#include <utility>

#include "ndt/pcl/autoware.hpp"

namespace ndt::autoware {

/// The class as the node uses it.
using Ndt = MultiGridNormalDistributionsTransform<::pcl::PointXYZ, ::pcl::PointXYZ>;
/// A scan of the node.
using ScanConstPtr = ::pcl::PointCloud<::pcl::PointXYZ>::ConstPtr;

/// Positions around a pose, and how they scatter.
struct ResultOfMultiNdtCovarianceEstimation {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();        ///< of x and y [m]
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  ///< of x and y [m^2]
  std::vector<Eigen::Matrix4f> ndt_initial_poses;        ///< the poses beside, as given
  std::vector<NdtResult> ndt_results;                    ///< a result for each
};

namespace detail {

inline Eigen::Vector2d xy_of(const Eigen::Matrix4f& pose) {
  return pose.topRightCorner<2, 1>().cast<double>();
}
inline Eigen::Matrix2d turn_of(const Eigen::Matrix4f& pose) {
  return pose.topLeftCorner<2, 2>().cast<double>();
}

}  // namespace detail

/// The inverse of the score's curvature in x and y, with its sign changed [m^2].
inline Eigen::Matrix2d estimate_xy_covariance_by_laplace_approximation(
    const Eigen::Matrix<double, 6, 6>& hessian) {
  return -hessian.topLeftCorner<2, 2>().inverse();
}

/// The pose, moved by each offset in the vehicle's frame [m]. Throws std::invalid_argument for lists of
/// different lengths.
inline std::vector<Eigen::Matrix4f> propose_poses_to_search(const NdtResult& ndt_result,
                                                            const std::vector<double>& offset_x,
                                                            const std::vector<double>& offset_y) {
  if (offset_x.size() != offset_y.size())
    throw std::invalid_argument("propose_poses_to_search: " + std::to_string(offset_x.size()) +
                                " offsets in x and " + std::to_string(offset_y.size()) +
                                " in y; give equally many of both");
  std::vector<Eigen::Matrix4f> poses;
  for (std::size_t k = 0; k < offset_x.size(); ++k) {
    const Eigen::Vector2d moved =
        detail::turn_of(ndt_result.pose) * Eigen::Vector2d(offset_x[k], offset_y[k]);
    poses.push_back(ndt_result.pose);
    poses.back().topRightCorner<2, 1>() += moved.cast<float>();
  }
  return poses;
}

/// Shares of exp(score / temperature); they add up to 1.
inline std::vector<double> calc_weight_vec(const std::vector<double>& score_vec, double temperature) {
  std::vector<double> weights;
  if (score_vec.empty()) return weights;
  const double best = *std::ranges::max_element(score_vec);
  double sum = 0;
  for (const double score : score_vec) sum += weights.emplace_back(std::exp((score - best) / temperature));
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Mean and covariance of positions whose weights add up to 1.
inline std::pair<Eigen::Vector2d, Eigen::Matrix2d> calculate_weighted_mean_and_cov(
    const std::vector<Eigen::Vector2d>& pose_2d_vec, const std::vector<double>& weight_vec) {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
  for (std::size_t k = 0; k < pose_2d_vec.size(); ++k) mean += weight_vec[k] * pose_2d_vec[k];
  for (std::size_t k = 0; k < pose_2d_vec.size(); ++k) {
    const Eigen::Vector2d away = pose_2d_vec[k] - mean;
    covariance += weight_vec[k] * away * away.transpose();
  }
  return {mean, covariance};
}

/// Scatter of the result and of alignments from the poses beside it, all with the same weight. The covariance
/// is times (n - 1) / n, as in Autoware.
inline ResultOfMultiNdtCovarianceEstimation estimate_xy_covariance_by_multi_ndt(
    const NdtResult& ndt_result, Ndt& ndt_ref, const std::vector<Eigen::Matrix4f>& poses_to_search,
    const ScanConstPtr& source) {
  ResultOfMultiNdtCovarianceEstimation out;
  out.ndt_initial_poses = poses_to_search;
  out.ndt_results = ndt_ref.alignEach(poses_to_search, source);
  std::vector<Eigen::Vector2d> places{detail::xy_of(ndt_result.pose)};
  for (const NdtResult& beside : out.ndt_results) places.push_back(detail::xy_of(beside.pose));
  const auto n = static_cast<double>(places.size());
  std::tie(out.mean, out.covariance) =
      calculate_weighted_mean_and_cov(places, std::vector<double>(places.size(), 1 / n));
  out.covariance *= (n - 1) / n;
  return out;
}

/// Scatter of the result and of the poses beside it, weighted by exp(NVTL / temperature).
inline ResultOfMultiNdtCovarianceEstimation estimate_xy_covariance_by_multi_ndt_score(
    const NdtResult& ndt_result, Ndt& ndt_ref, const std::vector<Eigen::Matrix4f>& poses_to_search,
    const ScanConstPtr& source, double temperature) {
  ResultOfMultiNdtCovarianceEstimation out;
  out.ndt_initial_poses = poses_to_search;
  std::vector<Eigen::Vector2d> places{detail::xy_of(ndt_result.pose)};
  std::vector<double> nvtl{static_cast<double>(ndt_result.nearest_voxel_transformation_likelihood)};
  const std::vector<Score> scores = ndt_ref.scoreEach(poses_to_search, *source);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    places.push_back(detail::xy_of(poses_to_search[k]));
    nvtl.push_back(scores[k].nvtl);
    NdtResult& beside = out.ndt_results.emplace_back();
    beside.pose = poses_to_search[k];
    beside.nearest_voxel_transformation_likelihood = static_cast<float>(scores[k].nvtl);
  }
  std::tie(out.mean, out.covariance) =
      calculate_weighted_mean_and_cov(places, calc_weight_vec(nvtl, temperature));
  return out;
}

/// A covariance of the map's x and y along the vehicle's axes.
inline Eigen::Matrix2d rotate_covariance_to_base_link(const Eigen::Matrix2d& covariance,
                                                      const Eigen::Matrix4f& pose) {
  const Eigen::Matrix2d turn = detail::turn_of(pose);
  return turn.transpose() * covariance * turn;
}

/// Inverse.
inline Eigen::Matrix2d rotate_covariance_to_map(const Eigen::Matrix2d& covariance,
                                                const Eigen::Matrix4f& pose) {
  const Eigen::Matrix2d turn = detail::turn_of(pose);
  return turn * covariance * turn.transpose();
}

/// A covariance of the map's x and y with its variances along the vehicle's axes raised to the fixed ones.
inline Eigen::Matrix2d adjust_diagonal_covariance(const Eigen::Matrix2d& covariance,
                                                  const Eigen::Matrix4f& pose, double fixed_cov00,
                                                  double fixed_cov11) {
  Eigen::Matrix2d along = rotate_covariance_to_base_link(covariance, pose);
  along(0, 0) = std::max(along(0, 0), fixed_cov00);
  along(1, 1) = std::max(along(1, 1), fixed_cov11);
  return rotate_covariance_to_map(along, pose);
}

}  // namespace ndt::autoware
