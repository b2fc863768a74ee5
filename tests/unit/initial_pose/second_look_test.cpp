// A second look at one answer, on an aligner whose ends are written down.
#include "ndt/initial_pose/second_look.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "scripted_aligner.hpp"

namespace ndt::initial_pose {
namespace {

/// Every pose ends at the origin, unless `end` says otherwise. Of ten points nine match.
class Valley : public ScriptedAligner {
 public:
  int aligned = 0, evaluated = 0;
  std::function<void(const Transform& guess, AlignResult&)> end = [](const Transform&, AlignResult&) {};

  AlignResult align(const Scan&, const Transform& guess, const PerScan& per_scan) override {
    ++aligned;
    EXPECT_FALSE(per_scan.trace);
    AlignResult result;
    result.stop = interruption(per_scan).value_or(Stop::converged);
    result.nvtl = 3, result.transform_probability = 6;
    end(guess, result);
    return result;
  }
  Evaluation evaluate(const Scan&, const Transform&, const PerScan& per_scan) override {
    ++evaluated;
    Evaluation evaluation;
    evaluation.points_with_voxels = 9;
    if (per_scan.point_scores) evaluation.point_scores = {4, 4, 4, 4, 4, 4, 4, 4, 4, 0};
    return evaluation;
  }
};

AlignResult converged() {
  AlignResult answer;
  answer.stop = Stop::converged;
  answer.nvtl = 3, answer.transform_probability = 6;
  return answer;
}

Judgement judged(const Evidence& evidence) { return judge(evidence, {.nvtl = 2.3, .matched = 0.82}); }

TEST(SecondLook, LeavesNoReturnsOutOfTheShareThatMatches) {
  Valley aligner;
  PointCloud scan;
  for (int k = 0; k < 10; ++k) scan.points.push_back({5.0F + static_cast<float>(k), 1, 1});
  EXPECT_EQ(second_look(aligner, scan, converged(), {}).matched, 0.9);
  scan.points[8] = scan.points[9] = {0, 0, 0};
  const Evidence evidence = second_look(aligner, scan, converged(), {});
  EXPECT_EQ(evidence.matched, 1) << "the one that does not match is none";
  EXPECT_EQ(evidence.overlap, 1);
}

TEST(SecondLook, AFirmAnswerIsReliable) {
  Valley aligner;
  PerScan per_scan;
  per_scan.trace = true;
  const Evidence evidence = second_look(aligner, {}, converged(), per_scan);
  EXPECT_EQ(aligner.aligned, 6);
  EXPECT_EQ(evidence.spread_m, 0);
  EXPECT_EQ(evidence.matched, 0.9);
  EXPECT_EQ(evidence.overlap, 0.9);
  EXPECT_EQ(evidence.runner_up_ratio, 0);
  EXPECT_EQ(judged(evidence).verdict, Verdict::reliable);
}

TEST(SecondLook, BeginsAtSixPlacesBesideTheAnswerInItsOwnPlane) {
  Valley aligner;
  AlignResult answer = converged();
  answer.map_from_scan = to_transform(Pose{5, -3, 2, 0.3, -0.2, 1});
  std::vector<Transform> guesses;
  aligner.end = [&](const Transform& guess, AlignResult&) { guesses.push_back(guess); };
  second_look(aligner, {}, answer);
  Vec3<double> sum;
  double turned = 0;
  for (const Transform& guess : guesses) {
    const Vec3<double> offset = translation_of(inverse(answer.map_from_scan) * guess);
    EXPECT_NEAR(std::hypot(offset.x, offset.y), kSecondLookM, 1e-12);
    EXPECT_NEAR(offset.z, 0, 1e-12);
    EXPECT_NEAR(rotation_error_rad(answer.map_from_scan, guess), kSecondLookRad, 1e-7);
    turned += (inverse(answer.map_from_scan) * guess)(1, 0);
    sum = sum + offset;
  }
  EXPECT_NEAR(std::hypot(sum.x, sum.y), 0, 1e-12);
  EXPECT_NEAR(turned, 0, 1e-12) << "as many to the left as to the right";
}

TEST(SecondLook, AHeadingThatNothingHoldsIsADoubt) {
  Valley aligner;
  aligner.end = [](const Transform& guess, AlignResult& result) {
    result.map_from_scan = make_transform(rotation_of(guess), {});  // as in a round tank
  };
  const Evidence evidence = second_look(aligner, {}, converged());
  EXPECT_EQ(evidence.spread_m, 0);
  EXPECT_NEAR(evidence.heading_rad.value(), kSecondLookRad, 1e-7);
  EXPECT_EQ(judged(evidence).doubts, std::vector{Doubt::spread});
}

TEST(SecondLook, WhatTheScanLooksThroughIsADoubt) {
  Valley aligner;
  PointCloud near_wall, far_wall;
  for (float y = -5; y < 5; y += 0.1F)
    for (float z = -3; z < 3; z += 0.1F)
      near_wall.points.push_back({5, y, z}), far_wall.points.push_back({9, y, z});
  const SightLines has_wall(near_wall);
  EXPECT_FALSE(second_look(aligner, far_wall, converged()).sight);
  const Evidence through = second_look(aligner, far_wall, converged(), {}, &has_wall),
                 seen = second_look(aligner, near_wall, converged(), {}, &has_wall);
  EXPECT_GT(through.sight.value().seen_through, 0.9);
  EXPECT_EQ(judged(through).doubts, std::vector{Doubt::contradicted});
  EXPECT_EQ(seen.sight.value().contradiction(), 0);
}

TEST(SecondLook, ADegenerateAnswerIsFirmIfThoseBesideItComeBack) {
  Valley aligner;
  AlignResult answer = converged();
  answer.stop = Stop::degenerate;
  EXPECT_TRUE(is_firm(second_look(aligner, {}, answer)));
  aligner.end = [](const Transform& guess, AlignResult& result) {
    result.map_from_scan(0, 3) = 0.1 * guess(0, 3);  // 5 cm from it
  };
  EXPECT_FALSE(is_firm(second_look(aligner, {}, answer)));
}

TEST(SecondLook, AnAnswerThatDidNotConvergeGetsNone) {
  for (const Stop stop : {Stop::line_search_failed, Stop::max_iterations, Stop::no_overlap}) {
    Valley aligner;
    AlignResult answer = converged();
    answer.stop = stop;
    const Evidence evidence = second_look(aligner, {}, answer);
    EXPECT_EQ(aligner.aligned + aligner.evaluated, 0);
    EXPECT_FALSE(evidence.spread_m || evidence.matched);
    EXPECT_NE(judged(evidence).verdict, Verdict::reliable) << to_string(stop);
  }
}

TEST(SecondLook, EndsElsewhereAreASpreadAndGoodOnesARival) {
  Valley aligner;
  aligner.end = [](const Transform& guess, AlignResult& result) {
    if (guess(0, 3) > 0.4) result.map_from_scan = to_transform(Pose{1.5, 0, 0, 0, 0, 0}), result.nvtl = 2.9;
  };
  const Evidence evidence = second_look(aligner, {}, converged());
  EXPECT_NEAR(evidence.spread_m.value(), 1.5, 1e-12);
  EXPECT_NEAR(evidence.runner_up_ratio, 2.9 / 3, 1e-12);
  EXPECT_EQ(judged(evidence).doubts, (std::vector{Doubt::rival, Doubt::spread}));
}

TEST(SecondLook, AnEndWithoutAPoseIsASpreadWithoutABound) {
  Valley aligner;
  aligner.end = [](const Transform&, AlignResult& result) { result.stop = Stop::no_overlap; };
  const Evidence evidence = second_look(aligner, {}, converged());
  EXPECT_TRUE(std::isinf(evidence.spread_m.value()));
  EXPECT_EQ(judged(evidence).verdict, Verdict::ambiguous);
}

TEST(SecondLook, OneThatRunsOutOfTimeIsADoubt) {
  Valley aligner;
  PerScan per_scan;
  per_scan.deadline = std::chrono::steady_clock::time_point::min();
  const Evidence evidence = second_look(aligner, {}, converged(), per_scan);
  EXPECT_TRUE(evidence.interrupted);
  EXPECT_FALSE(evidence.matched);
  EXPECT_EQ(judged(evidence).verdict, Verdict::not_found);
}

}  // namespace
}  // namespace ndt::initial_pose
