// The search of a whole map on an aligner whose answers are written down: places are found, then aligned.
#include "ndt/initial_pose/anywhere.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "scripted_aligner.hpp"
#include "yard.hpp"

namespace ndt::initial_pose {
namespace {

/// Every pose stays where it is; NVTL is how near it is to a place. Counts how it was asked.
class Still : public ScriptedAligner {
 public:
  bool ignores_limits = false;
  bool is_firm = false;  ///< poses within 3 m of the truth end at it

  AlignResult align(const Scan&, const Transform& guess, const PerScan& per_scan) override {
    AlignResult result;
    const bool near_truth = std::hypot(guess(0, 3) - 14, guess(1, 3) - 9) < 3;
    result.map_from_scan = is_firm && near_truth ? to_transform(Yard{}.truth) : guess;
    result.stop = ignores_limits ? Stop::converged : interruption(per_scan).value_or(Stop::converged);
    result.nvtl = 3 * std::exp(-std::hypot(guess(0, 3) - 14, guess(1, 3) - 9));
    return result;
  }
};

AnywhereSearch on_two_threads(const PointCloud& map) {
  AlignOptions options;
  options.threads = 2;
  return AnywhereSearch(map, options, false, 0.5);
}

TEST(Anywhere, AlignsThePlacesInOneBatchOrOneByOneWithTheSameResult) {
  const Yard yard;
  AnywhereSearch anywhere = on_two_threads(yard.map);
  SearchOptions options;
  options.method = Method::anywhere, options.particles = 30;
  Still one, batch;
  const auto run = [&](Aligner& aligner, const Strategy& strategy) {
    return anywhere.run(aligner, yard.scan, anywhere.whole_map(), {}, strategy, options);
  };
  const AnywhereResult single = run(one, strategies()[0]), together = run(batch, strategies()[2]);
  expect_same(single.coarse, together.coarse);
  const std::size_t places = together.coarse.places.size(), beside = 6;
  EXPECT_EQ(batch.calls, (std::vector<std::size_t>{places, beside}));
  std::vector<std::size_t> each(places, 1);
  each.push_back(beside);
  EXPECT_EQ(one.calls, each);
  EXPECT_EQ(single.search.best, together.search.best);
  EXPECT_EQ(together.search.particles[0].start.x, together.coarse.places[0].pose.x);
  EXPECT_FALSE(together.search.interrupted);
}

TEST(Anywhere, ABudgetOfAMillisecondStillGivesAPose) {
  const Yard yard;
  AnywhereSearch anywhere = on_two_threads(yard.map);
  SearchOptions options;
  PerScan limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  Still aligner;
  const AnywhereResult found =
      anywhere.run(aligner, yard.scan, anywhere.whole_map(), {}, strategies()[2], options, limits);
  EXPECT_FALSE(found.search.particles.empty());
  EXPECT_EQ(found.search.interrupted, Stop::timeout);
}

TEST(Anywhere, APriorThatWasNotSearchedWholeHasNoReliableAnswer) {
  const Yard yard;
  AnywhereSearch anywhere = on_two_threads(yard.map);
  SearchOptions options;
  options.reliable_nvtl = 0.1;
  const auto reliable = [&](const PerScan& limits) {
    Still aligner;
    aligner.ignores_limits = aligner.is_firm = true;
    return anywhere
        .run(aligner, yard.scan, {{13, 8, 1}, {15, 10, 2}}, yard.truth, strategies()[2], options, limits)
        .search.reliable;
  };
  EXPECT_EQ(reliable({}), true);
  PerScan late;
  late.deadline = std::chrono::steady_clock::now();
  EXPECT_NE(reliable(late), true);
}

TEST(Anywhere, WithoutAPyramidTheMethodIsRefused) {
  Still aligner;
  SearchOptions options;
  options.method = Method::anywhere;
  EXPECT_THROW(search(aligner, {}, {}, strategies()[0], options), std::invalid_argument);
  EXPECT_THROW(search_places(aligner, {}, {}, strategies()[0], options), std::invalid_argument);
}

}  // namespace
}  // namespace ndt::initial_pose
