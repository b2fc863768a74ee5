// An announced scan, on every implementation: no bit of any result is another.
#include <functional>
#include <vector>

#include "every_implementation.hpp"
#include "run/repeatability.hpp"

namespace ndt {
namespace {

const Transform kBesideTruth = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

/// The options that choose how an alignment is launched.
std::vector<AlignOptions> launches() {
  std::vector<AlignOptions> all;
  for (const Tuning tuning : all_values<Tuning>())
    for (const StepControl control : all_values<StepControl>()) {
      AlignOptions& options = all.emplace_back();
      options.threads = 2;
      options.tuning = tuning;
      options.step_control = control;
      if (control == StepControl::trust_region) options.levels = {2, 1};
    }
  return all;
}

class ExpectScan : public EveryImplementation {
 protected:
  void SetUp() override {
    EveryImplementation::SetUp();
    if (IsSkipped()) return;
    if (peer()) GTEST_SKIP() << "a peer has other options, and is not woken";
  }
  static std::vector<AlignResult> batch(
      Aligner& aligner, const Scan& scan, const std::vector<Transform>& guesses,
      const std::function<void()>& between = [] {}) {
    std::vector<AlignResult> out(guesses.size());
    aligner.submit(scan, guesses);
    between();
    aligner.collect(out);
    return out;
  }
  static void expect_same(const std::vector<AlignResult>& got, const std::vector<AlignResult>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(harness::same_bits(got[k], expected[k])) << k;
  }
};

TEST_P(ExpectScan, WithoutAMapDoesNothing) {
  const auto aligner = make();
  EXPECT_NO_THROW(aligner->expect_scan());
  EXPECT_THROW(aligner->align(test_clouds::scan(), kBesideTruth), std::logic_error);
  aligner->set_map(test_clouds::map());
  EXPECT_TRUE(harness::same_bits(aligner->align(test_clouds::scan(), kBesideTruth),
                                 in_courtyard()->align(test_clouds::scan(), kBesideTruth)));
}

TEST_P(ExpectScan, BeforeAndBetweenAlignmentsChangesNoBit) {
  for (const AlignOptions& options : launches()) {
    const auto announced = in_courtyard(options), expecting = in_courtyard(options);
    for (const std::size_t points : {300U, 3000U, 12000U, 300U, 0U, 1U, 3000U}) {  // 12000: launched ahead
      const PointCloud scan = test_clouds::scan_of(points);
      for (int turn = 0; turn < 3; ++turn) {
        for (int k = 0; k < turn; ++k) announced->expect_scan();
        EXPECT_TRUE(
            harness::same_bits(announced->align(scan, kBesideTruth), expecting->align(scan, kBesideTruth)))
            << points << " points, announced " << turn << " times";
      }
    }
  }
}

TEST_P(ExpectScan, LeavesAHeldScanAndASubmissionAsTheyAre) {
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(7);
  for (const AlignOptions& options : launches()) {
    const auto announced = in_courtyard(options), expecting = in_courtyard(options);
    const auto announce = [&] { announced->expect_scan(); };
    const PointCloud scan = test_clouds::scan_of(300), other = test_clouds::scan_of(200);
    const std::vector<AlignResult> expected = batch(*expecting, scan, guesses);
    expect_same(batch(*announced, scan, guesses, announce), expected);
    announced->align(other, kBesideTruth);
    announced->hold(scan, guesses.size());
    announce();
    expect_same(batch(*announced, HeldScan{}, guesses, announce), expected);
    announce();
    expect_same(batch(*announced, HeldScan{}, guesses), expected);
    EXPECT_EQ(announced->evaluate(HeldScan{}, kBesideTruth).score,
              expecting->evaluate(scan, kBesideTruth).score);
  }
}

TEST_P(ExpectScan, AfterAnotherMapOrAScanThatWasRefusedIsAsBefore) {
  const auto announced = in_courtyard(), expecting = in_courtyard();
  const PointCloud scan = test_clouds::scan_of(300);
  PointCloud coarse = scan;
  for (Point& p : coarse.points) p.x = 1e7F;
  announced->align(scan, kBesideTruth);
  for (int turn = 0; turn < 2; ++turn) {
    announced->set_map(test_clouds::map());
    announced->expect_scan();
    EXPECT_ANY_THROW(announced->align(coarse, kBesideTruth));
    announced->expect_scan();
    EXPECT_TRUE(
        harness::same_bits(announced->align(scan, kBesideTruth), expecting->align(scan, kBesideTruth)))
        << turn;
  }
}

NDT_ON_EVERY_IMPLEMENTATION(ExpectScan);

}  // namespace
}  // namespace ndt
