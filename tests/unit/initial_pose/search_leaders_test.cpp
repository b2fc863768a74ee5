// The best particles of a search are continued until they have come to rest, and judged there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "hill.hpp"
#include "walls.hpp"

namespace ndt::initial_pose {
namespace {

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

}  // namespace
}  // namespace ndt::initial_pose
