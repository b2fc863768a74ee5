// Aligns a thousand times with equal bits, and ends alignments while the device is at work. Other ends from
// outside are in conformance/interruption_test.
#include <chrono>

#include "device_implementations.hpp"

namespace ndt {
namespace {

using std::chrono::microseconds, std::chrono::steady_clock;

const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

/// Newton steps for as long as they are let: no step is short enough to end it.
AlignOptions endless() {
  AlignOptions options;
  options.max_iterations = 1000;
  options.epsilon_m = 1e-300;
  return options;
}

bool is_guess(const Transform& t) {
  for (int i = 0; i < 16; ++i)
    if (t.m[i] != kGuess.m[i]) return false;
  return true;
}

class Endurance : public DeviceImplementation {
 protected:
  /// The result must be a pose on the way with its own score.
  static void expect_pose_so_far(const AlignResult& got, Aligner& aligner) {
    EXPECT_EQ(got.stop, Stop::timeout);
    EXPECT_LT(got.iterations, 1000);
    EXPECT_EQ(is_guess(got.map_from_scan), got.iterations == 0);
    const double at_pose = aligner.evaluate(test_clouds::scan(), got.map_from_scan).score;
    EXPECT_NEAR(got.score, at_pose, 1e-5 * at_pose);
    const double at_guess = aligner.evaluate(test_clouds::scan(), kGuess).score;
    EXPECT_TRUE(got.iterations < 3 || got.score > at_guess) << got.iterations << " iterations";
  }
};

TEST_P(Endurance, AThousandAlignmentsGiveTheSameBits) {
  for (const LineSearch search : all_values<LineSearch>()) {
    AlignOptions options;
    options.line_search = search;
    const auto aligner = in_courtyard(options);
    const AlignResult first = aligner->align(test_clouds::scan(), kGuess);
    for (int k = 0; k < (search == LineSearch::off ? 1000 : 100); ++k)
      ASSERT_TRUE(harness::same_bits(first, aligner->align(test_clouds::scan(), kGuess)))
          << to_string(search) << ' ' << k;
  }
}

TEST_P(Endurance, ADeadlineOnTheWayGivesThePoseSoFar) {
  const auto aligner = in_courtyard(endless());
  const AlignResult unhurried = aligner->align(test_clouds::scan(), kGuess);
  ASSERT_EQ(unhurried.stop, Stop::max_iterations);
  for (const int us : {200, 1000, 2000}) {
    PerScan per_scan;
    per_scan.deadline = steady_clock::now() + microseconds(us);
    const AlignResult got = aligner->align(test_clouds::scan(), kGuess, per_scan);
    std::printf("%s: %d iterations in %d us\n", GetParam().name.data(), got.iterations, us);
    expect_pose_so_far(got, *aligner);
  }
  EXPECT_TRUE(harness::same_bits(unhurried, aligner->align(test_clouds::scan(), kGuess)));
}

NDT_ON_DEVICE_IMPLEMENTATIONS(Endurance);

}  // namespace
}  // namespace ndt
