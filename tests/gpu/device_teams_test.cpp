// Tests the promises of every CUDA team: equal bits in every team and thread, sum after sum, and collectives
// that run as often as they say.
#include "device_teams.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "ndt/exec/chunks.hpp"
#include "ndt/exec/team.hpp"

namespace ndt {
namespace {

constexpr int kManyBlocks = 100000;
const TeamShape kShapes[] = {{"grid", TeamKind::grid, kManyBlocks, 1},
                             {"grid_of_one", TeamKind::grid, 1, 1},
                             {"grid_of_five", TeamKind::grid, 5, 1},  // several chunks for each block
                             {"cluster_of_two", TeamKind::cluster, 2, 1},
                             {"cluster_of_eight", TeamKind::cluster, 8, 2},
                             {"block_of_one_slot", TeamKind::block, 1, 1},
                             {"block", TeamKind::block, 1, 2},
                             // A plan for throughput: a warp sums a chunk by itself.
                             {"throughput_grid", TeamKind::grid, kManyBlocks, 1, true},
                             {"throughput_grid_of_five", TeamKind::grid, 5, 1, true},
                             {"throughput_cluster_of_eight", TeamKind::cluster, 8, 10, true},
                             {"throughput_block", TeamKind::block, 1, 1, true},
                             {"warp_block_of_two", TeamKind::warp_block, 1, 2, true},
                             {"warp_block_of_sixteen", TeamKind::warp_block, 1, 16, true}};

/// The block with one slot and the same plan, which runs on every GPU.
const TeamShape& reference_of(const TeamShape& shape) { return shape.throughput ? kShapes[10] : kShapes[5]; }

/// Chunks summed in double: nothing is left but the teams' own rounding.
struct DoubleLane {
  using Real = double;
  static constexpr int kPoints = 1;
};

DerivativeSums<double> host_sum(int n) {
  BasicSerialTeam<DoubleLane> team;
  return team.sum<DerivativeSums>(n, [](int i, int, const auto&, auto& part) { add_test_item(i, part); });
}

bool same_bits(const DerivativeTotal& a, const DerivativeTotal& b) {
  return std::memcmp(&a.sums, &b.sums, sizeof a.sums) == 0 && a.answer == b.answer;
}

void expect_near_host(const DerivativeSums<double>& got, int n) {
  const DerivativeSums<double> expected = host_sum(n);
  EXPECT_EQ(got.pairs, 2LL * n) << n;
  EXPECT_EQ(got.points, n) << n;
  double got_reals[kDerivativeSums], expected_reals[kDerivativeSums];
  to_array(got, got_reals), to_array(expected, expected_reals);
  for (int k = 0; k < kDerivativeSums; ++k)
    EXPECT_NEAR(got_reals[k], expected_reals[k], 1e-6 * expected_reals[k])
        << n << " items, real number " << k;
}

/// None, one, less than a warp, a chunk, a few, tiles of 4, of 2, of 1 thread.
constexpr int kItems[] = {0, 1, 31, 64, 255, 5000, 12000, 300000};

/// Sums of one launch: both buffers come up again and again, neighbours differ so that a stale one shows, and
/// the last has few chunks.
std::vector<int> series(int n) { return {n, n + 1, 300000, n, n + 64, n, 5003 + n, n, 200}; }

class CudaTeams : public testing::TestWithParam<TeamShape> {
 protected:
  void SetUp() override {
    if (const std::string reason = DeviceTeams::unavailable_reason(GetParam()); !reason.empty())
      GTEST_SKIP() << reason;
    teams = std::make_unique<DeviceTeams>();
  }
  std::unique_ptr<DeviceTeams> teams;
};

TEST_P(CudaTeams, SumsWhatTheHostSumsAndAsksOnce) {
  for (const int n : kItems) {
    const std::vector<int> items = series(n);
    const SumsRun run = teams->sum(GetParam(), items);
    EXPECT_EQ(run.mismatches, 0U) << n << ": the answer did not arrive everywhere";
    for (std::size_t s = 0; s < items.size(); ++s) {
      expect_near_host(run.totals[s].sums, items[s]);
      EXPECT_EQ(run.totals[s].answer, test_answer(static_cast<int>(s))) << n << ", sum " << s;
      EXPECT_EQ(run.asked[s], 1) << n << ", sum " << s;
    }
  }
}

TEST_P(CudaTeams, GivesTheSameBitsInEveryThreadAsAnyOther) {
  for (const int n : kItems) {
    const std::vector<int> items = series(n);
    const SumsRun expected = teams->sum(reference_of(GetParam()), items);
    const SumsRun run = teams->sum(GetParam(), items, expected.totals);
    EXPECT_EQ(run.mismatches, 0U) << n;
    for (std::size_t s = 0; s < items.size(); ++s)
      EXPECT_TRUE(same_bits(run.totals[s], expected.totals[s])) << n << ", sum " << s << " over " << items[s];
  }
}

TEST_P(CudaTeams, GivesTheSameBitsLaunchAfterLaunchUpToTheLastTag) {
  constexpr int kLaunches = 200;
  const std::vector<int> items = series(5000);
  const std::vector<DerivativeTotal> expected = teams->sum(reference_of(GetParam()), items).totals;
  teams->restart_tags(static_cast<unsigned>(TaggedPartial::kTags - kLaunches * items.size()));
  for (int launch = 0; launch < kLaunches; ++launch) {
    const SumsRun run = teams->sum(GetParam(), items, expected);
    ASSERT_EQ(run.mismatches, 0U) << launch;
    for (std::size_t s = 0; s < items.size(); ++s)
      ASSERT_TRUE(same_bits(run.totals[s], expected[s])) << launch << ", sum " << s;
  }
}

TEST_P(CudaTeams, SeesOtherBitsWhereTheyAre) {
  const std::vector<int> items = series(255);
  std::vector<DerivativeTotal> expected = teams->sum(reference_of(GetParam()), items).totals;
  expected[4].sums.ymy.zz += 1e-3;
  EXPECT_GT(teams->sum(GetParam(), items, expected).mismatches, 31U);
}

TEST_P(CudaTeams, SumsASampleWithTheSameBitsBesideAnotherSumAndAfterIt) {
  bool beside = false;
  for (const int of : {1, 64, 255, 256, 300, 700, 1000, 5000, 12000, 30000, 300000}) {
    const int items = surface_points(of);
    const SampleRun run = teams->sum_sample(GetParam(), of, items);
    beside = beside || run.beside;
    EXPECT_EQ(run.mismatches, 0U) << of;
    const SampleRun expected = teams->sum_sample(reference_of(GetParam()), of, items);
    EXPECT_EQ(std::memcmp(&run.total, &expected.total, sizeof run.total), 0) << items << " of " << of;
    for (int k = 0; k < SurfaceInformation::kEntries; ++k) {
      double sum = 0;
      for (int i = 0; i < items; ++i) sum += static_cast<double>(test_entry(i, k));
      EXPECT_NEAR(run.total.entries[k], sum, 1e-6 * sum) << items << " of " << of << ", entry " << k;
    }
  }
  if (GetParam().blocks == kManyBlocks) {
    EXPECT_TRUE(beside);
  }
  if (GetParam().kind != TeamKind::grid) {
    EXPECT_FALSE(beside);
  }
}

TEST_P(CudaTeams, RunsCollectivesAsOftenAsTheySay) {
  const CollectivesRun run = teams->collectives(GetParam());
  EXPECT_EQ(run.counts.once, kCollectiveRounds);
  EXPECT_EQ(run.counts.crews, kCollectiveRounds * run.counts.blocks);
  EXPECT_EQ(run.counts.thens, kCollectiveRounds * run.counts.blocks);
  EXPECT_EQ(run.counts.leaders, kCollectiveRounds);
  EXPECT_EQ(run.counts.wrong, 0);
  for (std::size_t r = 0; r < run.ranks.size(); ++r) ASSERT_EQ(run.ranks[r], 1) << "rank " << r;
  for (std::size_t i = 0; i < run.items.size(); ++i)
    ASSERT_EQ(run.items[i], kCollectiveRounds) << "item " << i % kCrewItems << " of block " << i / kCrewItems;
}

/// A grid of which the last block was never launched.
const TeamShape kIncomplete[] = {{"all_but_one", TeamKind::grid, kManyBlocks, 1, false, 1},
                                 {"four_of_five", TeamKind::grid, 5, 1, false, 1},
                                 {"one_of_two", TeamKind::grid, 2, 1, true, 1}};

class IncompleteGrids : public CudaTeams {
 protected:
  template <class F>
  static double seconds(F&& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

TEST_P(IncompleteGrids, EndTheirSumsWithinASecondAndSayWhoIsMissing) {
  const std::vector<int> items = series(5000);
  const std::vector<DerivativeTotal> expected = teams->sum(reference_of(GetParam()), items).totals;
  const unsigned first_tag = teams->next_tag();
  SumsRun run;
  EXPECT_LT(seconds([&] { run = teams->sum(GetParam(), items); }), 1);
  for (const DerivativeTotal& total : run.totals) EXPECT_EQ(total.answer, kBlockMissing);
  const MissingBlock missing = teams->missing_block();
  EXPECT_EQ(missing.tag, first_tag);
  EXPECT_GE(missing.block, 1);
  if (GetParam().blocks < kManyBlocks) {
    EXPECT_EQ(missing.block, GetParam().blocks - 1);
  }

  // With all blocks it is as if nothing had been, with what is left of that in the exchange and without.
  TeamShape complete = GetParam();
  complete.missing = 0;
  EXPECT_EQ(teams->sum(complete, items, expected).mismatches, 0U);
  teams->restart_tags(1);
  EXPECT_EQ(teams->sum(complete, items, expected).mismatches, 0U);
  EXPECT_EQ(teams->missing_block().block, -1);
}

TEST_P(IncompleteGrids, EndTheirBarriersWithinASecondAndSayWhoIsMissing) {
  EXPECT_LT(seconds([&] { teams->collectives(GetParam()); }), 1);
  EXPECT_GE(teams->missing_block().block, 1);
}

INSTANTIATE_TEST_SUITE_P(Teams, IncompleteGrids, testing::ValuesIn(kIncomplete),
                         [](const auto& shape) { return std::string(shape.param.name); });
INSTANTIATE_TEST_SUITE_P(Teams, CudaTeams, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace ndt
