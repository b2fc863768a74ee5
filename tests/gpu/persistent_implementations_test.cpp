// persistent_cuda and persistent_cluster_cuda against persistent_cpu, which runs the same body, and against
// themselves.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "busy_stream.hpp"
#include "device_implementations.hpp"
#include "ndt/core/error.hpp"
#include "ndt/cuda/device.hpp"
#include "ndt/gpu_persistent/implementations.hpp"

namespace ndt {
namespace {

const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});
constexpr double kMetres = 1e-3, kRadians = 1e-4;  // other exponential, other order of float sums
constexpr double kSum = 1e-5;

std::vector<Implementation> persistent_implementations() {
  std::vector<Implementation> out;
  for (const Implementation& entry : gpu_persistent::implementations())
    if (entry.on_device) out.push_back(entry);
  return out;
}

double metres_apart(const Transform& a, const Transform& b) {
  return std::hypot(a(0, 3) - b(0, 3), a(1, 3) - b(1, 3), a(2, 3) - b(2, 3));
}
/// Largest difference of two rotations' entries, which a small angle does not exceed.
double radians_apart(const Transform& a, const Transform& b) {
  double largest = 0;
  for (int row = 0; row < 3; ++row)
    for (int col = 0; col < 3; ++col) largest = std::max(largest, std::abs(a(row, col) - b(row, col)));
  return largest;
}

void expect_same_alignment(const AlignResult& got, const AlignResult& expected, const std::string& name) {
  EXPECT_EQ(got.stop, expected.stop) << name;
  EXPECT_EQ(got.iterations, expected.iterations) << name;
  EXPECT_EQ(got.evaluations, expected.evaluations) << name;
  EXPECT_LE(metres_apart(got.map_from_scan, expected.map_from_scan), kMetres) << name;
  EXPECT_LE(radians_apart(got.map_from_scan, expected.map_from_scan), kRadians) << name;
}

class PersistentImplementations : public DeviceImplementation {
 protected:
  static std::unique_ptr<Aligner> on_the_host(const AlignOptions& options = {}) {
    auto aligner = make_aligner(gpu_persistent::implementations(), "persistent_cpu", options);
    aligner->set_map(test_clouds::map());
    return aligner;
  }
  static std::vector<AlignResult> batch(Aligner& aligner, const PointCloud& scan,
                                        const std::vector<Transform>& guesses) {
    std::vector<AlignResult> out(guesses.size());
    aligner.align_batch(scan, guesses, out);
    return out;
  }
};

TEST_P(PersistentImplementations, AlignLikeTheHostForAnyNumberOfPoints) {
  const auto device = in_courtyard(), host = on_the_host();
  for (const std::size_t points : {1U, 31U, 255U, 5000U, 300000U}) {
    const std::string name = std::to_string(points) + " points";
    const PointCloud scan = test_clouds::scan_of(points);
    const AlignResult expected = host->align(scan, kGuess), got = device->align(scan, kGuess);
    // A direction that the scan leaves free is decided by rounding: it sets how far a step goes along it.
    if (expected.conditioning.well_posed())
      expect_same_alignment(got, expected, name);
    else
      EXPECT_EQ(got.stop, expected.stop) << name;
    ASSERT_TRUE(points < 255 || expected.stop == Stop::converged)
        << name << ": the scene does not test enough";
  }
}

/// The kernel for one pose fetches the scan, and its launch is that of the call before with other arguments.
TEST_P(PersistentImplementations, GiveScansOfAnySizeInTurnTheBitsOfTheFirst) {
  for (const StepControl control : {StepControl::clamped, StepControl::trust_region}) {
    AlignOptions options;
    options.step_control = control;
    if (control == StepControl::trust_region) options.levels = {2, 1};
    const auto turns = in_courtyard(options);
    for (const std::size_t points : {5000U, 100U, 4900U, 20000U, 2500U, 64U, 300000U, 5000U}) {
      const PointCloud scan = test_clouds::scan_of(points);
      const AlignResult got = turns->align(scan, kGuess);
      EXPECT_TRUE(harness::same_bits(got, in_courtyard(options)->align(scan, kGuess))) << points;
      EXPECT_TRUE(harness::same_bits(got, batch(*turns, scan, {kGuess, kGuess}).front()))
          << points << " points, which the host uploads for a batch";
    }
  }
}

/// The kernel of a large scan waits for it while the host checks it.
TEST_P(PersistentImplementations, GiveUpALargeScanThatTurnsOutOtherwiseAndAlignTheNext) {
  const PointCloud whole = test_clouds::scan_of(20000);
  PointCloud holed = whole, coarse = whole;
  holed.points[19000].x = NAN;
  for (Point& p : coarse.points) p.x = 1e7F;
  const auto device = in_courtyard();
  const AlignResult expected = device->align(whole, kGuess),
                    without = batch(*device, holed, {kGuess, kGuess}).front();
  EXPECT_EQ(without.dropped_points, 1);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_TRUE(harness::same_bits(device->align(whole, kGuess), expected)) << turn;
    EXPECT_TRUE(harness::same_bits(device->align(holed, kGuess), without)) << turn;
    EXPECT_TRUE(harness::same_bits(device->align(whole, kGuess), expected)) << turn;
    EXPECT_TRUE(harness::same_bits(device->align(whole, kGuess), expected)) << turn;
    EXPECT_THROW(device->align(coarse, kGuess), InputError) << turn;
  }
  EXPECT_TRUE(harness::same_bits(device->align(whole, kGuess), expected));
  PerScan traced;
  traced.trace = true;
  const AlignResult with_trace = device->align(whole, kGuess, traced);
  EXPECT_EQ(with_trace.trace.size(), static_cast<std::size_t>(expected.iterations) + 1);
  EXPECT_EQ(with_trace.trace.back().score, expected.score);
  PerScan late;
  late.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(device->align(whole, kGuess, late).stop, Stop::timeout);
  EXPECT_TRUE(harness::same_bits(device->align(whole, kGuess), expected));
}

/// Small enough for racecheck, which takes minutes for a whole alignment.
TEST_P(PersistentImplementations, KeepToALimitOfOneIterationWithEveryLineSearch) {
  const PointCloud scan = test_clouds::scan_of(31);
  for (const LineSearch search : {LineSearch::off, LineSearch::more_thuente, LineSearch::batched}) {
    AlignOptions options;
    options.max_iterations = 1;
    options.line_search = search;
    const auto device = in_courtyard(options), host = on_the_host(options);
    PerScan traced;
    traced.trace = true;
    const AlignResult got = device->align(scan, kGuess, traced), expected = host->align(scan, kGuess, traced);
    expect_same_alignment(got, expected, std::string(to_string(search)));
    EXPECT_EQ(got.iterations, 1);
    EXPECT_EQ(got.trace.size(), 2U);
    const AlignResult alone = device->align(scan, kGuess);
    for (const AlignResult& together : batch(*device, scan, {kGuess, kGuess}))
      EXPECT_TRUE(harness::same_bits(together, alone)) << to_string(search);
  }
}

/// One pose, few and many, each on another team.
TEST_P(PersistentImplementations, KeepToALimitOfOneIterationInBatchesOfAnySize) {
  const PointCloud scan = test_clouds::scan_of(100);
  for (const Tuning tuning : all_values<Tuning>()) {
    AlignOptions options;
    options.max_iterations = 1;
    options.tuning = tuning;
    const auto device = in_courtyard(options);
    const AlignResult alone = device->align(scan, kGuess);
    EXPECT_EQ(alone.iterations, 1);
    for (const std::size_t poses : {2U, 100U, 300U})
      for (const AlignResult& together : batch(*device, scan, std::vector<Transform>(poses, kGuess)))
        EXPECT_TRUE(harness::same_bits(together, alone)) << to_string(tuning) << ", " << poses << " poses";
  }
}

TEST_P(PersistentImplementations, ScoreLikeTheHostForAnyNumberOfPoints) {
  const auto device = in_courtyard(), host = on_the_host();
  for (const std::size_t points : {1U, 31U, 255U, 5000U, 300000U}) {
    const PointCloud scan = test_clouds::scan_of(points);
    for (const Pose& offset : test_clouds::offsets(3, 0.5, 0.05)) {
      const Transform pose = to_transform(offset);
      const Evaluation expected = host->evaluate(scan, pose), got = device->evaluate(scan, pose);
      EXPECT_EQ(got.correspondences, expected.correspondences) << points;
      EXPECT_EQ(got.points_with_voxels, expected.points_with_voxels) << points;
      EXPECT_NEAR(got.score, expected.score, kSum * expected.score) << points;
      EXPECT_NEAR(got.nvtl, expected.nvtl, kSum * expected.nvtl) << points;
    }
  }
}

TEST_P(PersistentImplementations, AnswerForAScanWithoutPointsWhatTheHostAnswers) {
  const AlignResult expected = on_the_host()->align(PointCloud{}, kGuess),
                    got = in_courtyard()->align(PointCloud{}, kGuess);
  EXPECT_EQ(expected.stop, Stop::no_overlap);
  expect_same_alignment(got, expected, "no points");
  EXPECT_EQ(metres_apart(got.map_from_scan, kGuess), 0);
  EXPECT_EQ(radians_apart(got.map_from_scan, kGuess), 0);
  EXPECT_EQ(got.correspondences, 0);
  EXPECT_EQ(got.score, expected.score);
  EXPECT_EQ(got.nvtl, expected.nvtl);
  EXPECT_EQ(got.transform_probability, expected.transform_probability);
  for (int i = 0; i < 36; ++i) EXPECT_EQ(got.hessian.m[i], 0) << i;
}

TEST_P(PersistentImplementations, GiveAThousandSmallScansTheBitsTheyHaveAlone) {
  for (const Tuning tuning : all_values<Tuning>()) {
    AlignOptions options;
    options.tuning = tuning;
    const auto aligner = in_courtyard(options);
    const PointCloud scan = test_clouds::scan_of(300);
    const std::vector<Transform> guesses = test_clouds::mixed_guesses(1000);
    const std::vector<AlignResult> together = batch(*aligner, scan, guesses);
    const std::vector<AlignResult> backwards = batch(*aligner, scan, {guesses.rbegin(), guesses.rend()});
    for (std::size_t k = 0; k < guesses.size(); ++k)
      EXPECT_TRUE(harness::same_bits(together[k], backwards[guesses.size() - 1 - k])) << k;
    for (std::size_t k = 0; k < guesses.size(); k += 37)
      EXPECT_TRUE(harness::same_bits(together[k], aligner->align(scan, guesses[k])))
          << k << ' ' << to_string(together[k].stop);
    const auto [fewest, most] =
        std::minmax_element(together.begin(), together.end(),
                            [](const auto& a, const auto& b) { return a.iterations < b.iterations; });
    EXPECT_EQ(fewest->iterations, 0);
    EXPECT_GT(most->iterations, 10);
  }
}

TEST_P(PersistentImplementations, GiveABatchTheBitsOfEachAloneWhateverTeamItGets) {
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(300);
  for (const StepControl control : all_values<StepControl>())
    for (const Tuning tuning : all_values<Tuning>()) {
      AlignOptions options;
      options.step_control = control;
      options.tuning = tuning;
      const auto aligner = in_courtyard(options);
      std::vector<AlignResult> alone;
      for (const Transform& guess : guesses) alone.push_back(aligner->align(test_clouds::scan(), guess));
      for (const std::size_t count : {1U, 2U, 7U, 64U, 300U}) {  // the fewer poses, the more blocks for each
        const std::vector<AlignResult> together = batch(
            *aligner, test_clouds::scan(), {guesses.begin(), guesses.begin() + static_cast<long>(count)});
        for (std::size_t k = 0; k < count; ++k)
          EXPECT_TRUE(harness::same_bits(together[k], alone[k]))
              << to_string(tuning) << ", " << k << " of " << count;
      }
    }
}

TEST_P(PersistentImplementations, GiveABatchOnSeveralDevicesTheBitsOfOne) {
  const auto devices = static_cast<int>(cuda_state().devices.size());
  if (devices < 2) GTEST_SKIP() << "one device";
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(301);
  const auto one = in_courtyard();
  const std::vector<AlignResult> expected = batch(*one, test_clouds::scan(), guesses);
  AlignOptions options;
  options.devices = devices;
  const auto several = in_courtyard(options);
  const std::vector<AlignResult> got = batch(*several, test_clouds::scan(), guesses);
  for (std::size_t k = 0; k < guesses.size(); ++k) EXPECT_TRUE(harness::same_bits(got[k], expected[k])) << k;
  EXPECT_TRUE(harness::same_bits(several->align(test_clouds::scan(), guesses[5]), expected[5]));
}

/// The largest scans have many rounds of points a lane.
TEST_P(PersistentImplementations, AlignInEitherTuningToTheSamePose) {
  AlignOptions options;
  options.tuning = Tuning::throughput;
  const auto other = in_courtyard(options), aligner = in_courtyard();
  for (const std::size_t points : {31U, 5000U, 20000U, 300000U}) {
    const PointCloud scan = test_clouds::scan_of(points);
    const AlignResult expected = aligner->align(scan, kGuess), got = other->align(scan, kGuess);
    if (expected.conditioning.well_posed()) expect_same_alignment(got, expected, std::to_string(points));
    for (const AlignResult& together : batch(*other, scan, {kGuess, kGuess, kGuess}))
      EXPECT_TRUE(harness::same_bits(together, got)) << points;
  }
}

TEST_P(PersistentImplementations, GiveTheSameBitsBesideOtherWork) {
  const auto aligner = in_courtyard();
  const AlignResult undisturbed = aligner->align(test_clouds::scan(), kGuess);
  const BusyStream other;
  const long long before = other.kernels();
  for (int k = 0; k < 1000; ++k)
    ASSERT_TRUE(harness::same_bits(undisturbed, aligner->align(test_clouds::scan(), kGuess))) << k;
  EXPECT_GT(other.kernels(), before);
}

TEST_P(PersistentImplementations, PullAlongTheHeadingOnly) {
  AlignOptions options;
  options.regularisation_scale = 0.1;
  const auto device = in_courtyard(options), host = on_the_host(options);
  const AlignResult free = device->align(test_clouds::scan(), kGuess);
  const auto pulled = [&](double x, double y) {
    PerScan per_scan;
    per_scan.regularisation =
        RegularisationTarget{free.map_from_scan(0, 3) + x, free.map_from_scan(1, 3) + y};
    const AlignResult got = device->align(test_clouds::scan(), kGuess, per_scan);
    expect_same_alignment(got, host->align(test_clouds::scan(), kGuess, per_scan),
                          "pulled by " + std::to_string(x) + ", " + std::to_string(y));
    return metres_apart(got.map_from_scan, free.map_from_scan);
  };
  const double cos = free.map_from_scan(0, 0), sin = free.map_from_scan(1, 0);
  const double ahead = pulled(5 * cos, 5 * sin), aside = pulled(-5 * sin, 5 * cos);
  std::printf("%s: pulled %.4f m ahead, %.4f m aside\n", GetParam().name.data(), ahead, aside);
  EXPECT_GT(ahead, 0.02);
  EXPECT_LT(aside, 0.1 * ahead);
}

TEST_P(PersistentImplementations, SearchLinesAsTheHostDoes) {
  for (const LineSearch search : {LineSearch::more_thuente, LineSearch::batched}) {
    AlignOptions options;
    options.line_search = search;
    const auto device = in_courtyard(options), host = on_the_host(options);
    std::vector<Transform> guesses{kGuess};
    for (const Pose& offset : test_clouds::offsets(4, 0.3, 0.03)) guesses.push_back(to_transform(offset));
    for (std::size_t k = 0; k < guesses.size(); ++k)
      expect_same_alignment(device->align(test_clouds::scan(), guesses[k]),
                            host->align(test_clouds::scan(), guesses[k]),
                            std::string(to_string(search)) + ", guess " + std::to_string(k));
  }
}

TEST_P(PersistentImplementations, TraceWhatTheHostTracesAndDoNotChangeTheResult) {
  const auto device = in_courtyard(), host = on_the_host();
  PerScan traced;
  traced.trace = true;
  const AlignResult got = device->align(test_clouds::scan(), kGuess, traced),
                    expected = host->align(test_clouds::scan(), kGuess, traced);
  EXPECT_TRUE(harness::same_bits(got, device->align(test_clouds::scan(), kGuess)));
  ASSERT_EQ(got.trace.size(), static_cast<std::size_t>(got.iterations) + 1);
  ASSERT_EQ(got.trace.size(), expected.trace.size());
  for (std::size_t k = 0; k < got.trace.size(); ++k) {
    EXPECT_LE(metres_apart(got.trace[k].map_from_scan, expected.trace[k].map_from_scan), 1e-6) << k;
    EXPECT_NEAR(got.trace[k].step_m, expected.trace[k].step_m, 1e-6) << k;
    EXPECT_NEAR(got.trace[k].score, expected.trace[k].score, kSum * expected.trace[k].score) << k;
    EXPECT_NEAR(got.trace[k].nvtl, expected.trace[k].nvtl, kSum * expected.trace[k].nvtl) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Implementations, PersistentImplementations,
                         testing::ValuesIn(persistent_implementations()), implementation_name);

/// The graph sums in an order of its own, so it is not among them.
TEST(PersistentTeams, GiveAnAlignmentTheSameBits) {
  for (const LineSearch search : all_values<LineSearch>()) {
    AlignOptions options;
    options.line_search = search;
    std::vector<std::unique_ptr<Aligner>> aligners;
    for (const Implementation& entry : persistent_implementations())
      if (entry.unavailable_reason().empty()) aligners.push_back(entry.make(options));
    if (aligners.size() < 2) GTEST_SKIP() << "fewer than two teams can run here";
    for (const auto& aligner : aligners) aligner->set_map(test_clouds::map());
    for (const std::size_t points : {31U, 255U, 5000U, 300000U}) {
      const PointCloud scan = test_clouds::scan_of(points);
      const AlignResult expected = aligners[0]->align(scan, kGuess);
      for (const auto& aligner : aligners)
        EXPECT_TRUE(harness::same_bits(aligner->align(scan, kGuess), expected))
            << to_string(search) << ", " << points;
    }
  }
}

}  // namespace
}  // namespace ndt
