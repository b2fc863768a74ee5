// Searches for the initial pose on every row: what aligns many at once finds what one after the other finds.
#include <cmath>

#include "ndt/harness/same_bits.hpp"
#include "ndt/initial_pose/search.hpp"
#include "rows.hpp"

namespace ndt {
namespace {

using initial_pose::PosePrior;
using initial_pose::SearchOptions;
using initial_pose::SearchResult;
using initial_pose::Strategy;

const Strategy& sequential() { return initial_pose::strategies()[0]; }
const Strategy& batched() { return initial_pose::strategies()[1]; }
const Strategy& batched_persistent() { return initial_pose::strategies()[2]; }

/// Half of it looks the other way, and some of it lies outside the walls.
const PosePrior kPrior{{1, -1, 0, 0, 0, 0}, {3, 3, 0.1, 0.01, 0.01}};

SearchOptions options(int particles, int startup, int at_once = 1) {
  SearchOptions out;
  out.particles = particles, out.startup = startup, out.at_once = at_once;
  return out;
}

void expect_same_bits(const SearchResult& a, const SearchResult& b, const std::string& what) {
  ASSERT_EQ(a.particles.size(), b.particles.size()) << what;
  EXPECT_EQ(a.best, b.best) << what;
  for (std::size_t k = 0; k < a.particles.size(); ++k)
    EXPECT_TRUE(harness::same_bits(a.particles[k].result, b.particles[k].result)) << what << ", particle " << k;
}

class InitialPose : public EveryRow {};

/// Of rows that align many at once.
class InitialPoseInBatches : public EveryRow {
 protected:
  void SetUp() override {
    EveryRow::SetUp();
    if (IsSkipped()) return;
    if (dynamic_cast<BatchAligner*>(make().get()) == nullptr)
      GTEST_SKIP() << GetParam().name << " takes one pose at a time";
  }
};

TEST_P(InitialPose, IsFoundWithoutAHeadingAndSaysSo) {
  if (peer()) GTEST_SKIP() << "a peer's NVTL is its own";
  const auto aligner = in_courtyard();
  const SearchResult result =
      search(*aligner, scenes::scan_of(600), {{0.5, -0.4, 0, 0, 0, 3}, {0.7, 0.7, 0.1, 0.01, 0.01}}, sequential(), options(120, 60));
  const Transform& found = result.best_particle().result.map_from_scan;
  EXPECT_LT(translation_error_m(found, {}), 0.15);
  EXPECT_LT(rotation_error_rad(found, {}), 0.02);
  EXPECT_TRUE(result.reliable);
}

TEST_P(InitialPoseInBatches, HasTheBitsOfOneAfterTheOtherForAnyNumberOfParticles) {
  const PointCloud scan = scenes::scan_of(150);
  for (const int count : {1, 2, 20, 64, 200}) {
    const auto aligner = in_courtyard();
    const SearchOptions few = options(count, count / 2);
    const SearchResult one = search(*aligner, scan, kPrior, sequential(), few);
    expect_same_bits(search(*aligner, scan, kPrior, batched(), few), one, "batched, " + std::to_string(count));
    expect_same_bits(search(*aligner, scan, kPrior, batched_persistent(), few), one,
                     "rounds of one, " + std::to_string(count));
  }
}

TEST_P(InitialPoseInBatches, InRoundsIsTheSameEveryTime) {
  const PointCloud scan = scenes::scan_of(150);
  const auto aligner = in_courtyard();
  const SearchResult first = search(*aligner, scan, kPrior, batched_persistent(), options(100, 50, 16));
  const int repeats = GetParam().runs_on.starts_with("GPU") ? 100 : 5;  // a race shows rarely
  for (int repeat = 0; repeat < repeats; ++repeat)
    expect_same_bits(search(*aligner, scan, kPrior, batched_persistent(), options(100, 50, 16)), first, "again");
}

TEST_P(InitialPoseInBatches, WhereThereIsNoMapNothingIsFoundAndNothingClaimed) {
  const auto aligner = in_courtyard();
  const PosePrior half_out{{14, 0, 0, 0, 0, 0}, {40, 40, 0.1, 0, 0}}, out{{700, 0, 0, 0, 0, 0}, {5, 5, 0.1, 0, 0}};
  const SearchResult mixed = search(*aligner, scenes::scan_of(150), half_out, batched_persistent(), options(60, 30, 8));
  int lost = 0;
  for (const auto& particle : mixed.particles) lost += particle.result.stop == Stop::no_overlap;
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 60);
  EXPECT_NE(mixed.best_particle().result.stop, Stop::no_overlap);
  for (const PointCloud& scan : {scenes::scan_of(150), PointCloud{}}) {
    const SearchResult nothing =
        search(*aligner, scan, scan.points.empty() ? kPrior : out, batched_persistent(), options(60, 30, 8));
    EXPECT_FALSE(nothing.reliable);
    EXPECT_EQ(nothing.best_particle().result.nvtl, 0);
    for (const auto& particle : nothing.particles) EXPECT_EQ(particle.result.stop, Stop::no_overlap);
  }
}

NDT_ON_EVERY_ROW(InitialPose);
NDT_ON_EVERY_ROW(InitialPoseInBatches);

}  // namespace
}  // namespace ndt
