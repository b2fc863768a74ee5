// A search that is shared over scans: what each share aligns, what the next one takes over, and when it
// answers.
#include "ndt/initial_pose/anytime_search.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <stdexcept>

#include "hill.hpp"
#include "run/repeatability.hpp"

namespace ndt::initial_pose {
namespace {

using std::chrono_literals::operator""h;

SearchResult go_on(AnytimeSearch& search, Aligner& aligner, const Share& share,
                   const Transform& moved = Transform(), const PosePrior& prior = kPrior) {
  return search.go_on(aligner, kScan, prior, moved, share, {});
}

std::size_t count(const SearchResult& result, Role role) {
  return static_cast<std::size_t>(std::ranges::count(result.particles, role, &Particle::role));
}

/// Comes to rest at a peak that is near; elsewhere stays. The peak moves with the sensor.
class Peak : public ScriptedAligner {
 public:
  double x_m = 1;

  AlignResult align(const Scan&, const Transform& guess, const PerScan&) override {
    AlignResult result;
    const bool finds = std::hypot(guess(0, 3) - x_m, guess(1, 3)) < 1.2;
    result.map_from_scan = finds ? to_transform({x_m, 0, 0, 0, 0, 0}) : guess;
    result.nvtl = finds ? 3 : 1;
    result.transform_probability = 2 * result.nvtl;
    result.stop = finds ? Stop::converged : Stop::max_iterations;
    return result;
  }
};

TEST(AnytimeSearch, HasTheBitsOfASearchWhereOneShareIsAll) {
  Hill aligner;
  AnytimeSearch shared(options(60, 20));
  const SearchResult whole = go_on(shared, aligner, {1000, {}});
  const SearchResult expected = search(aligner, kScan, kPrior, default_strategy(), options(60, 20));
  ASSERT_EQ(whole.particles.size(), expected.particles.size());
  for (std::size_t k = 0; k < expected.particles.size(); ++k)
    EXPECT_TRUE(harness::same_bits(whole.particles[k].result, expected.particles[k].result)) << k;
  EXPECT_EQ(whole.best, expected.best);
  EXPECT_TRUE(shared.finished());
  EXPECT_THROW(go_on(shared, aligner, {10, {}}), std::logic_error);
}

TEST(AnytimeSearch, JudgesEveryShareAndTellsWhenTheStartUpIsComplete) {
  Hill aligner;
  AnytimeSearch search(options(60, 20));
  const SearchResult first = go_on(search, aligner, {15, {}});
  EXPECT_FALSE(search.started()) << "rivals may be unseen";
  EXPECT_EQ(count(first, Role::carried), 0u);
  EXPECT_EQ(count(first, Role::beside), 6u);
  const SearchResult second = go_on(search, aligner, {15, {}});
  EXPECT_TRUE(search.started());
  EXPECT_EQ(search.done(), 30);
  EXPECT_EQ(second.proposed(), 15u);
  EXPECT_GT(count(second, Role::carried), 0u);
  EXPECT_EQ(std::ranges::count_if(second.particles, &Particle::guided), 10) << "5 of the start-up were left";
  go_on(search, aligner, {15, {}});
  EXPECT_EQ(go_on(search, aligner, {1000, {}}).proposed(), 15u);
  EXPECT_TRUE(search.finished());
}

TEST(AnytimeSearch, GivesTheSameBitsAgainAndOtherPlacesInEachShare) {
  Hill aligner;
  AnytimeSearch one(options(60, 40)), other(options(60, 40));
  double last = 0;
  for (int share = 0; share < 3; ++share) {
    const SearchResult a = go_on(one, aligner, {20, {}}), b = go_on(other, aligner, {20, {}});
    ASSERT_EQ(a.particles.size(), b.particles.size());
    for (std::size_t k = 0; k < a.particles.size(); ++k)
      EXPECT_TRUE(harness::same_bits(a.particles[k].result, b.particles[k].result)) << k;
    const auto proposed = std::ranges::find(a.particles, Role::proposed, &Particle::role);
    EXPECT_NE(proposed->start.x, last) << "the seed of a share is its own";
    last = proposed->start.x;
  }
}

TEST(AnytimeSearch, TakesItsLeadersAlongWhereTheSensorMoved) {
  Peak aligner;
  AnytimeSearch search(options(200, 100)), forgetful(options(200, 100));
  ASSERT_GT(go_on(search, aligner, {99, {}}).best_particle().result.nvtl, 2);
  go_on(forgetful, aligner, {99, {}});
  aligner.x_m += 40;
  const SearchResult found = go_on(search, aligner, {1, {}}, to_transform({40, 0, 0, 0, 0, 0}));
  EXPECT_EQ(found.best_particle().role, Role::carried);
  EXPECT_EQ(found.best_particle().result.map_from_scan(0, 3), 41);
  EXPECT_TRUE(found.reliable);
  EXPECT_LT(go_on(forgetful, aligner, {1, {}}).best_particle().result.nvtl, 2)
      << "an end on an older scan is no answer";
}

TEST(AnytimeSearch, ProposesAgainWhatTimeCutOff) {
  Hill aligner;
  int alignments = 0;
  aligner.change = [&](AlignResult& result) {
    if (++alignments > 30) result.stop = Stop::timeout;
  };
  AnytimeSearch search(options(200, 100));
  const SearchResult cut = go_on(search, aligner, {100, 1h});
  EXPECT_EQ(search.done(), 30);
  EXPECT_EQ(cut.proposed(), 30u);
  go_on(search, aligner, {100, 1h});
  EXPECT_EQ(search.done(), 130) << "all were cut off: they count, so that every search ends";
}

TEST(AnytimeSearch, EndsItsProposalsWithItsTime) {
  Hill aligner;
  AnytimeSearch search(options(200, 10));
  const SearchResult result = go_on(search, aligner, {200, std::chrono::steady_clock::duration::zero()});
  EXPECT_EQ(search.done(), 10) << "the first batch alone, and that counts";
  EXPECT_FALSE(result.interrupted) << "the next scan takes it up";
}

TEST(AnytimeSearch, RefusesOtherMethods) {
  SearchOptions o = options(60, 20);
  o.method = Method::grid;
  EXPECT_THROW(AnytimeSearch{o}, std::invalid_argument);
}

}  // namespace
}  // namespace ndt::initial_pose
