// The oracle's twin of the pyramid: what every alignment keeps to, and where it ends.
#include "pyramid.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "ndt/core/error.hpp"
#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "surfaces.hpp"
#include "test_clouds.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

AlignOptions pyramid(const Levels& levels = {2.5, 1}, double resolution_m = 2) {
  AlignOptions options = AlignOptions::pyramid();
  options.levels = levels;
  options.resolution_m = resolution_m;
  options.threads = 1;
  return options;
}

std::unique_ptr<Aligner> aligner_on(const PointCloud& map, const AlignOptions& options) {
  auto aligner = implementations()[0].make(options);
  aligner->set_map(map);
  return aligner;
}

PerScan traced() {
  PerScan per_scan;
  per_scan.trace = true;
  return per_scan;
}

double error_m(const AlignResult& r) { return translation_error_m(r.map_from_scan, Transform{}); }

/// Within half a metre of the truth, the identity.
std::vector<Transform> near_guesses(int count) {
  std::vector<Transform> out;
  for (const Pose& p : test_clouds::offsets(count, 0.4, 0.04)) out.push_back(to_transform(p));
  return out;
}

// The score of 3,000 points has several maxima between 3 and 6 mm from the truth, where a point gains or
// loses a voxel.
constexpr double kCourtyardM = 0.006;

TEST(Pyramid, FindsTheCourtyardsTruthToMillimetres) {
  for (const auto& [levels, stride] :
       {std::pair{Levels{1}, 1}, {Levels{2.5, 1}, 1}, {Levels{6, 2.5, 1}, 4}, {Levels{12, 5.2, 2.3, 1}, 4}}) {
    AlignOptions options = pyramid(levels);
    options.coarse_stride = stride;
    const auto aligner = aligner_on(test_clouds::map(), options);
    for (const Transform& guess : near_guesses(3)) {
      const AlignResult r = aligner->align(test_clouds::scan(), guess, traced());
      EXPECT_EQ(r.stop, Stop::converged) << to_string(levels);
      EXPECT_EQ(r.trace[0].level, 0) << to_string(levels);
      EXPECT_LE(error_m(r), kCourtyardM) << to_string(levels);
      EXPECT_LE(rotation_error_rad(r.map_from_scan, Transform{}), 3e-4) << to_string(levels);
      EXPECT_LE(r.evaluations, 14) << to_string(levels);
    }
  }
}

/// levels: with the windows of a finish.
void expect_lawful(const AlignResult& r, std::size_t levels) {
  ASSERT_EQ(r.trace.size(), static_cast<std::size_t>(r.iterations) + 1);
  EXPECT_LE(r.iterations, 30);
  EXPECT_THAT(r.evaluations - r.iterations, testing::AnyOf(1, 2));
  for (std::size_t i = 1; i < r.trace.size(); ++i) {
    const TracePoint &before = r.trace[i - 1], &now = r.trace[i];
    EXPECT_THAT(now.level - before.level, testing::AnyOf(0, 1));
    EXPECT_LE(now.step_m, before.radius_m * (1 + 1e-12));
    if (now.level != before.level) continue;
    EXPECT_GE(now.score, before.score);
    if (now.step_m > 0) continue;
    EXPECT_EQ(now.score, before.score) << "taken back, but not to where it was";
    EXPECT_LT(now.radius_m, before.radius_m);
  }
  if (r.stop == Stop::converged) {
    EXPECT_EQ(static_cast<std::size_t>(r.trace.back().level) + 1, levels);
  }
}

TEST(Pyramid, AKeptStepNeverLowersItsLevelsScoreAndALevelIsNeverLeftUpwards) {
  for (const Levels& levels : {Levels{1}, Levels{2.5, 1}, Levels{12, 5.2, 2.3, 1}}) {
    AlignOptions options = pyramid(levels);
    for (const Finish finish : {Finish::none, Finish::windows}) {
      options.finish = finish;
      const auto aligner = aligner_on(test_clouds::map(), options);
      for (const Transform& guess : test_clouds::mixed_guesses(10))
        expect_lawful(aligner->align(test_clouds::scan_of(300), guess, traced()),
                      levels.size() + (finish == Finish::windows ? 1 : 0));
    }
  }
}

// Derivatives take an angle below it as zero, in one of a rotation's two branches.
constexpr double kZeroAngle = 1e-4;

TEST(Pyramid, ResultsAreThoseOfTheLastLevelAtTheTrueHessianWhereverTheLoopEnds) {
  const PointCloud scan = test_clouds::scan_of(500);
  for (int limit = 1; limit <= 8; ++limit) {
    AlignOptions options = pyramid({6, 2.5, 1});
    options.max_iterations = limit;
    const auto aligner = aligner_on(test_clouds::map(), options);
    const AlignResult r = aligner->align(scan, near_guesses(2)[1]);
    EXPECT_LE(r.iterations, limit);
    if (r.iterations < limit) {
      EXPECT_EQ(r.stop, Stop::converged) << limit;
    }
    const Evaluation e = aligner->evaluate(scan, r.map_from_scan);
    EXPECT_NEAR(r.score, e.score, 1e-9 * e.score) << limit;
    EXPECT_EQ(r.correspondences, e.correspondences) << limit;
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(r.hessian(i, i), e.hessian(i, i), kZeroAngle * std::abs(e.hessian(i, i)));
  }
}

TEST(Pyramid, OneLevelWithTheWholeCurvatureIsNewtonsMethod) {
  AlignOptions options = pyramid({1});
  options.negative_curvature = 1;
  const auto aligner = aligner_on(test_clouds::map(), options);
  const AlignResult r =
      aligner->align(test_clouds::scan(), to_transform({0.05, -0.04, 0.02, 0, 0, 0.01}), traced());
  EXPECT_EQ(r.stop, Stop::converged);
  EXPECT_LE(error_m(r), kCourtyardM);
  EXPECT_EQ(r.evaluations, r.iterations + 1) << "every Hessian was the true one";
}

TEST(Pyramid, TheFirstStepShorterThanAFiftiethOfTheLastEdgeIsTheLastStep) {
  const double end_m = 2.0 / 50;
  for (const Levels& levels : {Levels{1}, Levels{6, 2.5, 1}}) {
    const auto aligner = aligner_on(test_clouds::map(), pyramid(levels));
    for (const Transform& guess : near_guesses(10)) {
      const AlignResult r = aligner->align(test_clouds::scan_of(1000), guess, traced());
      ASSERT_EQ(r.stop, Stop::converged) << to_string(levels);
      const auto ends = [&](std::size_t i) {
        return static_cast<std::size_t>(r.trace[i].level) + 1 == levels.size() &&
               r.trace[i].level == r.trace[i - 1].level && r.trace[i].step_m > 0 && r.trace[i].step_m < end_m;
      };
      for (std::size_t i = 1; i + 1 < r.trace.size(); ++i) EXPECT_FALSE(ends(i)) << to_string(levels);
    }
  }
}

TEST(Pyramid, AfterALongCoarseStepTheCoarseLevelsEndAtShorterSteps) {
  const Levels levels{6, 2.5, 1};
  const auto aligner = aligner_on(test_clouds::map(), pyramid(levels));
  std::vector<Transform> guesses = near_guesses(4);
  for (const Pose& p : test_clouds::offsets(8, 2.5, 0.2)) guesses.push_back(to_transform(p));
  int near = 0, far = 0;
  for (const Transform& guess : guesses) {
    const AlignResult r = aligner->align(test_clouds::scan_of(500), guess, traced());
    bool long_step = false;
    for (std::size_t i = 1; i < r.trace.size() && r.trace[i - 1].level < 2; ++i) {
      const double edge_m = 2 * levels[static_cast<std::size_t>(r.trace[i - 1].level)],
                   step_m = r.trace[i].step_m;
      long_step |= step_m >= 0.3 * edge_m / 3;
      if (r.trace[i].level == r.trace[i - 1].level || step_m == 0) continue;
      EXPECT_LT(step_m, edge_m / (long_step ? 30 : 15));
      near += step_m >= edge_m / 30, far += long_step;
    }
  }
  EXPECT_GT(near, 0);
  EXPECT_GT(far, 0);
}

TEST(Pyramid, ACoarseLevelOfOneVoxelDoesNoHarm) {
  const PointCloud room = test_clouds::sampled({{{1, 1, 1}, {5, 0, 0}, {0, 5, 0}},
                                                {{1, 1, 1}, {5, 0, 0}, {0, 0, 3}},
                                                {{1, 1, 1}, {0, 5, 0}, {0, 0, 3}}},
                                               6000, 0.01, 3);
  EXPECT_EQ(aligner_on(room, pyramid({16}, 0.5))->voxels().size(), 1u);
  const auto aligner = aligner_on(room, pyramid({16, 1}, 0.5));
  const AlignResult r = aligner->align(room, to_transform({0.1, -0.08, 0.05, 0, 0, 0.02}), traced());
  EXPECT_EQ(r.stop, Stop::converged);
  EXPECT_LE(error_m(r), 0.005);
  EXPECT_EQ(r.trace.back().level, 1);
}

TEST(Pyramid, NeitherTheOrderOfThePointsNorTheThreadsMatter) {
  const PointCloud scan = test_clouds::scan_of(1000);
  PointCloud shuffled = scan;
  std::ranges::shuffle(shuffled.points, std::mt19937(5));
  AlignOptions options = pyramid();
  const auto one = aligner_on(test_clouds::map(), options);
  options.threads = 3;
  const auto three = aligner_on(test_clouds::map(), options);
  for (const Transform& guess : near_guesses(5)) {
    const AlignResult r = one->align(scan, guess);
    EXPECT_THAT(three->align(scan, guess).map_from_scan.m, testing::ElementsAreArray(r.map_from_scan.m));
    const AlignResult other = one->align(shuffled, guess);
    EXPECT_EQ(other.iterations, r.iterations);
    EXPECT_LE(translation_error_m(other.map_from_scan, r.map_from_scan), 1e-8);
  }
}

TEST(Pyramid, ATargetPullsAlongTheHeading) {
  const auto aligner = aligner_on(test_clouds::map(), pyramid());
  PerScan per_scan = traced();
  per_scan.regularisation = RegularisationTarget{0.5, 0};
  const AlignResult free = aligner->align(test_clouds::scan(), Transform{}),
                    pulled = aligner->align(test_clouds::scan(), Transform{}, per_scan);
  EXPECT_EQ(pulled.stop, Stop::converged);
  EXPECT_GT(pulled.map_from_scan(0, 3), free.map_from_scan(0, 3) + 1e-4);
  EXPECT_NEAR(pulled.map_from_scan(1, 3), free.map_from_scan(1, 3), 1e-3);
  const Evaluation e = aligner->evaluate(test_clouds::scan(), pulled.map_from_scan, per_scan);
  EXPECT_NEAR(pulled.score, e.score, 1e-6 * e.score);
}

TEST(Pyramid, WithoutOverlapTheGuessComesBack) {
  const auto aligner = aligner_on(test_clouds::map(), pyramid());
  const Transform far = to_transform({700, 0, 0, 0, 0, 0.1});
  const AlignResult r = aligner->align(test_clouds::scan(), far);
  EXPECT_EQ(r.stop, Stop::no_overlap);
  EXPECT_EQ(r.correspondences, 0);
  EXPECT_THAT(r.map_from_scan.m, testing::ElementsAreArray(far.m));
  EXPECT_EQ(aligner->align(PointCloud{}, far).stop, Stop::no_overlap);
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
