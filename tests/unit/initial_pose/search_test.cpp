// The search on an aligner whose answers are written down: who is asked, how often, and which particle wins.
#include "ndt/initial_pose/search.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "run/repeatability.hpp"
#include "walls.hpp"

namespace ndt::initial_pose {
namespace {

const PosePrior kPrior{{0, 0, 0, 0, 0, 0}, {3, 3, 0, 0, 0}};
const PointCloud kScan;
const Strategy& kSequential = strategies()[0];
const Strategy& kBatched = strategies()[1];
const Strategy& kRounds = strategies()[2];

/// Every pose stays where it is; NVTL and probability fall with the distance to a place and a heading. Counts
/// how it was asked.
class Hill : public Aligner {
 public:
  std::vector<std::size_t> calls;  ///< poses of each

  MapInfo set_map(const PointCloud&) override { return {}; }
  AlignResult align(const PointCloud&, const Transform& guess, const PerScan& per_scan) override {
    return answer(guess, per_scan);
  }
  void submit(const PointCloud& scan, std::span<const Transform> guesses, const PerScan& per_scan) override {
    calls.push_back(guesses.size());
    Aligner::submit(scan, guesses, per_scan);
  }
  Evaluation evaluate(const PointCloud&, const Transform&, const PerScan&) override { return {}; }
  std::vector<VoxelInfo> voxels() const override { return {}; }

  std::function<void(AlignResult&)> change = [](AlignResult&) {};

 private:
  AlignResult answer(const Transform& guess, const PerScan& per_scan) const {
    AlignResult result;
    result.map_from_scan = guess;
    result.stop = interruption(per_scan).value_or(Stop::converged);
    result.nvtl = 3 * std::exp(-std::hypot(guess(0, 3) - 1, guess(1, 3), 2 * derivative_pose(guess).yaw));
    result.transform_probability = 2 * result.nvtl;
    change(result);
    return result;
  }
};

SearchOptions options(int particles, int startup, int at_once = 4) {
  SearchOptions o;
  o.reliable_nvtl = 2.3;
  o.particles = particles, o.startup = startup, o.at_once = at_once;
  return o;
}

void expect_same(const SearchResult& a, const SearchResult& b) {
  ASSERT_EQ(a.particles.size(), b.particles.size());
  EXPECT_EQ(a.best, b.best);
  for (std::size_t k = 0; k < a.particles.size(); ++k)
    EXPECT_TRUE(harness::same_bits(a.particles[k].result, b.particles[k].result)) << k;
}

using Sizes = std::vector<std::size_t>;

bool has(const SearchResult& result, Doubt doubt) {
  return std::ranges::find(result.judgement.doubts, doubt) != result.judgement.doubts.end();
}

TEST(Search, TellsHowManyPosesItAlignsAtOnce) {
  SearchOptions o = options(30, 20, 4);
  EXPECT_EQ(poses_at_once(kSequential, o), 1u);
  EXPECT_EQ(poses_at_once(kBatched, o), 1u) << "guided ones come one by one";
  EXPECT_EQ(poses_at_once(kRounds, o), 4u);
  for (const Method unguided : {Method::random, Method::grid, Method::anywhere}) {
    o.method = unguided;
    EXPECT_EQ(poses_at_once(kSequential, o), 1u);
    EXPECT_EQ(poses_at_once(kBatched, o), 30u);
    EXPECT_EQ(poses_at_once(kRounds, o), 30u);
  }
}

TEST(Search, EveryStrategyAsksInItsOwnPortions) {
  Hill one, batched, rounds;
  search(one, kScan, kPrior, kSequential, options(30, 20));
  search(batched, kScan, kPrior, kBatched, options(30, 20));
  search(rounds, kScan, kPrior, kRounds, options(30, 20));
  Sizes one_by_one(30, 1);
  one_by_one.push_back(6);
  EXPECT_EQ(one.calls, one_by_one) << "in the end those from beside the answer";
  EXPECT_EQ(batched.calls, (Sizes{20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6}));
  EXPECT_EQ(rounds.calls, (Sizes{20, 4, 4, 2, 6}));
}

TEST(Search, TellsWhereItsTimeGoes) {
  Hill rounds;
  const SightLines sight_lines(room());
  const SearchTimes times =
      search(rounds, kScan, kPrior, kRounds, options(30, 20), {}, {}, &sight_lines).times;
  EXPECT_THAT(times.batches, testing::ElementsAre(1, 3, 0, 1, 0));
  for (const SearchPart part : {SearchPart::startup, SearchPart::guided})
    for (const SearchWork work :
         {SearchWork::choose, SearchWork::submit, SearchWork::collect, SearchWork::take})
      EXPECT_GT(times.of(part, work), 0) << to_string(part) << ", " << to_string(work);
  EXPECT_GT(times.of(SearchPart::startup, SearchWork::look), 0) << "what looks need of the scan";
  EXPECT_GT(times.of(SearchPart::beside, SearchWork::look), 0);
}

TEST(Search, LooksFromTheAnswerWhetherOrNotItWasTheBestBeforeLeadersWereContinued) {
  const PointCloud scan = seen_from({}, room());
  const SightLines sight_lines(room());
  for (const bool is_surpassed : {false, true}) {
    Hill aligner;
    const auto is_proposed = [&] { return aligner.calls.size() <= 4; };
    aligner.change = [&](AlignResult& result) {
      // The best leaders come to rest when they are continued, or the worst never do.
      if (is_surpassed ? is_proposed() && result.nvtl > 1 : result.nvtl < 1)
        result.stop = Stop::max_iterations;
    };
    const SearchResult found = search(aligner, scan, kPrior, kRounds, options(60, 48), {}, {}, &sight_lines);
    ASSERT_GT(found.times.batches[static_cast<std::size_t>(SearchPart::finishing)], 0);
    EXPECT_EQ(found.best_particle().role, is_surpassed ? Role::continued : Role::proposed);
    const Sight expected = sight_lines.look(ScanRays(scan), found.best_particle().result.map_from_scan);
    ASSERT_TRUE(found.evidence.sight);
    EXPECT_GT(expected.contradiction(), 0);
    EXPECT_EQ(found.evidence.sight->seen_through, expected.seen_through);
    EXPECT_EQ(found.evidence.sight->unmapped, expected.unmapped);
    EXPECT_EQ(found.evidence.sight->in_view, expected.in_view);
  }
}

TEST(Search, WithoutRoundsTheResultIsTheSequentialOne) {
  Hill aligner;
  const SearchResult expected = search(aligner, kScan, kPrior, kSequential, options(60, 20));
  expect_same(search(aligner, kScan, kPrior, kBatched, options(60, 20)), expected);
  expect_same(search(aligner, kScan, kPrior, kRounds, options(60, 20, 1)), expected);
  expect_same(search(aligner, kScan, kPrior, kRounds, options(60, 20, 8)),
              search(aligner, kScan, kPrior, kRounds, options(60, 20, 8)));
}

TEST(Search, OtherMethodsHaveNoGuidanceAndGoInOneCall) {
  Hill random, grid;
  SearchOptions o = options(30, 5);
  o.method = Method::random;
  const SearchResult drawn = search(random, kScan, kPrior, kBatched, o);
  EXPECT_EQ(random.calls, (Sizes{30, 6}));
  o.method = Method::grid;
  const SearchResult lattice = search(grid, kScan, kPrior, kBatched, o);
  EXPECT_EQ(grid.calls, (Sizes{27, 6}));  // 3 x 3 cells, 3 headings
  for (const SearchResult* result : {&drawn, &lattice})
    for (const Particle& particle : result->particles) EXPECT_FALSE(particle.guided);
  o.method = Method::grid;
  expect_same(search(grid, kScan, kPrior, kSequential, o), lattice);
}

TEST(Search, GuidanceComesCloserThanChance) {
  Hill aligner;
  int wins = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SearchOptions o = options(200, 100);
    o.seed = seed;
    const SearchResult guided = search(aligner, kScan, kPrior, kRounds, o);
    o.method = Method::random;
    o.seed += 100;
    wins += guided.best_particle().result.nvtl >
            search(aligner, kScan, kPrior, kRounds, o).best_particle().result.nvtl;
  }
  EXPECT_GE(wins, 16);  // p < 0.01 if both were as good
}

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

/// Steps along x towards `to`, a metre an alignment, so that most end at the limit.
auto a_metre_towards(double to) {
  return [=](AlignResult& r) {
    const double from = r.map_from_scan(0, 3), left = to - from;
    r.map_from_scan = to_transform(Pose{from + std::clamp(left, -1.0, 1.0), 0, 0, 0, 0, 0});
    r.stop = std::abs(left) <= 1 ? Stop::converged : Stop::max_iterations;
    r.nvtl = 3 - 0.3 * std::abs(to - r.map_from_scan(0, 3));
    r.evaluations = 10;
  };
}

TEST(Search, TheLeadersAreContinuedUntilTheyHaveComeToRest) {
  const PosePrior beside{{0, 0, 0, 0, 0, 0}, {0.1, 0, 0, 0, 0}};
  Hill aligner;
  aligner.change = a_metre_towards(3.5);
  Sizes seen;
  const SearchResult result =
      search(aligner, kScan, beside, kRounds, options(20, 20), {},
             [&](const std::vector<Particle>& particles) { seen.push_back(particles.size()); });
  EXPECT_EQ(seen, (Sizes{20, 21, 22, 23, 29})) << "one a mode; each is an alignment that is seen and counted";
  EXPECT_EQ(result.best, 22U);
  EXPECT_EQ(result.proposed(), 20U);
  const Particle &best = result.best_particle(), &before = result.particles[21];
  EXPECT_EQ(best.role, Role::continued);
  EXPECT_EQ(best.start.x, before.result.map_from_scan(0, 3)) << "from where it ended";
  EXPECT_NEAR(best.result.map_from_scan(0, 3), 3.5, 1e-12);
  EXPECT_EQ(best.result.stop, Stop::converged);
  EXPECT_EQ(result.particles.back().role, Role::beside);
}

TEST(Search, ALeaderThatNeverComesToRestIsNotReliable) {
  const PosePrior beside{{0, 0, 0, 0, 0, 0}, {0.1, 0, 0, 0, 0}};
  Hill aligner;
  aligner.change = a_metre_towards(8);
  SearchOptions low = options(20, 20);
  low.reliable_nvtl = 0.1;
  const SearchResult result = search(aligner, kScan, beside, kBatched, low);
  EXPECT_EQ(result.particles.size(), 23U);
  EXPECT_EQ(result.best_particle().result.stop, Stop::max_iterations);
  EXPECT_GT(result.best_particle().result.nvtl, 0.1);
  EXPECT_EQ(result.judgement.verdict, Verdict::not_found);
  EXPECT_TRUE(has(result, Doubt::not_at_rest));
}

/// Between a good place at x = 4 and a poor one at x = -4, which an alignment from x < 0 reaches in two.
void drift(AlignResult& r) {
  const double x = r.map_from_scan(0, 3);
  const double to = x > 0 ? 4 : x < -2.2 ? -4 : -2.5;
  r.map_from_scan = to_transform(Pose{to, 0, 0, 0, 0, 0});
  r.stop = to == -2.5 ? Stop::max_iterations : Stop::converged;
  r.nvtl = to == 4 ? 3 : to == -2.5 ? 3.5 : 1;  // a good score on the way tells nothing
  r.transform_probability = 2 * r.nvtl;
}

TEST(Search, AParticleThatWasOnItsWayIsJudgedWhereItComesToRest) {
  Hill aligner;
  aligner.change = drift;
  const SearchResult result = search(aligner, kScan, kPrior, kBatched, options(20, 20));
  EXPECT_EQ(result.best_particle().result.map_from_scan(0, 3), 4);
  EXPECT_EQ(std::ranges::count(result.particles, Role::continued, &Particle::role), 1);
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

TEST(Search, AThresholdIsKnownForTheScalesThatWereMeasured) {
  EXPECT_EQ(known_reliable_nvtl(AlignOptions::autoware()), 2.3);
  EXPECT_EQ(known_reliable_nvtl(AlignOptions::textbook()), 2.4);
  EXPECT_EQ(known_reliable_nvtl(AlignOptions::pyramid()), 2.4);
  EXPECT_EQ(known_reliable_nvtl(AlignOptions::wide_pyramid()), 2.4);
  AlignOptions finer = AlignOptions::pyramid(), direct, coarse;
  finer.levels = {2.5, 1, 0.5};
  direct.neighbours = Neighbours::direct7;
  coarse.resolution_m = 10;
  for (const AlignOptions& options : {finer, direct, coarse})
    EXPECT_FALSE(known_reliable_nvtl(options).has_value());
  EXPECT_EQ(unknown_scale(finer), "voxels of 1 m");
  EXPECT_EQ(unknown_scale(coarse), "voxels of 10 m");
}

TEST(Search, ContinuesNothingOnceItIsToldToEnd) {
  Hill aligner;
  aligner.change = a_metre_towards(8);
  std::stop_source source;
  PerScan stoppable;
  stoppable.stop = source.get_token();
  const SearchResult result = search(aligner, kScan, kPrior, kBatched, options(20, 20), stoppable,
                                     [&](const auto&) { source.request_stop(); });
  EXPECT_EQ(result.particles.size(), 20U);
  EXPECT_EQ(result.interrupted, Stop::cancelled);
  EXPECT_FALSE(result.reliable.value());
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

TEST(Search, OneParticleNoStartUpAndNoDeviationAreFine) {
  Hill aligner;
  EXPECT_EQ(search(aligner, kScan, kPrior, kSequential, options(1, 100)).proposed(), 1U);
  EXPECT_EQ(search(aligner, kScan, kPrior, kRounds, options(25, 0)).proposed(), 25U);
  const PosePrior sure{{1, 2, 3, 0.1, 0.2, 0.3}, {0, 0, 0, 0, 0}};
  for (const Particle& particle : search(aligner, kScan, sure, kRounds, options(40, 20)).particles) {
    if (particle.role != Role::proposed) continue;
    EXPECT_EQ(particle.start.x, 1);
    EXPECT_EQ(particle.start.pitch, 0.2);
  }
}

TEST(Search, ParticlesThatNeverMetTheMapAreWorseThanAllThatDid) {
  Hill aligner;
  aligner.change = [](AlignResult& r) {
    if (r.map_from_scan(0, 3) < 0) return;
    r.stop = Stop::no_overlap, r.nvtl = 0, r.transform_probability = 1e9;  // not to be looked at
  };
  const SearchResult half = search(aligner, kScan, kPrior, kRounds, options(200, 100));
  EXPECT_EQ(half.best_particle().result.stop, Stop::converged);
  int there = 0;
  for (const Particle& particle : half.particles) there += particle.guided && particle.start.x < 0.5;
  EXPECT_GT(there, 60) << "of 100; by chance 57, far fewer if the others looked good";
  aligner.change = [](AlignResult& r) {
    r.stop = Stop::no_overlap, r.nvtl = 0, r.transform_probability = std::numeric_limits<double>::quiet_NaN();
  };
  const SearchResult none = search(aligner, kScan, kPrior, kRounds, options(60, 30));
  EXPECT_EQ(none.particles.size(), 60U);
  EXPECT_EQ(none.best, 0U);
  EXPECT_FALSE(none.reliable.value());
  EXPECT_EQ(none.judgement.verdict, Verdict::not_found);
  EXPECT_EQ(none.judgement.doubts.front(), Doubt::no_overlap);
}

TEST(Search, EndsWithWhatItHasWhenItIsToldTo) {
  Hill aligner;
  PerScan past;
  past.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const SearchResult late = search(aligner, kScan, kPrior, kSequential, options(50, 20), past);
  EXPECT_EQ(late.particles.size(), 1U);
  EXPECT_EQ(late.interrupted, Stop::timeout);

  std::stop_source source;
  PerScan stoppable;
  stoppable.stop = source.get_token();
  const SearchResult stopped = search(aligner, kScan, kPrior, kRounds, options(50, 20, 5), stoppable,
                                      [&](const std::vector<Particle>& particles) {
                                        if (particles.size() == 30) source.request_stop();
                                      });
  EXPECT_EQ(stopped.particles.size(), 30U);
  EXPECT_EQ(stopped.interrupted, Stop::cancelled);
  EXPECT_FALSE(search(aligner, kScan, kPrior, kRounds, options(50, 20)).interrupted.has_value());

  SearchOptions one_call = options(50, 50);
  one_call.method = Method::random;
  const SearchResult unfinished = search(aligner, kScan, kPrior, kBatched, one_call, past);
  EXPECT_EQ(unfinished.particles.size(), 50U);
  EXPECT_EQ(unfinished.interrupted, Stop::timeout) << "all are there, none is finished";
}

TEST(Search, WhatIsDrawnFromThePriorIsNotCalledGuided) {
  Hill aligner;
  const SearchResult result = search(aligner, kScan, kPrior, kRounds, options(40, 0, 4));
  for (std::size_t k = 0; k < result.proposed(); ++k)
    EXPECT_EQ(result.particles[k].guided, k >= 12)
        << k;  // ten trials make the first good one, told after three rounds
}

TEST(Search, TheObserverSeesEveryRound) {
  Hill aligner;
  Sizes seen;
  search(aligner, kScan, kPrior, kRounds, options(30, 20), {},
         [&](const std::vector<Particle>& particles) { seen.push_back(particles.size()); });
  EXPECT_EQ(seen, (Sizes{20, 24, 28, 30, 36}));
}

TEST(Search, RefusesWhatItCannotDo) {
  Hill aligner;
  PosePrior nowhere = kPrior;
  nowhere.mean.x = std::numeric_limits<double>::quiet_NaN();
  for (const Method method : {Method::tpe, Method::random, Method::grid}) {
    SearchOptions o = options(3, 2);
    o.method = method;
    EXPECT_THROW(search(aligner, kScan, nowhere, kSequential, o), std::invalid_argument);
  }
  for (const SearchOptions& o : {options(0, 0), options(3, -1), options(3, 2, 0), options(65536, 0)})
    EXPECT_THROW(search(aligner, kScan, kPrior, kSequential, o), std::invalid_argument);
}

}  // namespace
}  // namespace ndt::initial_pose
