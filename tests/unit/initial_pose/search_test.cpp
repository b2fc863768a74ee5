// The search on an aligner whose answers are written down: who is asked, how often, and when it ends.
#include "ndt/initial_pose/search.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <stop_token>

#include "hill.hpp"
#include "run/repeatability.hpp"
#include "walls.hpp"

namespace ndt::initial_pose {
namespace {

TEST(Search, LeavesNoReturnsOut) {
  const PointCloud scan{{}, {{5, 1, 1}, {0, 0, 0}, {6, 1, 1}}};
  SearchOptions o = options(2, 2);
  Hill hill;
  search(hill, scan, kPrior, kSequential, o);
  EXPECT_EQ(hill.points, 2u);
  search_places(hill, scan, {Pose{}}, kSequential, o);
  EXPECT_EQ(hill.points, 2u);
  o.keep_no_returns = true;
  search(hill, scan, kPrior, kSequential, o);
  EXPECT_EQ(hill.points, 3u);
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

void expect_same(const SearchResult& a, const SearchResult& b) {
  ASSERT_EQ(a.particles.size(), b.particles.size());
  EXPECT_EQ(a.best, b.best);
  for (std::size_t k = 0; k < a.particles.size(); ++k)
    EXPECT_TRUE(harness::same_bits(a.particles[k].result, b.particles[k].result)) << k;
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
