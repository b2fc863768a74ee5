// The particle that wins a search, and whether it is reliable: rivals, looks from beside, sight lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hill.hpp"
#include "walls.hpp"

namespace ndt::initial_pose {
namespace {

TEST(Search, TheBestHasTheLargestNvtlTheFirstOnTies) {
  Hill aligner;
  aligner.change = [](AlignResult& r) {
    r.nvtl = r.map_from_scan(0, 3) > -1.5 ? 2.5 : 1, r.transform_probability = 1 / r.nvtl;
    if (r.nvtl > 2) r.map_from_scan = {};
  };
  const SearchResult result = search(aligner, kScan, kPrior, kBatched, options(20, 20));
  std::size_t first = 0;
  while (result.particles[first].result.nvtl < 2) ++first;
  EXPECT_EQ(result.best, first);
  EXPECT_TRUE(result.reliable.value());
  aligner.change = [](AlignResult& r) { r.nvtl = 2.3, r.map_from_scan = {}; };
  EXPECT_FALSE(search(aligner, kScan, kPrior, kBatched, options(20, 20)).reliable.value());  // strictly above
}

TEST(Search, ANvtlThatIsNoNumberNeverWins) {
  Hill aligner;
  int answers = 0;
  aligner.change = [&](AlignResult& r) {
    if (answers++ % 2 == 0) r.nvtl = std::numeric_limits<double>::quiet_NaN();
  };
  const SearchResult result = search(aligner, kScan, kPrior, kSequential, options(20, 20));
  EXPECT_EQ(result.best % 2, 1U);
  EXPECT_FALSE(std::isnan(result.evidence.runner_up_ratio));
}

TEST(Search, TheRunnerUpIsTheBestOfAnotherPlaceHoweverItEnded) {
  Hill aligner;
  const auto two_hills = [](double left, Stop stop) {
    return [=](AlignResult& r) {
      const bool right = r.map_from_scan(0, 3) > 0;
      r.map_from_scan = to_transform(Pose{right ? 5.0 : -5.0, 0, 0, 0, 0, 0});
      r.nvtl = right ? 3 : left;
      r.transform_probability = 2 * r.nvtl;
      if (!right) r.stop = stop;
    };
  };
  aligner.change = two_hills(2.9, Stop::converged);
  const SearchResult alike = search(aligner, kScan, kPrior, kBatched, options(20, 20));
  ASSERT_TRUE(alike.runner_up.has_value());
  EXPECT_NEAR(alike.evidence.runner_up_ratio, 2.9 / 3, 1e-12);
  EXPECT_EQ(alike.judgement.verdict, Verdict::ambiguous);
  EXPECT_FALSE(alike.reliable.value());
  aligner.change = two_hills(1.5, Stop::converged);
  const SearchResult apart = search(aligner, kScan, kPrior, kBatched, options(20, 20));
  EXPECT_EQ(apart.judgement.verdict, Verdict::reliable);
  EXPECT_TRUE(apart.reliable.value());
  for (const Stop stop : {Stop::max_iterations, Stop::degenerate, Stop::line_search_failed}) {
    aligner.change = two_hills(2.9, stop);
    const SearchResult moving = search(aligner, kScan, kPrior, kBatched, options(20, 20));
    EXPECT_TRUE(has(moving, Doubt::rival)) << to_string(stop);
    EXPECT_FALSE(moving.reliable.value()) << to_string(stop);
  }
  aligner.change = two_hills(2.9, Stop::no_overlap);
  const SearchResult alone = search(aligner, kScan, kPrior, kBatched, options(20, 20));
  EXPECT_FALSE(alone.runner_up.has_value());
  EXPECT_EQ(alone.evidence.runner_up_ratio, 0);
  aligner.change = [&](AlignResult& r) {
    two_hills(2.9, Stop::converged)(r);
    if (r.nvtl < 3) r.transform_probability = 3;  // good where it has voxels, half outside the map
  };
  const SearchResult outside = search(aligner, kScan, kPrior, kBatched, options(20, 20));
  EXPECT_NEAR(outside.evidence.runner_up_ratio, 0.5, 1e-12);
  EXPECT_TRUE(outside.reliable.value());
}

TEST(Search, WhatComesToRestInTheModeOfTheBestIsNoRival) {
  Hill aligner;
  aligner.change = [](AlignResult& r) {
    const bool far = std::abs(r.map_from_scan(0, 3)) > 3.5;  // two alignments away
    r.stop = far ? Stop::max_iterations : Stop::converged;
    r.map_from_scan = to_transform(Pose{far ? 3.4 : 0, 0, 0, 0, 0, 0});
    r.nvtl = far ? 2.95 : 3;
    r.transform_probability = 2 * r.nvtl;
  };
  const PosePrior wide{{0, 0, 0, 0, 0, 0}, {3, 0, 0, 0, 0}};
  SearchOptions one_far = options(5, 5);
  const auto far_ones = [](const SearchResult& r) {
    return std::ranges::count(r.particles, Stop::max_iterations,
                              [](const Particle& particle) { return particle.result.stop; });
  };
  SearchResult result = search(aligner, kScan, wide, kBatched, one_far);
  for (; far_ones(result) != 1; result = search(aligner, kScan, wide, kBatched, one_far)) ++one_far.seed;
  EXPECT_FALSE(result.runner_up.has_value());
  EXPECT_EQ(result.evidence.agreeing, 5);
  EXPECT_EQ(result.judgement.verdict, Verdict::reliable);
}

TEST(Search, LooksFromBesideTheAnswer) {
  Hill aligner;
  const auto basin = [](double reach_m) {
    return [=](AlignResult& r) {
      const bool finds = std::hypot(r.map_from_scan(0, 3) - 1, r.map_from_scan(1, 3)) < reach_m;
      if (finds) r.map_from_scan = to_transform(Pose{1, 0, 0, 0, 0, 0});
      r.nvtl = finds ? 3 : 1;
      r.transform_probability = 2 * r.nvtl;
    };
  };
  aligner.change = basin(1.2);
  const SearchResult firm = search(aligner, kScan, kPrior, kBatched, options(200, 200));
  EXPECT_LT(firm.evidence.spread_m.value(), 1e-12);
  EXPECT_EQ(firm.judgement.verdict, Verdict::reliable);
  aligner.change = [](AlignResult& r) {  // along x it stays where it begins, with hardly a loss
    r.map_from_scan = to_transform(Pose{r.map_from_scan(0, 3), 0, 0, 0, 0, 0});
    r.nvtl = 3 - 0.1 * std::abs(r.map_from_scan(0, 3));
    r.transform_probability = r.nvtl;
  };
  const SearchResult sliding = search(aligner, kScan, {{}, {0.1, 0, 0, 0, 0}}, kBatched, options(20, 20));
  EXPECT_NEAR(sliding.evidence.spread_m.value(), 1, 1e-6);
  EXPECT_EQ(sliding.judgement.verdict, Verdict::ambiguous);
  EXPECT_TRUE(has(sliding, Doubt::spread));
}

/// Particles come to x 2 and, nearly as good, to x -2; the scan was taken at `x`.
SearchResult search_between_two_places(double x, Stop stop, const SightLines* sight_lines) {
  Hill aligner;
  aligner.change = [&](AlignResult& r) {
    const double side = r.map_from_scan(0, 3) > 0 ? 1 : -1;
    r.map_from_scan = to_transform(Pose{2 * side, 0, 0, 0, 0, 0});
    r.nvtl = side > 0 ? 3 : 2.95, r.transform_probability = 2 * r.nvtl, r.stop = stop;
  };
  const PointCloud scan = seen_from(to_transform(Pose{x, 0, 0, 0, 0, 0}), room());
  return search(aligner, scan, kPrior, kBatched, options(20, 20), {}, {}, sight_lines);
}

TEST(Search, ARivalFromWhichTheScanSeesOtherThingsIsNone) {
  const SightLines sight_lines(room());
  EXPECT_TRUE(has(search_between_two_places(2, Stop::converged, nullptr), Doubt::rival));
  const SearchResult found = search_between_two_places(2, Stop::converged, &sight_lines);
  EXPECT_EQ(found.judgement.verdict, Verdict::reliable);
  EXPECT_FALSE(found.runner_up);
  EXPECT_EQ(found.evidence.sight->contradiction(), 0);
}

TEST(Search, AnAnswerFromWhichTheScanSeesOtherThingsIsNotFound) {
  const SightLines sight_lines(room());
  const SearchResult found = search_between_two_places(-2, Stop::converged, &sight_lines);
  EXPECT_EQ(doubt_names(found.judgement), "contradicted, rival");
  EXPECT_EQ(found.judgement.verdict, Verdict::not_found);
}

TEST(Search, AFreeDirectionIsNoDoubtWhereTheSceneHoldsThePose) {
  const SightLines sight_lines(room());
  EXPECT_TRUE(has(search_between_two_places(2, Stop::degenerate, nullptr), Doubt::free_direction));
  const SearchResult found = search_between_two_places(2, Stop::degenerate, &sight_lines);
  EXPECT_EQ(found.judgement.verdict, Verdict::reliable);
  EXPECT_EQ(found.evidence.spread_m, 0) << "it is looked at from beside, as an answer that converged";
}

TEST(Search, InACorridorTheScanFitsAllAlong) {
  Hill aligner;
  aligner.change = [](AlignResult& r) {
    r.map_from_scan = to_transform(Pose{r.map_from_scan(0, 3), 0, 0, 0, 0, 0});
    r.nvtl = 3, r.transform_probability = 6, r.stop = Stop::degenerate;
  };
  const SightLines sight_lines(corridor());
  const PointCloud scan = seen_from({}, corridor());
  const PosePrior one_place{{0.1, 0, 0, 0, 0, 0}, {}};
  const SearchResult found = search(aligner, scan, one_place, kBatched, options(5, 5), {}, {}, &sight_lines);
  EXPECT_EQ(found.judgement.verdict, Verdict::ambiguous);
  EXPECT_EQ(doubt_names(found.judgement), "spread") << "all particles agree; those from beside do not";
}

TEST(Search, WithoutAThresholdNothingIsSaidOfAPoseThatOnlyLacksOne) {
  Hill aligner;
  aligner.change = [](AlignResult& r) { r.nvtl = 3, r.map_from_scan = {}; };
  SearchOptions unknown = options(20, 20);
  unknown.reliable_nvtl.reset();
  EXPECT_FALSE(search(aligner, kScan, kPrior, kBatched, unknown).reliable.has_value());
  aligner.change = [](AlignResult& r) { r.stop = Stop::degenerate; };
  EXPECT_EQ(search(aligner, kScan, kPrior, kBatched, unknown).reliable, false);
}

TEST(Search, BoundsAreSharesOfTheMapsOwnScoresUnlessItIsTooThin) {
  const ReliableBounds known = reliable_bounds({3, 0.9, 0.34}, AlignOptions::pyramid());
  EXPECT_DOUBLE_EQ(known.nvtl.value(), 2.4);
  EXPECT_DOUBLE_EQ(known.matched.value(), 0.765);
  EXPECT_EQ(known.unknown, "");
  AlignOptions coarse = AlignOptions::pyramid();
  coarse.levels = {2.5, 1, 0.5}, coarse.resolution_m = 3;
  const ReliableBounds thin = reliable_bounds({3, 0.9, 0.32}, coarse);
  EXPECT_FALSE(thin.nvtl || thin.matched);
  EXPECT_EQ(thin.unknown, "this map, 32 % of whose points have a voxel of 1.5 m (expected 33 % or more)");
}

TEST(Search, AlongAStreetPlacesAlikeAreRivalsThoughNoneConverges) {
  Hill aligner;
  aligner.change = [](AlignResult& r) {
    const double along = r.map_from_scan(0, 3);
    r.map_from_scan = to_transform(Pose{along, 0, 0, 0, 0, 0});
    r.nvtl = 3 - 0.001 * std::abs(along);
    r.stop = Stop::degenerate;
  };
  EXPECT_EQ(search(aligner, kScan, kPrior, kBatched, options(40, 40)).judgement.verdict, Verdict::ambiguous);
}

TEST(Search, ModesAreFartherApartThanTwoGoodPosesCanBe) {
  const Transform here;
  EXPECT_FALSE(is_another_mode(here, to_transform(Pose{0.99, 0, 0, 0, 0, 0.08})));
  EXPECT_TRUE(is_another_mode(here, to_transform(Pose{1.01, 0, 0, 0, 0, 0})));
  EXPECT_TRUE(is_another_mode(here, to_transform(Pose{0, 0, 0, 0, 0, 0.09})));
}

}  // namespace
}  // namespace ndt::initial_pose
