// The covariances MULTI_NDT and MULTI_NDT_SCORE of every implementation against the reference's, before and
// after the floor that it publishes with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compare.hpp"
#include "golden.hpp"
#include "implementation_names.hpp"
#include "ndt/localization/beside.hpp"
#include "ndt/localization/covariance.hpp"

namespace ndt::localization {
namespace {

double difference(const PositionCovariance& a, const PositionCovariance& b) {
  return std::max({std::abs(a.xx - b.xx), std::abs(a.xy - b.xy), std::abs(a.yy - b.yy)});
}

double larger(const PositionCovariance& c) { return std::max(c.xx, c.yy); }

/// How far positions must be moved to change a covariance so much: a shift d of one changes it by 2 d sigma
/// at most, and by d squared where sigma is less than d.
double explaining_shift_m(const PositionCovariance& got, const PositionCovariance& expected) {
  const double change = difference(got, expected), sigma = std::sqrt(larger(expected));
  return change / (sigma + std::sqrt(sigma * sigma + change));
}

/// Two builds of the reference end up to 1.4e-4 m apart, where a voxel falls in or out of a point's radius.
constexpr double kShiftM = 1.4e-4;
/// Relative; of scores that agree to 1e-7, over a temperature of 0.05.
constexpr double kScores = 1e-5;
/// Relative to the floor's variance of (0.15 m)^2, of which a shift of 1.4e-4 m on 5 mm is 6e-5.
constexpr double kFloored = 1e-4;

class MultiCovarianceGolden : public testing::TestWithParam<Implementation> {};

TEST_P(MultiCovarianceGolden, CovariancesAgree) {
  if (const std::string reason = GetParam().unavailable_reason(); !reason.empty()) GTEST_SKIP() << reason;
  compare::Worst multi, score, floored;
  const LocalizerOptions options;
  for (const golden::CovarianceCase& c : golden::covariances()) {
    const auto aligner = GetParam().make(c.options);
    aligner->set_map(*c.map);
    AlignResult result;  // at the reference's own, so that every difference is of these estimates
    result.map_from_scan = c.pose;
    result.nvtl = c.nvtl;
    const PositionCovariance by_results =
        multi_ndt(result, aligned_beside(*aligner, *c.scan, c.pose, options.offsets, {}, {}).covariance)
            .value()
            .covariance;
    const PositionCovariance by_scores =
        multi_ndt_score(*aligner, *c.scan, result, options.offsets, options.covariance_temperature)
            .covariance;
    const auto published = [&](const PositionCovariance& estimate) {
      const Mat6 full = pose_covariance(c.pose, estimate, options);
      return PositionCovariance{full(0, 0), full(0, 1), full(1, 1)};
    };
    floored.see(difference(published(by_results), c.multi_ndt_floored) / larger(c.multi_ndt_floored), c.name);
    floored.see(
        difference(published(by_scores), c.multi_ndt_score_floored) / larger(c.multi_ndt_score_floored),
        c.name);
    if (c.far_origin) continue;  // a float32 step of 7.8 mm there, and the reference's positions have it
    multi.see(explaining_shift_m(by_results, c.multi_ndt), c.name);
    score.see(difference(by_scores, c.multi_ndt_score) / larger(c.multi_ndt_score), c.name);
  }
  std::printf("%s against the reference, %zu covariances\n", GetParam().name.data(),
              golden::covariances().size());
  multi.print("MULTI_NDT (shift of the results, m)"), score.print("MULTI_NDT_SCORE (relative)");
  floored.print("after the floor (relative)");
  EXPECT_LE(multi.value, kShiftM) << multi.where;
  EXPECT_LE(score.value, kScores) << score.where;
  EXPECT_LE(floored.value, kFloored) << floored.where;
}

INSTANTIATE_TEST_SUITE_P(Implementations, MultiCovarianceGolden,
                         testing::ValuesIn(implementations_without_peers()), implementation_name);

}  // namespace
}  // namespace ndt::localization
