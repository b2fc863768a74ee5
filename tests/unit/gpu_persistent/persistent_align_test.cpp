// The persistent body under different teams and in several aligners beside each other: the same bits, and
// clean under ThreadSanitizer.
#include "persistent_align.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <set>
#include <stop_token>
#include <thread>

#include "ndt/edge/host_ending.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/gpu_persistent/implementations.hpp"
#include "ndt/score/point_kernels.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "run/repeatability.hpp"
#include "test_clouds.hpp"

namespace ndt::gpu_persistent {
namespace {

struct Courtyard {
  VoxelMap map{test_clouds::map(), AlignOptions{}};
  AlignInput input;
  LoopState start;
  explicit Courtyard(int points) {
    const Gauss<double> g = make_gauss(0.55, 2.0);
    input.scan = {test_clouds::scan().points.data(), points};
    input.levels[0].view = map.view();
    input.levels[0].gauss = {static_cast<float>(g.d1), static_cast<float>(g.d2)};
    start = begin_loop(to_transform({0.3, -0.2, 0.1, 0.01, 0.02, 0.05}));
  }
  template <class T>
  LoopState run(T& team) const {
    LoopState state = start;
    persistent_align<ClampedSteps>(team, input, NoWatch{}, state, nullptr);
    return state;
  }
  LoopState run_on(int workers) const {
    HostPool pool(workers);
    LoopState end;
    pool.run([&](HostTeam& team) {
      LoopState state = start;
      persistent_align<ClampedSteps>(team, input, NoWatch{}, state, nullptr);
      team.once([&] { end = state; });
    });
    return end;
  }
};

TEST(PersistentAlign, GivesTheSameBitsOnOneThreadAndOnMany) {
  for (const int points : {1, 31, 255, 3000}) {
    const Courtyard courtyard(points);
    BasicSerialTeam<SimdLanes> serial;
    const LoopState expected = courtyard.run(serial);
    for (const int workers : {1, 2, 3, 8}) {
      const LoopState got = courtyard.run_on(workers);
      EXPECT_EQ(std::memcmp(&got.here.pose, &expected.here.pose, sizeof got.here.pose), 0)
          << workers << " workers, " << points << " points";
      EXPECT_EQ(got.iterations, expected.iterations) << workers << " workers, " << points << " points";
      EXPECT_EQ(got.here.at.score, expected.here.at.score) << workers << " workers, " << points << " points";
    }
  }
}

TEST(PersistentAlign, OneLaneAndManyReachTheSamePose) {
  const Courtyard courtyard(3000);
  SerialTeam one;
  BasicSerialTeam<SimdLanes> many;
  const LoopState a = courtyard.run(one), b = courtyard.run(many);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_NEAR(a.here.pose.x, b.here.pose.x, 1e-4);
  EXPECT_NEAR(a.here.pose.yaw, b.here.pose.yaw, 1e-5);
}

TEST(PersistentAlign, TraceHoldsTheGuessAndEveryIteration) {
  const Courtyard courtyard(3000);
  LoopState state = courtyard.start;
  std::vector<LoopTrace> trace(31);
  BasicSerialTeam<SimdLanes> team;
  persistent_align<ClampedSteps>(team, courtyard.input, NoWatch{}, state, trace.data());
  const LoopState& out = state;
  ASSERT_GT(out.iterations, 1);
  EXPECT_EQ(trace[0].pose.x, courtyard.start.trial.x);
  EXPECT_EQ(trace[0].step, 0);
  EXPECT_EQ(trace[static_cast<std::size_t>(out.iterations)].pose.x, out.here.pose.x);
  EXPECT_EQ(trace[static_cast<std::size_t>(out.iterations)].score, out.here.at.score);
}

/// Counts the sums that a team takes.
struct CountingTeam : BasicSerialTeam<SimdLanes> {
  int sums = 0;
  template <template <class> class Sums, class Items, class F, class Ask>
  auto sum(const Items& items, F&& f, Ask&& ask) {
    ++sums;
    return BasicSerialTeam<SimdLanes>::sum<Sums>(items, f, ask);
  }
};

/// Aligns, and expects as many sums as the outcome tells. interrupt_at: the evaluation at which the watch
/// ends the loop.
template <class Steps>
LoopOutcome expect_told_sums(const AlignInput& input, const Pose& guess, int interrupt_at) {
  CountingTeam team;
  LoopState state;
  Steps::begin(loop_start(to_transform(guess)), input.options, state);
  const auto watch = [&] { return team.sums == interrupt_at ? LoopStatus::cancelled : LoopStatus::running; };
  persistent_align<Steps>(team, input, watch, state, nullptr);
  const LoopOutcome outcome = concluded(team, input.scan, input.levels[0], input.options, state);
  // A worker of the CPU finds the few surfaces for itself, where a device's blocks put them together.
  const bool surfaces = input.options.max_iterations > 0 && surfaces_matter(outcome.status);
  const Meetings grid = meetings_of(TeamKind::grid, outcome, input.options.max_iterations, false);
  EXPECT_EQ(team.sums + (surfaces ? 1 : 0), grid.exchanges) << to_string(input.options.line_search);
  return outcome;
}

TEST(Meetings, AreWhatTheBodyAndItsEndingMake) {
  Courtyard courtyard(1000);
  courtyard.input.levels[0].surfaces = courtyard.map.surfaces().data();
  std::set<LoopStatus> statuses;
  for (const LineSearch search : all_values<LineSearch>())
    for (const int most : {0, 3, 30})
      for (const int interrupt_at : {0, 1, 4}) {
        courtyard.input.options.line_search = search;
        courtyard.input.options.max_iterations = most;
        std::vector<Pose> guesses = test_clouds::offsets(4, 0.8, 0.1);
        guesses.push_back({1000, 0, 0, 0, 0, 0});
        for (const Pose& guess : guesses) {
          statuses.insert(expect_told_sums<ClampedSteps>(courtyard.input, guess, interrupt_at).status);
          statuses.insert(expect_told_sums<TrustRegion>(courtyard.input, guess, interrupt_at).status);
        }
      }
  for (const LoopStatus status : {LoopStatus::step_below_epsilon, LoopStatus::max_iterations,
                                  LoopStatus::no_overlap, LoopStatus::cancelled})
    EXPECT_TRUE(statuses.contains(status)) << static_cast<int>(status);
}

TEST(Meetings, OfAGridHaveNoBarrierOfAClusterOneASumAndOfABlockNone) {
  LoopOutcome outcome;
  outcome.evaluations = 7;
  outcome.status = LoopStatus::step_below_epsilon;
  const auto of = [&](TeamKind kind, bool fetch_barrier = false) {
    const Meetings m = meetings_of(kind, outcome, 30, fetch_barrier);
    return std::pair(m.exchanges, m.barriers);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(of(TeamKind::grid), Pair(9, 0));
  EXPECT_EQ(of(TeamKind::grid, true), Pair(9, 1));
  EXPECT_EQ(of(TeamKind::cluster), Pair(9, 10));
  EXPECT_EQ(of(TeamKind::block), Pair(0, 0));
  outcome.status = LoopStatus::max_iterations;  // no pushes
  EXPECT_EQ(of(TeamKind::grid), Pair(8, 0));
  outcome.status = LoopStatus::cancelled;  // no ending to judge
  EXPECT_EQ(of(TeamKind::grid), Pair(7, 0));
}

const Transform kGuess = to_transform({0.3, -0.2, 0.1, 0.01, 0.02, 0.05});

std::unique_ptr<Aligner> in_courtyard(AlignOptions options, int threads = 2) {
  options.threads = threads;
  auto aligner = make_aligner(implementations(), "persistent_cpu", options);
  aligner->set_map(test_clouds::map());
  return aligner;
}

TEST(PersistentCpu, GivesTheSameBitsWithEveryInstructionSet) {
  const auto usable = usable_point_kernels();
  if (usable.size() == 1) GTEST_SKIP() << "this CPU has one instruction set: " << usable[0]->instructions;
  EXPECT_EQ(&point_kernels(), usable.back());
  for (const AlignOptions& options : {AlignOptions::autoware(), AlignOptions::pyramid()}) {
    std::vector<AlignResult> results;
    for (const PointKernels* kernels : usable) {
      use_point_kernels(*kernels);
      const auto aligner = in_courtyard(options);
      results.push_back(aligner->align(test_clouds::scan(), to_transform({0.3, 0.1, 0, 0, 0, 0.03})));
    }
    EXPECT_EQ(results[0].stop, Stop::converged);
    for (const AlignResult& other : results) EXPECT_TRUE(harness::same_bits(results[0], other));
  }
}

TEST(PersistentCpu, ABatchIsItsAlignmentsAloneForAnyNumberOfThreads) {
  const PointCloud scan = test_clouds::scan_of(200);
  const std::vector<Transform> guesses =
      test_clouds::mixed_guesses(40);  // more than threads, which then take a pose each
  PerScan traced;
  traced.trace = true;
  std::vector<AlignResult> expected;
  for (const int threads : {1, 2, 3, 8}) {
    const auto aligner = in_courtyard({}, threads);
    if (expected.empty())
      for (const Transform& guess : guesses) expected.push_back(aligner->align(scan, guess, traced));
    std::vector<AlignResult> batch(guesses.size());
    aligner->align_batch(scan, guesses, batch, traced);
    for (std::size_t k = 0; k < guesses.size(); ++k) {
      EXPECT_TRUE(harness::same_bits(batch[k], expected[k])) << threads << " threads, pose " << k;
      ASSERT_EQ(batch[k].trace.size(), expected[k].trace.size()) << threads << " threads, pose " << k;
      EXPECT_EQ(batch[k].trace.back().score, expected[k].trace.back().score)
          << threads << " threads, pose " << k;
    }
  }
}

TEST(PersistentCpu, ABatchEndsWhenItIsToldTo) {
  const auto aligner = in_courtyard({}, 3);
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(40);
  std::vector<AlignResult> results(guesses.size());
  PerScan late;
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  aligner->align_batch(test_clouds::scan(), guesses, results, late);
  for (const AlignResult& result : results)
    EXPECT_TRUE(result.stop == Stop::timeout || result.stop == Stop::no_overlap) << to_string(result.stop);
  std::stop_source source;
  PerScan stoppable;
  stoppable.stop = source.get_token();
  std::jthread other([&] { source.request_stop(); });
  aligner->align_batch(test_clouds::scan(), guesses, results, stoppable);
  other.join();
  aligner->align_batch(test_clouds::scan(), guesses, results, stoppable);
  for (const AlignResult& result : results)
    EXPECT_TRUE(result.stop == Stop::cancelled || result.stop == Stop::no_overlap) << to_string(result.stop);
}

TEST(PersistentCpu, ABatchOfScoresHasTheBitsOfEvaluations) {
  const auto aligner = in_courtyard({});
  const std::vector<Transform> poses = test_clouds::mixed_guesses(7);
  std::vector<Score> scores(poses.size());
  aligner->score_batch(test_clouds::scan(), poses, scores);
  for (std::size_t k = 0; k < poses.size(); ++k)
    EXPECT_EQ(scores[k].score, aligner->evaluate(test_clouds::scan(), poses[k]).score) << "pose " << k;
}

TEST(TwoAligners, InTwoThreadsGiveTheBitsOfOneAlone) {
  AlignOptions searching;
  searching.line_search = LineSearch::more_thuente;
  const AlignResult alone = in_courtyard({})->align(test_clouds::scan(), kGuess);
  const AlignResult alone_searching = in_courtyard(searching)->align(test_clouds::scan(), kGuess);
  const auto expect_same = [](const AlignOptions& options, const AlignResult& expected) {
    const auto aligner = in_courtyard(options);
    for (int k = 0; k < 5; ++k) {
      const AlignResult got = aligner->align(test_clouds::scan(), kGuess);
      EXPECT_EQ(std::memcmp(&got.map_from_scan, &expected.map_from_scan, sizeof expected.map_from_scan), 0);
      EXPECT_EQ(got.score, expected.score);
    }
  };
  std::jthread first([&] { expect_same({}, alone); });
  std::jthread second([&] { expect_same(searching, alone_searching); });
}

TEST(TwoAligners, OneIsCancelledByAnotherThreadWhileItRuns) {
  AlignOptions endless;
  endless.max_iterations = 1000;
  endless.epsilon_m = 1e-300;
  const auto aligner = in_courtyard(endless);
  std::stop_source source;
  PerScan per_scan;
  per_scan.stop = source.get_token();
  AlignResult got;
  {
    std::jthread worker([&] { got = aligner->align(test_clouds::scan(), kGuess, per_scan); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    source.request_stop();
  }
  EXPECT_TRUE(got.stop == Stop::cancelled || got.stop == Stop::max_iterations) << to_string(got.stop);
}

}  // namespace
}  // namespace ndt::gpu_persistent
