// Batches of poses, on every implementation, together or one after the other: a result is the same alone, in
// any batch and at any place in it.
#include <algorithm>
#include <stdexcept>

#include "every_implementation.hpp"
#include "ndt/core/limits.hpp"
#include "run/repeatability.hpp"

namespace ndt {
namespace {

class Batch : public EveryImplementation {
 protected:
  void SetUp() override {
    EveryImplementation::SetUp();
    if (IsSkipped()) return;
    if (peer()) GTEST_SKIP() << "a peer aligns one pose after the other";
  }
  std::unique_ptr<Aligner> batch_aligner(AlignOptions options = {}) const {
    options.threads = 1;  // small batches; that threads do not show is tested elsewhere
    return in_courtyard(options);
  }
  static std::vector<AlignResult> align(Aligner& aligner, const PointCloud& scan,
                                        const std::vector<Transform>& guesses) {
    std::vector<AlignResult> out(guesses.size());
    aligner.align_batch(scan, guesses, out);
    return out;
  }
};

TEST_P(Batch, EveryResultHasTheBitsOfTheAlignmentAlone) {
  const PointCloud scan = test_clouds::scan_of(300);
  for (const LineSearch search : all_values<LineSearch>()) {
    const std::vector<Transform> guesses = test_clouds::mixed_guesses(search == LineSearch::off ? 64 : 12);
    AlignOptions options;
    options.line_search = search;
    const auto aligner = batch_aligner(options);
    std::vector<AlignResult> alone;
    for (const Transform& guess : guesses) alone.push_back(aligner->align(scan, guess));
    const auto [fewest, most] = std::minmax_element(
        alone.begin(), alone.end(), [](const auto& a, const auto& b) { return a.iterations < b.iterations; });
    EXPECT_EQ(fewest->iterations, 0);
    EXPECT_GT(most->iterations, 10);
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}, guesses.size()}) {
      const std::vector<AlignResult> together =
          align(*aligner, scan, {guesses.begin(), guesses.begin() + static_cast<long>(count)});
      for (std::size_t k = 0; k < count; ++k)
        EXPECT_TRUE(harness::same_bits(alone[k], together[k]))
            << to_string(search) << ", " << k << " of " << count << ", " << to_string(alone[k].stop);
    }
    const std::vector<AlignResult> backwards = align(*aligner, scan, {guesses.rbegin(), guesses.rend()});
    for (std::size_t k = 0; k < guesses.size(); ++k)
      EXPECT_TRUE(harness::same_bits(alone[k], backwards[guesses.size() - 1 - k]))
          << to_string(search) << ", " << k;
  }
}

TEST_P(Batch, OneTooLargeForTheMemoryOfAnImplementationIsSplitUnseen) {
  AlignOptions options;
  options.max_iterations = 1;
  const auto aligner = batch_aligner(options);
  const std::vector<Transform> guesses =
      test_clouds::mixed_guesses(230);  // the CPU's stages hold 215 of 3000 points
  const std::vector<AlignResult> together = align(*aligner, test_clouds::scan(), guesses);
  for (const std::size_t k : {0U, 100U, 213U, 214U, 215U, 216U, 229U})
    EXPECT_TRUE(harness::same_bits(aligner->align(test_clouds::scan(), guesses[k]), together[k])) << k;
}

void expect_same_trace(const AlignResult& got, const AlignResult& expected) {
  ASSERT_EQ(got.trace.size(), expected.trace.size());
  for (std::size_t line = 0; line < expected.trace.size(); ++line) {
    EXPECT_TRUE(same_bits(got.trace[line].map_from_scan, expected.trace[line].map_from_scan)) << line;
    EXPECT_EQ(got.trace[line].score, expected.trace[line].score) << line;
    EXPECT_EQ(got.trace[line].step_m, expected.trace[line].step_m) << line;
  }
}

/// Every line search, and a trust region.
std::vector<AlignOptions> every_search() {
  std::vector<AlignOptions> out{AlignOptions::pyramid()};
  for (const LineSearch search : all_values<LineSearch>()) out.emplace_back().line_search = search;
  return out;
}

TEST_P(Batch, PosesThatEndFirstLeaveTheOthersResultsAndTracesAsTheyAreAlone) {
  const PointCloud scan = test_clouds::scan_of(300);
  PerScan traced;
  traced.trace = true;
  for (const AlignOptions& options : every_search()) {
    const auto aligner = batch_aligner(options);
    std::vector<Transform> guesses = test_clouds::mixed_guesses(7);  // the third overlaps with nothing
    guesses.insert(guesses.begin(), aligner->align(scan, guesses[0]).map_from_scan);  // ends at once
    std::vector<AlignResult> together(guesses.size());
    aligner->align_batch(scan, guesses, together, traced);
    const auto [fewest, most] =
        std::minmax_element(together.begin(), together.end(),
                            [](const auto& a, const auto& b) { return a.iterations < b.iterations; });
    EXPECT_LE(together[0].iterations, 3);  // a pyramid goes to the coarse map's optimum and back
    EXPECT_EQ(together[3].stop, Stop::no_overlap);
    EXPECT_EQ(fewest->iterations, 0);
    EXPECT_GT(most->iterations, 10);
    for (std::size_t k = 0; k < guesses.size(); ++k) {
      SCOPED_TRACE(std::string(to_string(options.step_control)) + ", " +
                   std::string(to_string(options.line_search)) + ", pose " + std::to_string(k));
      const AlignResult alone = aligner->align(scan, guesses[k], traced);
      EXPECT_TRUE(harness::same_bits(together[k], alone));
      expect_same_trace(together[k], alone);
    }
  }
}

TEST_P(Batch, ScoresAreThoseOfEvaluate) {
  const PointCloud scan = test_clouds::scan_of(300);
  const auto aligner = batch_aligner();
  for (const std::size_t count : {1U, 2U, 7U, 64U}) {
    const std::vector<Transform> poses = test_clouds::mixed_guesses(count);
    std::vector<Score> scores(count);
    aligner->score_batch(scan, poses, scores);
    for (std::size_t k = 0; k < count; ++k) {
      const Evaluation expected = aligner->evaluate(scan, poses[k]);
      EXPECT_EQ(scores[k].correspondences, expected.correspondences) << k;
      EXPECT_NEAR(scores[k].score, expected.score, 1e-6 * expected.score) << k;
      EXPECT_NEAR(scores[k].transform_probability, expected.transform_probability,
                  1e-6 * expected.transform_probability)
          << k;
      EXPECT_NEAR(scores[k].nvtl, expected.nvtl, 1e-6 * expected.nvtl) << k;
    }
  }
}

TEST_P(Batch, WithoutPosesIsNothingToDo) {
  const auto aligner = batch_aligner();
  EXPECT_NO_THROW(aligner->align_batch(test_clouds::scan(), {}, {}));
  EXPECT_NO_THROW(aligner->score_batch(test_clouds::scan(), {}, {}));
}

TEST_P(Batch, NeverGivesAResultOfTheMapBefore) {
  const PointCloud scan = test_clouds::scan_of(300);
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(3);
  PointCloud moved = test_clouds::map();
  for (auto& point : moved.points) point.x += 1;
  const auto aligner = batch_aligner(), fresh = make();
  fresh->set_map(moved);
  const std::vector<AlignResult> expected = align(*fresh, scan, guesses);
  std::vector<AlignResult> got(guesses.size());
  aligner->submit(scan, guesses);
  aligner->set_map(moved);
  try {
    aligner->collect(got);
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(harness::same_bits(got[k], expected[k])) << k;
  } catch (const std::logic_error&) {  // it dropped what was submitted
  }
  EXPECT_TRUE(harness::same_bits(aligner->align(scan, guesses[1]), expected[1]));
}

TEST_P(Batch, RefusesMorePosesThanItTakesAndResultsThatDoNotMatch) {
  const PointCloud scan = test_clouds::scan_of(30);
  const auto aligner = batch_aligner();
  const auto refused = [&](std::size_t poses, std::size_t results) {
    const std::vector<Transform> some(poses);
    std::vector<AlignResult> aligned(results);
    std::vector<Score> scored(results);
    EXPECT_THROW(aligner->align_batch(scan, some, aligned), std::invalid_argument) << poses << ' ' << results;
    EXPECT_THROW(aligner->score_batch(scan, some, scored), std::invalid_argument) << poses << ' ' << results;
  };
  refused(3, 2);
  refused(2, 3);
  refused(1, 0);
  refused(0, 1);
  refused(Limits::kBatch + 1, Limits::kBatch + 1);
}

TEST_P(Batch, RefusesAPoseThatIsNotRigidAndACallWithoutAMap) {
  const PointCloud scan = test_clouds::scan_of(30);
  std::vector<Transform> poses(3);
  std::vector<AlignResult> aligned(3);
  std::vector<Score> scored(3);
  const auto mapless = make();
  EXPECT_THROW(mapless->align_batch(scan, poses, aligned), std::logic_error);
  EXPECT_THROW(mapless->score_batch(scan, poses, scored), std::logic_error);
  poses[1](0, 0) = 2;
  const auto aligner = batch_aligner();
  EXPECT_THROW(aligner->align_batch(scan, poses, aligned), std::invalid_argument);
  EXPECT_THROW(aligner->score_batch(scan, poses, scored), std::invalid_argument);
}

NDT_ON_EVERY_IMPLEMENTATION(Batch);

}  // namespace
}  // namespace ndt
