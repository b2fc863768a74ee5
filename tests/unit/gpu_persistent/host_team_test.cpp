// Collectives of HostTeam against SerialTeam, for sizes around every boundary and more workers than cores.
#include "ndt/exec/host_team.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "ndt/core/simd.hpp"
#include "ndt/exec/team.hpp"

namespace ndt {

/// A sum whose bits depend on the order of additions, and a count.
template <class Real>
struct Harmonic {
  Real value{};
  long long items = 0;
};
template <class Real>
void add_folded(Harmonic<double>& total, const Harmonic<Real>& part) {
  total.value += folded(part.value);
  total.items += part.items;
}

namespace {

const int kSizes[] = {0, 1, 3, 4, 5, 31, 32, 33, 127, 128, 129, 1000, 4095, 4096, 4097, 5000, 300001};

struct AddReciprocals {
  template <class Lanes, class Sums>
  void operator()(int first, int count, const Lanes&, Sums& part) const {
    for (int i = first; i < first + count; ++i)
      part.value.lane[i % FloatLanes::kCount] += 1.0F / static_cast<float>(i + 1);
    part.items += count;
  }
};

Harmonic<double> serial(int n) {
  BasicSerialTeam<SimdLanes> team;
  return team.sum<Harmonic>(n, AddReciprocals{});
}

/// Whether it comes true within a minute.
template <class F>
bool comes_true(F&& f) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!f())
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

TEST(HostPool, StaysAwakeUntilTheNextRunAndSleepsAfterIt) {
  HostPool pool(2);
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "workers that outnumber cores do not spin";
  const auto sleeps = [&] { return pool.asleep() == 1; };
  std::atomic<int> ran{0};
  const auto body = [&](HostTeam&) { ++ran; };
  for (int turn = 1; turn < 3; ++turn) {
    pool.run(body);
    EXPECT_EQ(ran, 2 * turn);
    ASSERT_TRUE(comes_true(sleeps));
    pool.stay_awake(std::chrono::hours(1));
    for (int look = 0; look < 20; ++look) {
      ASSERT_FALSE(sleeps()) << look;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // together much more than a usual wait
    }
  }
  pool.stay_awake(std::chrono::milliseconds(1));
  EXPECT_TRUE(comes_true(sleeps));
}

class HostTeamWith : public testing::TestWithParam<int> {};

TEST_P(HostTeamWith, ManyWorkersSumToTheSameBitsAsOneOnEveryWorker) {
  HostPool pool(GetParam());
  for (const int n : kSizes) {
    const Harmonic<double> expected = serial(n);
    std::vector<Harmonic<double>> got(static_cast<std::size_t>(pool.size()));
    pool.run([&](HostTeam& team) {
      got[static_cast<std::size_t>(team.rank())] = team.sum<Harmonic>(n, AddReciprocals{});
    });
    for (int rank = 0; rank < pool.size(); ++rank) {
      const Harmonic<double>& g = got[static_cast<std::size_t>(rank)];
      EXPECT_EQ(std::memcmp(&g.value, &expected.value, sizeof g.value), 0) << n << " items, worker " << rank;
      EXPECT_EQ(g.items, n) << "worker " << rank;
    }
  }
}

TEST_P(HostTeamWith, SumsOfFewItemsMayBeCutIntoMoreChunks) {
  HostPool pool(GetParam());
  for (const int n : {0, 1, 5, 100, 512}) {
    BasicSerialTeam<SimdLanes> alone;
    const Chunks chunks(n, 32);
    const auto nothing = [] { return 0; };
    const Harmonic<double> expected = alone.sum<Harmonic>(chunks, AddReciprocals{}, nothing).sums;
    EXPECT_EQ(expected.items, n);
    std::atomic<int> wrong{0};
    pool.run([&](HostTeam& team) {
      const Harmonic<double> got = team.sum<Harmonic>(chunks, AddReciprocals{}, nothing).sums;
      if (got.value != expected.value || got.items != expected.items) ++wrong;
    });
    EXPECT_EQ(wrong.load(), 0) << n << " items";
  }
}

TEST_P(HostTeamWith, SumsInARowDoNotDisturbEachOther) {
  HostPool pool(GetParam());
  std::atomic<int> wrong{0};
  const Harmonic<double> a = serial(1000), b = serial(77);
  pool.run([&](HostTeam& team) {
    for (int round = 0; round < 200; ++round) {
      if (team.sum<Harmonic>(1000, AddReciprocals{}).value != a.value) ++wrong;
      if (team.sum<Harmonic>(77, AddReciprocals{}).value != b.value) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(HostTeamWith, OnceRunsOnceAndReplicatedOnEveryWorker) {
  HostPool pool(GetParam());
  std::atomic<int> once{0}, replicated{0};
  pool.run([&](HostTeam& team) {
    team.once([&] { ++once; });
    team.replicated([&](const auto&) { ++replicated; });
  });
  EXPECT_EQ(once.load(), 1);
  EXPECT_EQ(replicated.load(), pool.size());
}

TEST_P(HostTeamWith, WritesBeforeABarrierAreSeenAfterIt) {
  HostPool pool(GetParam());
  std::vector<int> slots(static_cast<std::size_t>(pool.size()),
                         0);  // plain ints: ThreadSanitizer checks the barrier
  std::atomic<int> wrong{0};
  pool.run([&](HostTeam& team) {
    for (int round = 1; round <= 100; ++round) {
      slots[static_cast<std::size_t>(team.rank())] = round;
      team.sync();
      for (const int value : slots)
        if (value != round) ++wrong;
      team.sync();
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(HostTeamWith, RanksAreDistinctAndWorkOnSeveralRuns) {
  HostPool pool(GetParam());
  for (int run = 0; run < 50; ++run) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(pool.size()));
    pool.run([&](HostTeam& team) { ++seen[static_cast<std::size_t>(team.rank())]; });
    for (auto& count : seen) ASSERT_EQ(count.load(), 1) << "run " << run;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, HostTeamWith, testing::Values(1, 2, 3, 8),
                         [](const auto& workers) { return std::to_string(workers.param); });

TEST(HostPool, ZeroMeansOneWorkerPerCore) { EXPECT_GE(HostPool(0).size(), 1); }

TEST(HostPool, StartsAndStopsWithoutRunning) {
  for (int i = 0; i < 20; ++i) HostPool pool(4);
}

#if !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)  // they reserve more address space than the limit
TEST(HostPoolDeathTest, AThreadThatTheSystemRefusesIsAnErrorAndNotAHang) {
  const auto few_threads = [] {
    rlimit limit{256UL << 20, 256UL << 20};  // room for some 8 MB stacks, not for 255
    setrlimit(RLIMIT_AS, &limit);
    try {
      HostPool pool(256);
    } catch (const std::system_error&) {
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(few_threads(), testing::ExitedWithCode(7), "");
}
#endif

TEST(Chunks, CoverEveryItemOnceWithAtMost128) {
  for (const int n : kSizes) {
    const Chunks chunks(n);
    EXPECT_LE(chunks.count, kMaxChunks) << n;
    EXPECT_EQ(chunks.size % kChunkMultiple, 0) << n;
    int covered = 0;
    for (int c = 0; c < chunks.count; ++c) {
      EXPECT_EQ(chunks.begin(c), covered) << n;
      EXPECT_GT(chunks.end(c), chunks.begin(c)) << n << " items: chunk " << c << " is empty";
      covered = chunks.end(c);
    }
    EXPECT_EQ(covered, n);
  }
}

TEST(Chunks, HoldTheLargestCloudWithoutOverflow) {
  const int n = 1 << 27;
  const Chunks chunks(n);
  EXPECT_EQ(chunks.end(chunks.count - 1), n);
}

}  // namespace
}  // namespace ndt
