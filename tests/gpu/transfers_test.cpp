// Compares Traffic's counters of an alignment's copies, launches and waits on a device with the schedule's
// own numbers.
#include <string_view>
#include <utility>

#include "device_implementations.hpp"
#include "library_launches.hpp"
#include "ndt/cuda/device.hpp"
#include "ndt/edge/scan_memory.hpp"
#include "ndt/edge/stage_clock.hpp"
#include "ndt/solve/loop_outcome.hpp"
#include "registry/registry.hpp"
#include "staged_state.hpp"

namespace ndt {
namespace {

const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

Traffic operator-(const Traffic& a, const Traffic& b) {
  Traffic d;
  d.upload_bytes = a.upload_bytes - b.upload_bytes, d.uploads = a.uploads - b.uploads;
  d.download_bytes = a.download_bytes - b.download_bytes, d.downloads = a.downloads - b.downloads;
  d.launches = a.launches - b.launches, d.synchronisations = a.synchronisations - b.synchronisations;
  d.allocations = a.allocations - b.allocations, d.device_bytes = a.device_bytes - b.device_bytes;
  d.meetings.reset();
  if (a.meetings && b.meetings)
    d.meetings =
        Meetings{a.meetings->exchanges - b.meetings->exchanges, a.meetings->barriers - b.meetings->barriers};
  return d;
}

std::int64_t scan_bytes(std::size_t points) { return static_cast<std::int64_t>(points * sizeof(Point)); }
constexpr std::int64_t kOutcome = sizeof(LoopOutcome), kGuessBytes = sizeof(Transform);
static_assert(kOutcome <= 400 && kGuessBytes == 128);

/// Launches of the schedule in pipeline.hpp for so many rounds of the loop. Evaluating is 7 steps, a sum and
/// the arrival.
std::int64_t staged_launches(LineSearch search, std::int64_t rounds) {
  const std::int64_t solve = gpu_multikernel::launches_of_solve(1).captured;
  const std::int64_t evaluate = 9, direction = 3 + solve, update = 1, flag = 1, begin = 1, conclude = 6;
  const std::int64_t trials = search == LineSearch::off ? 2 : search == LineSearch::batched ? 5 : 10 * 5;
  return begin + evaluate + rounds * (direction + trials + update + evaluate + flag) + conclude;
}

class Transfers : public DeviceImplementation {
 protected:
  template <class F>
  static Traffic of(Aligner& aligner, F&& f) {
    const Traffic before = *aligner.traffic();
    f();
    return *aligner.traffic() - before;
  }
  /// The bytes of the upload besides scan and guesses: a header, or values derived from a guess. 0 for the
  /// staged implementation.
  static std::int64_t header_bytes(const Traffic& t, std::size_t points, std::size_t poses) {
    return t.upload_bytes - scan_bytes(points) - static_cast<std::int64_t>(poses) * kGuessBytes;
  }
  static void expect_header(std::int64_t bytes, std::int64_t poses = 1) {
    if (!one_launch()) {
      EXPECT_EQ(bytes, 0);
      return;
    }
    EXPECT_GT(bytes, 0);
    EXPECT_LE(bytes, 256 * poses);
    EXPECT_EQ(bytes % 8, 0);
  }
  /// Returns the rounds of the loop.
  static std::int64_t expect_downloads(const Traffic& t, std::int64_t poses = 1) {
    const std::int64_t flags = one_launch() ? 0 : t.downloads - 1;
    EXPECT_EQ(t.downloads, flags + 1);
    EXPECT_EQ(t.download_bytes, 4 * flags + poses * kOutcome);
    EXPECT_EQ(t.synchronisations, flags + 1);
    return flags;
  }
};

TEST_P(Transfers, AHeldScanIsUploadedOnce) {
  if (GetParam().not_for_use) GTEST_SKIP() << "what it moves is tested as TransfersStudy";
  for (const Tuning tuning : all_values<Tuning>()) {
    AlignOptions options;
    options.tuning = tuning;
    const auto aligner = in_courtyard(options);
    const std::vector<Transform> guesses(5, kGuess);
    std::vector<AlignResult> results(guesses.size());
    const Traffic held = of(*aligner, [&] { aligner->hold(test_clouds::scan(), guesses.size()); });
    EXPECT_EQ(held.uploads, 1);
    EXPECT_EQ(held.upload_bytes, scan_bytes(test_clouds::scan().size()));
    for (int k = 0; k < 2; ++k) {
      const Traffic batch = of(*aligner, [&] {
        aligner->submit(HeldScan{}, guesses);
        aligner->collect(results);
      });
      EXPECT_LE(batch.upload_bytes, 2560) << "guesses, or what was made of them, and a header";
      EXPECT_EQ(batch.uploads, 1);
    }
    EXPECT_TRUE(harness::same_bits(results[3], aligner->align(test_clouds::scan(), kGuess)));
  }
}

TEST_P(Transfers, OfAnAlignmentAreOneUploadOneOutcomeAndOneFlagPerRound) {
  if (GetParam().not_for_use) GTEST_SKIP() << "what it moves is tested as TransfersStudy";
  for (const LineSearch search : all_values<LineSearch>()) {
    AlignOptions options;
    options.line_search = search;
    const auto aligner = in_courtyard(options);
    aligner->align(test_clouds::scan(), kGuess);
    std::vector<Transform> guesses{kGuess};
    for (const Pose& pose : test_clouds::offsets(5, 0.5, 0.05)) guesses.push_back(to_transform(pose));
    for (const Transform& guess : guesses) {
      AlignResult result;
      const Traffic t = of(*aligner, [&] { result = aligner->align(test_clouds::scan(), guess); });
      EXPECT_EQ(t.uploads, 1);
      expect_header(header_bytes(t, test_clouds::scan().size(), 1));
      EXPECT_EQ(t.allocations, 0);
      const std::int64_t rounds = expect_downloads(t);
      EXPECT_GT(result.iterations, 1);
      if (one_launch()) {
        EXPECT_EQ(t.launches, 1);
        continue;
      }
      // A search that takes no step spends a round on finding that out.
      EXPECT_GE(rounds, result.iterations);
      EXPECT_LE(rounds, result.iterations + (search == LineSearch::off ? 0 : 1));
      EXPECT_EQ(t.launches, staged_launches(search, rounds)) << to_string(search) << ", rounds " << rounds;
    }
  }
}

TEST_P(Transfers, OfAGraphDoNotDependOnTheIterationsAndThoseOfStagesByFourBytesEach) {
  if (GetParam().not_for_use) GTEST_SKIP() << "what it moves is tested as TransfersStudy";
  std::int64_t flag_bytes = 0;
  for (const int iterations : {1, 5, 50}) {
    AlignOptions options;
    options.max_iterations = iterations;
    options.epsilon_m = 1e-300;
    const auto aligner = in_courtyard(options);
    aligner->align(test_clouds::scan(), kGuess);
    AlignResult result;
    const Traffic t = of(*aligner, [&] { result = aligner->align(test_clouds::scan(), kGuess); });
    ASSERT_EQ(result.iterations, iterations);
    flag_bytes = one_launch() ? 0 : 4 * iterations;
    EXPECT_EQ(t.download_bytes, kOutcome + flag_bytes);
    EXPECT_EQ(t.uploads, 1);
    EXPECT_EQ(t.synchronisations, one_launch() ? 1 : iterations + 1);
  }
}

TEST_P(Transfers, OfABatchAreOneUploadWithAllGuessesAndOneDownloadOfAllOutcomes) {
  if (GetParam().not_for_use) GTEST_SKIP() << "what it moves is tested as TransfersStudy";
  const auto aligner = in_courtyard();
  std::vector<Transform> guesses;
  for (const Pose& pose : test_clouds::offsets(17, 0.4, 0.05)) guesses.push_back(to_transform(pose));
  std::vector<AlignResult> results(guesses.size());
  aligner->align_batch(test_clouds::scan(), guesses, results);
  const Traffic t = of(*aligner, [&] { aligner->align_batch(test_clouds::scan(), guesses, results); });
  EXPECT_EQ(t.uploads, 1);
  expect_header(header_bytes(t, test_clouds::scan().size(), guesses.size()), 17);
  const std::int64_t rounds = expect_downloads(t, 17);
  EXPECT_EQ(t.allocations, 0);
  int longest = 0;
  for (const AlignResult& result : results) longest = std::max(longest, result.iterations);
  if (one_launch())
    EXPECT_EQ(t.launches, 1);
  else
    EXPECT_EQ(rounds, longest);
}

TEST_P(Transfers, OfATraceAreItsLinesMore) {
  const AlignOptions options;
  const auto aligner = in_courtyard(options);
  PerScan traced;
  traced.trace = true;
  aligner->align(test_clouds::scan(), kGuess, traced);
  const Traffic without = of(*aligner, [&] { aligner->align(test_clouds::scan(), kGuess); });
  const Traffic with = of(*aligner, [&] { aligner->align(test_clouds::scan(), kGuess, traced); });
  const std::int64_t lines = options.max_iterations + 1;
  EXPECT_EQ(with.download_bytes,
            without.download_bytes + lines * static_cast<std::int64_t>(sizeof(LoopTrace)));
  EXPECT_EQ(with.downloads, without.downloads + 1);
  EXPECT_EQ(with.uploads, without.uploads);
  EXPECT_EQ(with.upload_bytes, without.upload_bytes);
  EXPECT_EQ(with.launches, without.launches);
  EXPECT_EQ(with.synchronisations, without.synchronisations);
  EXPECT_EQ(with.allocations, 0);
}

TEST_P(Transfers, LaterCallsAllocateNothing) {
  const auto aligner = in_courtyard();
  const std::vector<Transform> poses(9, kGuess);
  std::vector<Score> scores(poses.size());
  PerScan everything;
  everything.trace = everything.point_scores = true;
  const auto use = [&](const PointCloud& scan, const Transform& pose) {
    aligner->align(scan, pose, everything);
    aligner->evaluate(scan, pose, everything);
    aligner->score_batch(scan, poses, scores);
  };
  use(test_clouds::scan(), kGuess);
  const std::int64_t held = aligner->traffic()->device_bytes;
  for (const std::size_t points : {test_clouds::scan().size(), std::size_t{1500}, std::size_t{100},
                                   std::size_t{1}, test_clouds::scan().size()}) {
    const PointCloud scan = part_of_scan(points);
    for (const Pose& offset : test_clouds::offsets(3, 0.5, 0.1)) {
      const Traffic t = of(*aligner, [&] {
        use(scan, to_transform(offset));
        aligner->align(scan, to_transform(offset));
      });
      EXPECT_EQ(t.allocations, 0) << points << " points";
    }
  }
  EXPECT_EQ(aligner->traffic()->device_bytes, held);
}

TEST_P(Transfers, AnotherMapTakesTheOldOnesPlace) {
  const auto aligner = in_courtyard();
  aligner->align(test_clouds::scan(), kGuess);
  const std::int64_t held = aligner->traffic()->device_bytes;
  EXPECT_GT(held, 0);
  for (int k = 0; k < 10; ++k) {
    aligner->set_map(test_clouds::map());
    EXPECT_EQ(aligner->traffic()->device_bytes, held) << k;
    aligner->align(test_clouds::scan(), kGuess);
    EXPECT_EQ(aligner->traffic()->device_bytes, held) << k;
  }
}

TEST_P(Transfers, NothingIsAllocatedAfterReserve) {
  for (const AlignOptions& options : {AlignOptions::autoware(), AlignOptions::pyramid()}) {
    const auto aligner = in_courtyard(options);
    const PointCloud& all = test_clouds::scan();
    constexpr std::size_t kPoses = 200;
    aligner->reserve(all.size(), kPoses);
    const std::vector<Transform> guesses(kPoses, kGuess);
    std::vector<AlignResult> results(kPoses);
    std::vector<Score> scores(kPoses);
    const Traffic t = of(*aligner, [&] {
      for (const std::size_t points : {std::size_t{500}, std::size_t{2049}, all.size()})
        for (const std::size_t poses :
             {std::size_t{1}, std::size_t{2}, std::size_t{20}, std::size_t{70}, kPoses}) {
          const PointCloud scan = part_of_scan(points);
          aligner->align_batch(scan, std::span(guesses).first(poses), std::span(results).first(poses));
          aligner->score_batch(scan, std::span(guesses).first(poses), std::span(scores).first(poses));
          (void)aligner->align(scan, kGuess);
          (void)aligner->evaluate(scan, kGuess);
        }
    });
    EXPECT_EQ(t.allocations, 0);
    EXPECT_EQ(t.device_bytes, 0);
  }
}

TEST_P(Transfers, AReserveTakesNoMoreThanIsTold) {
  if (!std::string_view(GetParam().name).starts_with("persistent"))
    GTEST_SKIP() << "told for persistent_* only";
  for (const auto& [points, poses] :
       {std::pair<std::size_t, std::size_t>{200000, 1}, {3000, 200}, {500, 5000}}) {
    const auto aligner = in_courtyard();
    const Traffic t = of(*aligner, [&] { aligner->reserve(points, poses); });
    EXPECT_LE(t.device_bytes, static_cast<std::int64_t>(device_scan_memory(points, poses).device))
        << points << " points, " << poses << " poses";
  }
}

TEST_P(Transfers, AResidentMapCountsItsTilesAndMaps) {
  const auto aligner = in_courtyard();
  const auto resident = aligner->resident_map();
  EXPECT_EQ(resident->traffic()->device_bytes, 0);
  resident->add(0, std::make_shared<const std::vector<Point>>(test_clouds::map().points));
  const auto map = resident->build();
  const Traffic built = *resident->traffic();
  EXPECT_GT(built.device_bytes, static_cast<std::int64_t>(test_clouds::map().size() * sizeof(Point)));
  EXPECT_GE(built.upload_bytes, static_cast<std::int64_t>(test_clouds::map().size() * sizeof(Point)));
  EXPECT_GE(built.peak_device_bytes, built.device_bytes);
  const Traffic none = of(*aligner, [&] { aligner->exchange_map(map); });
  EXPECT_EQ(none.uploads, 0);
}

TEST_P(Transfers, OfMeetingsOneEvaluationIsOneExchange) {
  const std::string_view name = GetParam().name;
  for (const int iterations : {1, 5, 50}) {
    AlignOptions options;
    options.max_iterations = iterations;
    options.epsilon_m = 1e-300;
    const auto aligner = in_courtyard(options);
    AlignResult result;
    const Traffic t = of(*aligner, [&] { result = aligner->align(test_clouds::scan(), kGuess); });
    ASSERT_EQ(result.stop, Stop::max_iterations);  // so the surfaces are one sum more, and nothing is pushed
    const std::int64_t sums = result.evaluations + 1;
    ASSERT_TRUE(t.meetings.has_value());
    const std::pair got(t.meetings->exchanges, t.meetings->barriers);
    if (name == "persistent_cuda")
      EXPECT_EQ(got, std::pair(sums, std::int64_t{0}));
    else if (name == "persistent_cluster_cuda")
      EXPECT_EQ(got, std::pair(sums, 1 + sums));
    else if (name == "multikernel_graph_cuda")  // whose ending is one block without clusters
      EXPECT_TRUE(got == std::pair(sums, std::int64_t{2}) || got == std::pair(sums - 1, std::int64_t{0}));
    else
      EXPECT_EQ(got, std::pair(std::int64_t{0}, std::int64_t{0}));
  }
}

TEST_P(Transfers, ToldMeetingsAreThoseThatTheKernelCounts) {
  if (!kStageClock) GTEST_SKIP() << "kernels count in builds with NDT_STAGE_CLOCK only";
  for (AlignOptions options : {AlignOptions::autoware(), AlignOptions::pyramid()})
    for (const LineSearch search : all_values<LineSearch>()) {
      if (options.step_control == StepControl::clamped) options.line_search = search;
      const auto aligner = in_courtyard(options);
      for (const std::size_t points : {test_clouds::scan().size(), std::size_t{100}}) {
        const Traffic t = of(*aligner, [&] { aligner->align(part_of_scan(points), kGuess); });
        const StageTimes times = aligner->stage_times().value();
        if (times.device_us == 0) GTEST_SKIP() << "its kernels read no clock";
        ASSERT_TRUE(t.meetings.has_value());
        EXPECT_EQ(times.meetings[static_cast<int>(Meeting::exchange)], t.meetings->exchanges) << points;
        EXPECT_EQ(times.meetings[static_cast<int>(Meeting::team_barrier)], t.meetings->barriers) << points;
        EXPECT_GT(times.meetings[static_cast<int>(Meeting::block_barrier)], 3 * t.meetings->exchanges);
      }
    }
}

NDT_ON_DEVICE_IMPLEMENTATIONS(Transfers);

/// One of an alignment of so many iterations.
Traffic traffic_of(const char* name, int iterations) {
  AlignOptions options;
  options.max_iterations = iterations;
  options.epsilon_m = 1e-300;
  const auto aligner = harness::find_implementation(name).make(options);
  aligner->set_map(test_clouds::map());
  aligner->align(test_clouds::scan(), kGuess);
  const Traffic before = *aligner->traffic();
  EXPECT_EQ(aligner->align(test_clouds::scan(), kGuess).iterations, iterations);
  return *aligner->traffic() - before;
}

TEST(TransfersStudy, BringsEveryPointsTermsDownInEveryIterationAndLaunchesTheSameSteps) {
  if (const std::string reason = cuda_state().unavailable; !reason.empty()) GTEST_SKIP() << reason;
  constexpr const char* kStudy = "multikernel_transfers_cuda";
  constexpr std::int64_t kMore = 15, kSums = gpu_multikernel::kTerms;
  const Traffic study = traffic_of(kStudy, 5 + kMore) - traffic_of(kStudy, 5),
                zero = traffic_of("multikernel_cuda", 5 + kMore) - traffic_of("multikernel_cuda", 5);
  const auto points = static_cast<std::int64_t>(test_clouds::scan().size());
  EXPECT_EQ(study.download_bytes, kMore * (points * kSums * 4 + (36 + 6) * 8 + 4)) << "terms, system, flag";
  EXPECT_EQ(study.downloads, kMore * 4);
  EXPECT_EQ(study.upload_bytes, kMore * (kSums * 8 + 6 * 8 + 4)) << "sums, solution, whether it is one";
  EXPECT_EQ(study.uploads, kMore * 3);
  EXPECT_EQ(study.synchronisations, kMore * 3);
  EXPECT_EQ(study.allocations, 0);
  EXPECT_EQ(zero.download_bytes, kMore * 4);
  const std::int64_t on_host = 1 + gpu_multikernel::launches_of_solve(1).captured;
  EXPECT_EQ(study.launches, zero.launches - kMore * on_host);
}

class LibraryLaunches : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_state().unavailable; !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(LibraryLaunches, OfTheSolverAreCountedAsACaptureSeesThem) {
  for (const int systems : {1, 2, 16, 100}) {
    const gpu_multikernel::Launches launches = gpu_multikernel::launches_of_solve(systems);
    EXPECT_GT(launches.captured, 0);
    EXPECT_EQ(launches.counted, launches.captured) << systems << " systems";
  }
}

TEST_F(LibraryLaunches, OfSegmentedSumsAreCountedAsACaptureSeesThem) {
  for (const int segments : {1, 31, 500})
    for (const int length : {1, 256, 3000}) {
      const gpu_multikernel::Launches launches = gpu_multikernel::launches_of_sum(segments, length);
      EXPECT_GT(launches.captured, 0);
      EXPECT_EQ(launches.counted, launches.captured) << segments << " segments of " << length;
    }
}

}  // namespace
}  // namespace ndt
