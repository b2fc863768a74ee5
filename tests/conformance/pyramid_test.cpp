// The profile pyramid, on every implementation that has it: what each of its alignments keeps to. Its twin in
// the oracle is held to the same, and tests/golden holds the others to the twin.
#include <gmock/gmock.h>

#include <stdexcept>

#include "compare.hpp"
#include "every_implementation.hpp"
#include "ndt/core/error.hpp"
#include "run/repeatability.hpp"
#include "surfaces.hpp"

namespace ndt {
namespace {

// The score of the courtyard's scan has several maxima between 3 and 6 mm from the truth, where a point gains
// or loses a voxel.
constexpr double kCourtyardM = 0.006;

PerScan traced() {
  PerScan per_scan;
  per_scan.trace = true;
  return per_scan;
}

class Pyramid : public EveryImplementation {
 protected:
  void SetUp() override {
    EveryImplementation::SetUp();
    if (IsSkipped()) return;
    try {
      make(AlignOptions::pyramid());
    } catch (const std::invalid_argument& refusal) {
      GTEST_SKIP() << refusal.what();
    }
  }
  static AlignOptions with(const Levels& levels, int stride = 1) {
    AlignOptions options = AlignOptions::pyramid();
    options.levels = levels;
    options.coarse_stride = stride;
    options.threads = 1;
    return options;
  }
};

AlignOptions finishing(AlignOptions options) {
  options.finish = Finish::windows;
  return options;
}

void expect_lawful(const AlignResult& r, const AlignOptions& options) {
  ASSERT_EQ(r.trace.size(), static_cast<std::size_t>(r.iterations) + 1);
  EXPECT_LE(r.iterations, options.max_iterations);
  EXPECT_THAT(r.evaluations - r.iterations, testing::AnyOf(1, 2));
  for (std::size_t i = 1; i < r.trace.size(); ++i) {
    const TracePoint &before = r.trace[i - 1], &now = r.trace[i];
    EXPECT_THAT(now.level - before.level, testing::AnyOf(0, 1));
    EXPECT_LE(now.step_m, before.radius_m);
    if (now.step_m > 0.999999 * before.radius_m) {
      EXPECT_EQ(now.step_m, before.radius_m)
          << "cut; a last bit less, and a radius of the end's length ends it";
    }
    if (now.level == before.level) {
      EXPECT_GE(now.score, before.score) << "line " << i;
    }
  }
}

TEST_P(Pyramid, NeverLowersALevelsScoreAndNeverGoesBackALevel) {
  const PointCloud scan = test_clouds::scan_of(500);
  for (const AlignOptions& options :
       {with({2.5, 1}), with({6, 2.5, 1}), with({6, 2.5, 1}, 4), with({12, 5.2, 2.3, 1}, 3), with({1}),
        finishing(with({6, 2.5, 1}, 4))}) {
    const auto aligner = in_courtyard(options);
    for (const Pose& offset : test_clouds::offsets(6, 2, 0.3))
      expect_lawful(aligner->align(scan, to_transform(offset), traced()), options);
  }
}

TEST_P(Pyramid, AFinishIsNearerToTheTruthAndSaysHowFarItWent) {
  const AlignOptions options = with({2.5, 1});
  const auto plain = in_courtyard(options), aligner = in_courtyard(finishing(options));
  const PointCloud& scan = test_clouds::scan();
  double before_m = 0, after_m = 0;
  for (const Pose& offset : test_clouds::offsets(12, 0.4, 0.05)) {
    const AlignResult without = plain->align(scan, to_transform(offset)),
                      r = aligner->align(scan, to_transform(offset));
    EXPECT_FALSE(without.finish);
    ASSERT_TRUE(r.finish);
    EXPECT_EQ(r.stop, without.stop);
    EXPECT_EQ(r.evaluations - r.iterations, 2) << "the guess and the returned pose";
    EXPECT_LE(r.finish->step_m, 0.032) << "the longest of 573 right alignments of a study";
    EXPECT_THAT(r.finish->score,
                testing::AllOf(testing::Gt(0), testing::Le(static_cast<double>(scan.size()))));
    EXPECT_NEAR(r.score, aligner->evaluate(scan, r.map_from_scan).score, 1e-9 * r.score)
        << "a result's score is of its pose";
    before_m = std::max(before_m, translation_error_m(without.map_from_scan, Transform{}));
    after_m = std::max(after_m, translation_error_m(r.map_from_scan, Transform{}));
  }
  EXPECT_LE(after_m, 0.002) << "1.54 mm at most with windows of 0.8 m, 1.13 with those of 1 m and 10 points";
  EXPECT_LE(2 * after_m, before_m);
}

TEST_P(Pyramid, TheLastLineOfATraceIsAFinishsAsInTheOracle) {
  const AlignOptions options = finishing(with({2.5, 1}));
  const auto aligner = in_courtyard(options),
             oracle = harness::find_implementation("cpu_pclomp_ref").make(options);
  oracle->set_map(test_clouds::map());
  for (const Pose& offset : test_clouds::offsets(4, 0.4, 0.05)) {
    const AlignResult r = aligner->align(test_clouds::scan(), to_transform(offset), traced()),
                      expected = oracle->align(test_clouds::scan(), to_transform(offset), traced());
    ASSERT_EQ(r.trace.size(), static_cast<std::size_t>(r.iterations) + 1);
    ASSERT_EQ(r.trace.size(), expected.trace.size());
    EXPECT_EQ(r.oscillation_count, expected.oscillation_count);
    for (std::size_t k = 0; k < r.trace.size(); ++k) {
      const TracePoint &got = r.trace[k], &line = expected.trace[k];
      EXPECT_EQ(got.level, line.level) << k;
      EXPECT_NEAR(got.radius_m, line.radius_m, 1e-4) << k;
      EXPECT_NEAR(got.step_m, line.step_m, 1e-4) << k;
      EXPECT_NEAR(got.score, line.score, 1e-3 * line.score) << k;
      EXPECT_NEAR(got.transform_probability, line.transform_probability, 1e-3 * line.transform_probability);
      EXPECT_NEAR(got.nvtl, line.nvtl, 1e-3 * line.nvtl) << k;
      EXPECT_LE(translation_error_m(got.map_from_scan, line.map_from_scan), 1e-4) << k;
    }
    const TracePoint& windows = r.trace.back();
    EXPECT_EQ(windows.level, 2);
    EXPECT_EQ(windows.radius_m, 0.2) << "a quarter of a window";
    EXPECT_FLOAT_EQ(static_cast<float>(windows.score), static_cast<float>(r.finish->score));
    EXPECT_NEAR(r.finish->step_m, expected.finish->step_m, 1e-4);
    EXPECT_LE(translation_error_m(windows.map_from_scan, r.map_from_scan), 1.0001 * r.finish->step_m)
        << "its step leads from there to the returned pose";
  }
}

TEST_P(Pyramid, AFinishDoesNotTakeAStepOfAQuarterWindow) {
  const auto aligner = in_courtyard(finishing(with({1})));
  int cut = 0;
  for (const int points : {25, 50, 100})
    for (const Pose& offset : test_clouds::offsets(40, 2, 0.3)) {
      const AlignResult r = aligner->align(test_clouds::scan_of(static_cast<std::size_t>(points)),
                                           to_transform(offset), traced());
      if (!r.finish || r.finish->step_m < 0.199) continue;  // 0.2 in float32 or float64
      ++cut;
      EXPECT_LE(translation_error_m(r.trace.back().map_from_scan, r.map_from_scan), 1e-6);
    }
  EXPECT_GT(cut, 0);
}

TEST_P(Pyramid, AFinishDoesNotComeWhereStepsRunOut) {
  AlignOptions options = finishing(with({2.5, 1}));
  options.max_iterations = 1;
  const AlignResult r =
      in_courtyard(options)->align(test_clouds::scan(), to_transform({0.4, 0.3, 0, 0, 0, 0.05}));
  EXPECT_EQ(r.stop, Stop::max_iterations);
  EXPECT_FALSE(r.finish);
}

TEST_P(Pyramid, AStepThatTheRegionCutDoesNotEndIt) {
  const AlignOptions options = with({1});
  const auto aligner = in_courtyard(options);
  int ends = 0;
  for (const int points : {25, 50, 100})
    for (const Pose& offset : test_clouds::offsets(100, 2, 0.3)) {
      const AlignResult r = aligner->align(test_clouds::scan_of(static_cast<std::size_t>(points)),
                                           to_transform(offset), traced());
      if (r.iterations < 2 || r.stop == Stop::max_iterations || r.stop == Stop::no_overlap) continue;
      const std::size_t last = r.trace.size() - 1;
      EXPECT_TRUE(r.trace[last].step_m == 0 || r.trace[last].step_m < r.trace[last - 1].radius_m);
      ++ends;
    }
  EXPECT_GT(ends, 100);
}

TEST_P(Pyramid, ReachesTheTruthFromFarther) {
  const auto aligner = in_courtyard(with({6, 2.5, 1}));
  for (const Pose& offset : test_clouds::offsets(5, 2, 0.2)) {
    const AlignResult r = aligner->align(test_clouds::scan(), to_transform(offset));
    EXPECT_EQ(r.stop, Stop::converged);
    EXPECT_LE(translation_error_m(r.map_from_scan, Transform{}), kCourtyardM);
  }
}

TEST_P(Pyramid, HasTheSameBitsInEveryBatch) {
  const PointCloud scan = test_clouds::scan_of(300);
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(20);
  for (const AlignOptions& options : {with({2.5, 1}), with({6, 2.5, 1}, 4), finishing(with({2.5, 1}))}) {
    const auto aligner = in_courtyard(options);
    std::vector<AlignResult> together(guesses.size());
    aligner->align_batch(scan, guesses, together, traced());
    AlignOptions threads = options;
    threads.threads = 3;
    const auto more_threads = in_courtyard(threads);
    for (std::size_t k = 0; k < guesses.size(); ++k) {
      EXPECT_TRUE(harness::same_bits(aligner->align(scan, guesses[k], traced()), together[k])) << k;
      EXPECT_TRUE(harness::same_bits(more_threads->align(scan, guesses[k], traced()), together[k])) << k;
    }
  }
}

TEST_P(Pyramid, IsTheSameFarFromTheOrigin) {
  // Beyond 1 km every level's map has an origin of its own.
  const Vec3<double> away{4321, -3210, 75};
  const AlignOptions options = with({6, 2.5, 1});
  const auto near = in_courtyard(options), far = make(options);
  PointCloud map = test_clouds::map();
  map.origin = away;
  far->set_map(map);
  for (const Pose& offset : test_clouds::offsets(4, 1, 0.1)) {
    Pose moved = offset;
    moved.x += away.x, moved.y += away.y, moved.z += away.z;
    AlignResult a = near->align(test_clouds::scan(), to_transform(offset)),
                b = far->align(test_clouds::scan(), to_transform(moved));
    for (int axis = 0; axis < 3; ++axis) b.map_from_scan(axis, 3) -= (&away.x)[axis];
    EXPECT_EQ(b.stop, Stop::converged);
    EXPECT_LE(translation_error_m(a.map_from_scan, b.map_from_scan), kCourtyardM);
  }
}

TEST_P(Pyramid, StartsWhereTheSurfacesFixThePose) {
  const PointCloud map = test_clouds::sampled(test_clouds::corridor(60, 4, 3), 40000, 0.01, 5),
                   scan = test_clouds::sampled(test_clouds::corridor(30, 4, 3), 1500, 0.01, 6);
  const auto aligner = make(with({6, 2.5, 1}));
  aligner->set_map(map);
  const AlignResult r = aligner->align(scan, to_transform({0.7, 0.05, 0.02, 0, 0, 0.01}), traced());
  EXPECT_EQ(r.trace[0].level, 2);
  const AlignResult courtyard =
      in_courtyard(with({6, 2.5, 1}))
          ->align(test_clouds::scan(), to_transform({0.7, 0, 0, 0, 0, 0}), traced());
  EXPECT_EQ(courtyard.trace[0].level, 0);
}

TEST_P(Pyramid, LeavesOutACoarseLevelWithoutAVoxel) {
  // Around a corner of the coarse grid: eight voxels of 3 points there, one of 24 on the last level.
  PointCloud cloud;
  for (int octant = 0; octant < 8; ++octant)
    for (int i = 0; i < 3; ++i) {
      const auto at = [&](int axis) {
        const float off = 0.04F + 0.08F * static_cast<float>((i + axis + octant) % 3);
        return 2.5F + ((octant >> axis & 1) != 0 ? off : -off);
      };
      cloud.points.push_back({at(0), at(1), at(2)});
    }
  AlignOptions coarse = with({2.5}), both = with({2.5, 1}), last = with({1}), finer = with({1, 0.25});
  coarse.resolution_m = both.resolution_m = last.resolution_m = finer.resolution_m = 1;
  EXPECT_THROW(make(coarse)->set_map(cloud), NoValidVoxel);
  EXPECT_THROW(make(finer)->set_map(cloud), NoValidVoxel) << "the last level must have a voxel";
  const auto aligner = make(both), single = make(last);
  EXPECT_EQ(aligner->set_map(cloud).voxels, 1);
  single->set_map(cloud);
  const Transform guess = to_transform({0.03, 0.02, 0, 0, 0, 0});
  const AlignResult r = aligner->align(cloud, guess, traced()),
                    expected = single->align(cloud, guess, traced());
  EXPECT_EQ(r.trace.back().level, 0);
  EXPECT_TRUE(harness::same_bits(r, expected));
}

TEST_P(Pyramid, EndsAtADeadlineWithAPoseOfTheLastLevel) {
  const auto aligner = in_courtyard(with({6, 2.5, 1}));
  PerScan late = traced();
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const AlignResult r = aligner->align(test_clouds::scan(), to_transform({0.5, 0.2, 0, 0, 0, 0.05}), late);
  EXPECT_EQ(r.stop, Stop::timeout);
  EXPECT_EQ(r.iterations, 0);
  const Evaluation there = aligner->evaluate(test_clouds::scan(), r.map_from_scan);
  EXPECT_NEAR(r.score, there.score, 1e-6 * there.score);
  EXPECT_LE(compare::hessian_blocks(r.hessian, there.hessian), 1e-6);
}

TEST_P(Pyramid, EvaluatesTheTrueHessianOfTheLastLevel) {
  const auto many = in_courtyard(with({6, 2.5, 1})), one = in_courtyard(with({1}));
  for (const Pose& pose : test_clouds::offsets(3, 0.3, 0.03)) {
    const Evaluation a = many->evaluate(test_clouds::scan(), to_transform(pose)),
                     b = one->evaluate(test_clouds::scan(), to_transform(pose));
    EXPECT_EQ(a.score, b.score);
    for (int i = 0; i < 36; ++i) EXPECT_EQ(a.hessian.m[i], b.hessian.m[i]);
  }
}

TEST_P(Pyramid, IsPulledByAPositionAsTheOracleIs) {
  PerScan pulled;
  pulled.regularisation = RegularisationTarget{0.3, -0.2};
  AlignOptions options = with({2.5, 1});
  options.regularisation_scale = 0.05;
  const auto aligner = in_courtyard(options);
  const auto oracle = harness::find_implementation("cpu_pclomp_ref").make(options);
  oracle->set_map(test_clouds::map());
  for (const Pose& offset : test_clouds::offsets(3, 0.4, 0.04)) {
    const AlignResult got = aligner->align(test_clouds::scan(), to_transform(offset), pulled),
                      expected = oracle->align(test_clouds::scan(), to_transform(offset), pulled);
    EXPECT_EQ(got.iterations, expected.iterations);
    // The oracle moves points in float64: tests/golden finds them 0.07 mm apart at most with this profile.
    EXPECT_LE(translation_error_m(got.map_from_scan, expected.map_from_scan), 1e-4);
  }
}

NDT_ON_EVERY_IMPLEMENTATION(Pyramid);

}  // namespace
}  // namespace ndt
