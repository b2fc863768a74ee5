// Poses in the courtyard, judged as a program judges them: in C++ and in C.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "ndt/c.h"
#include "ndt/implementations.hpp"
#include "ndt/initial_pose/verdict.hpp"
#include "ndt/named_options.hpp"
#include "test_clouds.hpp"

namespace ndt::initial_pose {
namespace {

const char* const kOptions = "profile=pyramid resolution=1.5 threads=2";
const Transform kGuess = to_transform({0.3, -0.2, 0.05, 0.01, -0.01, 0.03});
/// From here an alignment converges in a wrong place.
const Transform kWrongGuess = to_transform({2, -3, 0, 0, 0, 3.1});

ndt_cloud view(const PointCloud& cloud) { return {&cloud.points.data()->x, cloud.size(), 0, {0, 0, 0}}; }

struct Courtyard {
  const PointCloud& map = test_clouds::map();
  const PointCloud& scan = test_clouds::scan();
  AlignOptions options = options_from_text(kOptions);
  std::unique_ptr<Aligner> aligner = made();
  Judge judge{*aligner, map, options};

  std::unique_ptr<Aligner> made() const {
    auto out = make_aligner("persistent_cpu", options);
    out->set_map(map);
    return out;
  }
};

TEST(Judge, ARightPoseIsOk) {
  Courtyard yard;
  const AlignResult result = yard.aligner->align(yard.scan, kGuess);
  const PoseJudgement judgement = yard.judge(*yard.aligner, yard.scan, result);
  EXPECT_TRUE(judgement.ok());
  EXPECT_EQ(to_text(judgement), "ok");
  EXPECT_LT(judgement.evidence.value().spread_m.value(), 0.02);
  EXPECT_EQ(judgement.evidence->sight.value().contradiction() < 0.04, true);
}

TEST(Judge, AWrongPoseIsDoubtfulAndSaysWhy) {
  Courtyard yard;
  const AlignResult wrong = yard.aligner->align(yard.scan, kWrongGuess);
  ASSERT_EQ(wrong.stop, Stop::converged) << "this alone would be believed";
  const PoseJudgement judgement = yard.judge(*yard.aligner, yard.scan, wrong);
  EXPECT_FALSE(judgement.ok());
  ASSERT_GT(judgement.reasons.size(), 1U) << "the map contradicts the scan, too";
  EXPECT_EQ(judgement.reasons[0].find("NVTL "), 0U) << judgement.reasons[0];
  EXPECT_NE(judgement.reasons[0].find("it may have converged in a wrong place"), std::string::npos);
  EXPECT_EQ(to_text(judgement), "doubtful: " + reasons_text(judgement));
  EXPECT_EQ(judge(wrong, yard.judge.bounds()).reasons, std::vector{judgement.reasons[0]})
      << "by the result alone";
}

TEST(Judge, AResultWithoutAPoseHasItsStopForAReason) {
  Courtyard yard;
  const AlignResult nowhere = yard.aligner->align(yard.scan, to_transform({900, 0, 0, 0, 0, 0}));
  const PoseJudgement judgement = yard.judge(*yard.aligner, yard.scan, nowhere);
  EXPECT_EQ(judgement.reasons, std::vector<std::string>{"it ended as no_overlap"});
  EXPECT_FALSE(judgement.covariance);
}

TEST(Judge, TimeThatRunsOutIsAReason) {
  Courtyard yard;
  const AlignResult result = yard.aligner->align(yard.scan, kGuess);
  PerScan over;
  over.deadline = std::chrono::steady_clock::time_point::min();
  const PoseJudgement judgement = yard.judge(*yard.aligner, yard.scan, result, over);
  ASSERT_FALSE(judgement.ok());
  EXPECT_EQ(judgement.reasons[0], "the second look at it was ended before it was finished");
}

TEST(Judge, GivesTheCovarianceOfRos) {
  Courtyard yard;
  AlignResult result = yard.aligner->align(yard.scan, kGuess);
  result.laplace_covariance = PositionCovariance{0.5, 0.1, 0.3};  // above the floor in every direction
  const Mat6 c = yard.judge(*yard.aligner, yard.scan, result).covariance.value();
  // 1e-6: the floor is applied along the axes of a vehicle that is not quite level.
  const double expected[6] = {0.5, 0.3, 0.0225, 0.000625, 0.000625, 0.000625};  // x y z roll pitch yaw
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      EXPECT_NEAR(c(i, j), i == j ? expected[i] : i + j == 1 ? 0.1 : 0, 1e-6) << i << " " << j;
  result.laplace_covariance = PositionCovariance{1e-6, 0, 1e-6};
  const Mat6 floored = yard.judge(*yard.aligner, yard.scan, result).covariance.value();
  EXPECT_NEAR(floored(0, 0), kPublishedVarianceFloor, 1e-6);
}

TEST(Judge, ChangesNoAlignmentAndServesOtherAligners) {
  Courtyard yard;
  const AlignResult before = yard.aligner->align(yard.scan, kGuess);
  const PoseJudgement first = yard.judge(*yard.aligner, yard.scan, before);
  const AlignResult after = yard.aligner->align(yard.scan, kGuess);
  EXPECT_TRUE(std::ranges::equal(before.map_from_scan.m, after.map_from_scan.m));
  const auto other = yard.made();
  EXPECT_EQ(yard.judge(*other, yard.scan, after).evidence.value().spread_m, first.evidence.value().spread_m);
}

TEST(Judge, WantsAnAlignerWithAMap) {
  const auto aligner = make_aligner("persistent_cpu");
  EXPECT_THROW(Judge(*aligner, test_clouds::map(), {}), std::logic_error);
}

/// A judge in C.
struct CCourtyard {
  CCourtyard() {
    EXPECT_EQ(ndt_aligner_create("persistent_cpu", kOptions, &aligner), NDT_OK) << ndt_last_error();
    EXPECT_EQ(ndt_aligner_set_map(aligner, &map), NDT_OK);
    EXPECT_EQ(ndt_judge_create(aligner, &map, &judge), NDT_OK) << ndt_last_error();
    result.struct_size = sizeof(result);
    judgement.struct_size = sizeof(judgement);
  }
  ~CCourtyard() {
    ndt_judge_destroy(judge);
    ndt_aligner_destroy(aligner);
  }
  CCourtyard(const CCourtyard&) = delete;
  CCourtyard& operator=(const CCourtyard&) = delete;
  ndt_status judged() { return ndt_judge_pose(judge, aligner, &scan, &result, &judgement); }

  ndt_cloud map = view(test_clouds::map()), scan = view(test_clouds::scan());
  ndt_aligner* aligner = nullptr;
  ndt_judge* judge = nullptr;
  ndt_result result{};
  ndt_judgement judgement{};
};

TEST(Judge, SaysTheSameInC) {
  Courtyard yard;
  CCourtyard c;
  for (const Transform& guess : {kGuess, kWrongGuess}) {
    const AlignResult result = yard.aligner->align(yard.scan, guess);
    const PoseJudgement expected = yard.judge(*yard.aligner, yard.scan, result);
    ASSERT_EQ(ndt_aligner_align(c.aligner, &c.scan, guess.m, &c.result), NDT_OK);
    ASSERT_EQ(c.judged(), NDT_OK) << ndt_last_error();
    EXPECT_EQ(c.judgement.ok != 0, expected.ok());
    EXPECT_EQ(c.judgement.reasons, reasons_text(expected));
    ASSERT_TRUE(expected.covariance && c.judgement.has_covariance);
    EXPECT_TRUE(std::ranges::equal(c.judgement.covariance, expected.covariance->m));
  }
}

TEST(Judge, RefusesInCWhatItCannotJudge) {
  CCourtyard c;
  ASSERT_EQ(ndt_aligner_align(c.aligner, &c.scan, kGuess.m, &c.result), NDT_OK);
  const int no_stop = 8;
  std::memcpy(&c.result.stop, &no_stop, sizeof(no_stop));
  EXPECT_EQ(c.judged(), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "result->stop = 8: give a result of ndt_aligner_align()");
  c.result.stop = NDT_CONVERGED;
  c.judgement.struct_size = 8;
  EXPECT_EQ(c.judged(), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "judgement->struct_size = 8: set it to sizeof(ndt_judgement)");
  c.judgement.struct_size = sizeof(c.judgement);
  c.result.struct_size = 0;
  EXPECT_EQ(c.judged(), NDT_BAD_ARGUMENT);
  c.result.struct_size = offsetof(ndt_result, has_covariance);
  EXPECT_EQ(c.judged(), NDT_OK) << "a caller of an older version; " << ndt_last_error();
  EXPECT_EQ(c.judgement.has_covariance, 0);
  EXPECT_EQ(ndt_judge_pose(nullptr, c.aligner, &c.scan, &c.result, &c.judgement), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "judge is NULL");
  ndt_judge* none = c.judge;
  EXPECT_EQ(ndt_judge_create(nullptr, &c.map, &none), NDT_BAD_ARGUMENT);
  EXPECT_EQ(none, nullptr);
}

}  // namespace
}  // namespace ndt::initial_pose
