#include "ndt/localization/covariance.hpp"

#include <algorithm>
#include <cmath>

#include "ndt/localization/beside.hpp"
#include "ndt/localization/gates.hpp"

namespace ndt::localization {
namespace {

/// As differences from the first pose: coordinates of a map may be large.
Scatter about_the_first(std::span<const Transform> poses, std::span<const double> weights) {
  Scatter scatter;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    scatter.mean_x += weights[k] * (poses[k](0, 3) - poses[0](0, 3));
    scatter.mean_y += weights[k] * (poses[k](1, 3) - poses[0](1, 3));
  }
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const double x = poses[k](0, 3) - poses[0](0, 3) - scatter.mean_x,
                 y = poses[k](1, 3) - poses[0](1, 3) - scatter.mean_y;
    scatter.covariance.xx += weights[k] * x * x;
    scatter.covariance.xy += weights[k] * x * y;
    scatter.covariance.yy += weights[k] * y * y;
  }
  return scatter;
}

PositionCovariance scaled(const PositionCovariance& c, double factor) {
  return {factor * c.xx, factor * c.xy, factor * c.yy};
}

std::vector<double> softmax(const std::vector<double>& values, double temperature) {
  const double largest = *std::ranges::max_element(values);
  std::vector<double> weights;
  double sum = 0;
  for (const double value : values) sum += weights.emplace_back(std::exp((value - largest) / temperature));
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::optional<PositionCovariance> covariance_of(const std::optional<Scatter>& scatter) {
  return scatter ? std::optional(scatter->covariance) : std::nullopt;
}

bool finite(const PositionCovariance& c) {
  return std::isfinite(c.xx) && std::isfinite(c.xy) && std::isfinite(c.yy);
}

/// `why` it is not there, unless it is.
Estimate estimate(const std::optional<PositionCovariance>& xy, const char* why) {
  if (!xy) return {std::nullopt, why};
  if (!finite(*xy)) return {std::nullopt, "the estimate is not finite"};
  return {xy, ""};
}

}  // namespace

Scatter scatter_of(std::span<const Transform> poses, std::span<const double> weights) {
  Scatter scatter = about_the_first(poses, weights);
  scatter.mean_x += poses[0](0, 3);
  scatter.mean_y += poses[0](1, 3);
  return scatter;
}

std::optional<Scatter> multi_ndt(const AlignResult& result, std::span<const AlignResult> beside) {
  for (const AlignResult& other : beside)
    if (no_pose(other.stop) != Reason::none) return std::nullopt;
  std::vector<Transform> poses{result.map_from_scan};
  for (const AlignResult& other : beside) poses.push_back(other.map_from_scan);
  const auto count = static_cast<double>(poses.size());
  Scatter scatter = scatter_of(poses, std::vector<double>(poses.size(), 1 / count));
  scatter.covariance = scaled(scatter.covariance, (count - 1) / count);
  return scatter;
}

Scatter multi_ndt_score(Aligner& aligner, const Scan& scan, const AlignResult& result,
                        std::span<const Offset> offsets, double temperature) {
  std::vector<Transform> poses = poses_beside(result.map_from_scan, offsets);
  std::vector<Score> scores(poses.size());
  aligner.score_batch(scan, poses, scores);
  poses.insert(poses.begin(), result.map_from_scan);
  std::vector<double> nvtl{result.nvtl};
  for (const Score& score : scores) nvtl.push_back(score.nvtl);
  return scatter_of(poses, softmax(nvtl, temperature));
}

Estimate estimated(Aligner& aligner, const Scan& scan, const AlignResult& result,
                   std::span<const AlignResult> beside, const LocalizerOptions& options) {
  switch (options.covariance) {
    case CovarianceMode::fixed: return {};
    case CovarianceMode::laplace:
      return estimate(result.laplace_covariance, "the score's curvature cannot be inverted");
    case CovarianceMode::multi_ndt:
      return estimate(covariance_of(multi_ndt(result, beside)),
                      "an alignment from beside the pose stopped without one");
    case CovarianceMode::multi_ndt_score: break;
  }
  return estimate(
      multi_ndt_score(aligner, scan, result, options.offsets, options.covariance_temperature).covariance, "");
}

Mat6 pose_covariance(const Transform& map_from_scan, const std::optional<PositionCovariance>& estimate,
                     const LocalizerOptions& options) {
  std::optional<PositionCovariance> xy;
  if (estimate)
    xy = with_variance_floor(scaled(*estimate, options.covariance_scale), map_from_scan,
                             options.covariance_floor_m2.value_or(options.position_variance_m2));
  return ndt::pose_covariance(xy, options.position_variance_m2, options.angle_variance_rad2);
}

}  // namespace ndt::localization
