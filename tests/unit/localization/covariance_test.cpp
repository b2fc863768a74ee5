// The covariances against their definitions. Against the reference's numbers: tests/golden.
#include "ndt/localization/covariance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ndt/localization/beside.hpp"
#include "scripted_aligner.hpp"

namespace ndt::localization {
namespace {

Transform pose_at(double x, double y, double yaw = 0) { return to_transform({x, y, 1, 0, 0, yaw}); }

/// Aligns every guess to a pose that is a linear function of it, and scores by the distance from a place.
class Linear : public ScriptedAligner {
 public:
  int scorings = 0;
  double stays = 0;              ///< share of the guess's distance from the origin that the result keeps
  Stop ahead = Stop::converged;  ///< how those end that begin at x above 0.9

  AlignResult align(const Scan&, const Transform& guess, const PerScan&) override {
    AlignResult result;
    result.stop = guess(0, 3) > 0.9 ? ahead : Stop::converged;
    result.map_from_scan = guess;
    result.map_from_scan(0, 3) *= stays, result.map_from_scan(1, 3) *= stays;
    return result;
  }
  void score_batch(const Scan&, std::span<const Transform> poses, std::span<Score> out) override {
    ++scorings;
    for (std::size_t k = 0; k < poses.size(); ++k)
      out[k].nvtl = 3 - 0.1 * std::hypot(poses[k](0, 3), poses[k](1, 3));
  }
};

/// Returns the results of alignments from the usual offsets beside the origin.
std::vector<AlignResult> beside(Linear& aligner) {
  return aligned_beside(aligner, PointCloud{}, {}, LocalizerOptions{}.offsets, {}, {}).covariance;
}

TEST(Covariance, ScatterIsTheWeightedSecondMomentAboutTheMean) {
  const std::vector<Transform> poses{pose_at(1, 0), pose_at(3, 0), pose_at(3, 4)};
  const Scatter got = scatter_of(poses, std::vector{0.5, 0.25, 0.25});
  EXPECT_DOUBLE_EQ(got.mean_x, 2);
  EXPECT_DOUBLE_EQ(got.mean_y, 1);
  EXPECT_DOUBLE_EQ(got.covariance.xx, 1);
  EXPECT_DOUBLE_EQ(got.covariance.yy, 3);
  EXPECT_DOUBLE_EQ(got.covariance.xy, 1);
}

TEST(Covariance, ScatterOfManyDrawsIsTheirDistributions) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<Transform> poses;
  for (int k = 0; k < 40000; ++k) {
    const double along = 0.4 * normal(random), across = 0.1 * normal(random);
    poses.push_back(pose_at(81377 + 0.6 * along - 0.8 * across, 49916 + 0.8 * along + 0.6 * across));
  }
  const Scatter got = scatter_of(poses, std::vector(poses.size(), 1.0 / static_cast<double>(poses.size())));
  // The deviation of a sampled variance is 0.7 % of it.
  EXPECT_NEAR(got.covariance.xx, 0.36 * 0.16 + 0.64 * 0.01, 0.03 * 0.064);
  EXPECT_NEAR(got.covariance.xy, 0.48 * 0.16 - 0.48 * 0.01, 0.03 * 0.072);
  EXPECT_NEAR(got.covariance.yy, 0.64 * 0.16 + 0.36 * 0.01, 0.03 * 0.106);
}

TEST(Covariance, MultiNdtIsTheScatterOfTheResults) {
  Linear aligner;
  aligner.stays = 0.5;
  AlignResult result;
  const Scatter got = multi_ndt(result, beside(aligner)).value();
  // Results at 0, and at half of (0, .5) (0, -.5) (.5, 0) (-.5, 0) (1, 0) (-1, 0): /7, then times 6/7.
  EXPECT_NEAR(got.covariance.xx, 0.25 * 2.5 / 7 * 6 / 7, 1e-15);
  EXPECT_NEAR(got.covariance.yy, 0.25 * 0.5 / 7 * 6 / 7, 1e-15);
}

TEST(Covariance, MultiNdtNeedsEveryAlignmentToGiveAPose) {
  Linear aligner;
  LocalizerOptions options;
  options.covariance = CovarianceMode::multi_ndt;
  for (const Stop stop : {Stop::timeout, Stop::cancelled, Stop::non_finite, Stop::no_overlap}) {
    aligner.ahead = stop;
    EXPECT_FALSE(multi_ndt({}, beside(aligner))) << to_string(stop);
    const Estimate got = estimated(aligner, PointCloud{}, {}, beside(aligner), options);
    EXPECT_FALSE(got.xy);
    EXPECT_EQ(got.missing, "an alignment from beside the pose stopped without one");
  }
  for (const Stop stop : {Stop::max_iterations, Stop::line_search_failed, Stop::degenerate}) {
    aligner.ahead = stop;
    EXPECT_TRUE(multi_ndt({}, beside(aligner))) << to_string(stop);
  }
}

TEST(Covariance, MultiNdtScoreWeighsPlacesByTheirScore) {
  Linear aligner;
  AlignResult result;
  result.nvtl = 3;
  const LocalizerOptions options;
  const Scatter got = multi_ndt_score(aligner, PointCloud{}, result, options.offsets, 0.05);
  const double near = std::exp(-0.05 / 0.05), far = std::exp(-0.1 / 0.05), sum = 1 + 4 * near + 2 * far;
  EXPECT_NEAR(got.covariance.yy, 2 * near * 0.25 / sum, 1e-12);
  EXPECT_NEAR(got.covariance.xx, (2 * near * 0.25 + 2 * far) / sum, 1e-12);
  EXPECT_EQ(aligner.scorings, 1);
}

TEST(Covariance, TheFixedOneLooksTheSameFromEveryHeading) {
  const Mat6 got = pose_covariance(pose_at(5, 6, 1), std::nullopt, {});
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(got(i, j), i != j ? 0 : i < 3 ? 0.0225 : 0.000625);
}

TEST(Covariance, AnEstimateIsScaledThenRaisedAlongTheVehiclesAxes) {
  LocalizerOptions options;
  options.covariance_scale = 2;
  // Heading +y: the vehicle's x variance is the map's y.
  const Mat6 got = pose_covariance(pose_at(0, 0, kPi / 2), PositionCovariance{1e-6, 0, 0.5}, options);
  EXPECT_NEAR(got(0, 0), 0.0225, 1e-15);
  EXPECT_NEAR(got(1, 1), 1.0, 1e-15);
  EXPECT_NEAR(got(0, 1), 0, 1e-15);
  EXPECT_EQ(got(2, 2), 0.0225);
}

TEST(Covariance, TheFloorOfAnEstimateCanBeLoweredOrTakenAway) {
  const PositionCovariance sharp{1e-6, 2e-7, 4e-6};
  LocalizerOptions options;
  options.covariance_floor_m2 = 0;
  const Mat6 bare = pose_covariance(pose_at(0, 0, 0.5), sharp, options);
  EXPECT_NEAR(bare(0, 0), 1e-6, 1e-18);
  EXPECT_NEAR(bare(0, 1), 2e-7, 1e-18);
  EXPECT_NEAR(bare(1, 1), 4e-6, 1e-18);
  EXPECT_EQ(bare(2, 2), 0.0225) << "what is not estimated is the fixed variance all the same";
  options.covariance_floor_m2 = 3e-6;
  const Mat6 raised = pose_covariance(pose_at(0, 0, 0), sharp, options);
  EXPECT_NEAR(raised(0, 0), 3e-6, 1e-18);
  EXPECT_NEAR(raised(1, 1), 4e-6, 1e-18);
  EXPECT_EQ(pose_covariance(pose_at(0, 0, 0.5), std::nullopt, options)(0, 0), 0.0225)
      << "no estimate, no floor";
}

TEST(Covariance, EveryModeGivesItsOwnEstimate) {
  Linear aligner;
  AlignResult result;
  result.nvtl = 3;
  result.laplace_covariance = PositionCovariance{7, 0, 8};
  LocalizerOptions options;
  const Estimate fixed = estimated(aligner, PointCloud{}, result, beside(aligner), options);
  EXPECT_FALSE(fixed.xy);
  EXPECT_EQ(fixed.missing, "") << "none was asked for";
  options.covariance = CovarianceMode::laplace;
  EXPECT_EQ(estimated(aligner, PointCloud{}, result, beside(aligner), options).xy->yy, 8);
  result.laplace_covariance->xy = std::nan("");
  EXPECT_EQ(estimated(aligner, PointCloud{}, result, beside(aligner), options).missing,
            "the estimate is not finite");
  result.laplace_covariance.reset();
  EXPECT_FALSE(estimated(aligner, PointCloud{}, result, beside(aligner), options).xy);
  EXPECT_EQ(estimated(aligner, PointCloud{}, result, beside(aligner), options).missing,
            "the score's curvature cannot be inverted");
  options.covariance = CovarianceMode::multi_ndt;
  EXPECT_EQ(estimated(aligner, PointCloud{}, result, beside(aligner), options).xy->xx, 0)
      << "all end in the same place";
  options.covariance = CovarianceMode::multi_ndt_score;
  EXPECT_GT(estimated(aligner, PointCloud{}, result, beside(aligner), options).xy->xx, 0);
}

}  // namespace
}  // namespace ndt::localization
