// A scan that an aligner holds, on every implementation: the bits of the scan given with each call.
#include <functional>
#include <limits>
#include <stdexcept>

#include "bytes.hpp"
#include "every_implementation.hpp"
#include "run/repeatability.hpp"

namespace ndt {
namespace {

class HeldScans : public EveryImplementation {
 protected:
  void SetUp() override {
    EveryImplementation::SetUp();
    if (IsSkipped()) return;
    if (peer()) GTEST_SKIP() << "a peer has the scan with each alignment";
  }
  static std::vector<AlignResult> aligned(Aligner& aligner, const std::vector<Transform>& guesses) {
    std::vector<AlignResult> out(guesses.size());
    aligner.submit(HeldScan{}, guesses);
    aligner.collect(out);
    return out;
  }
  static void expect_same(const Evaluation& got, const Evaluation& expected) {
    EXPECT_EQ(got.score, expected.score);
    EXPECT_EQ(got.nvtl, expected.nvtl);
    EXPECT_EQ(got.points_with_voxels, expected.points_with_voxels);
    EXPECT_EQ(got.point_scores, expected.point_scores);
    EXPECT_EQ(got.dropped_points, expected.dropped_points);
  }
};

TEST_P(HeldScans, GiveTheBitsOfTheScanWhateverBecomesOfIt) {
  for (const Tuning tuning : all_values<Tuning>()) {
    AlignOptions options;
    options.threads = 1;
    options.tuning = tuning;
    const auto aligner = in_courtyard(options), expecting = in_courtyard(options);
    const PointCloud scan = test_clouds::scan_of(300);
    PointCloud changed = scan;
    changed.points[7].y = std::numeric_limits<float>::quiet_NaN();  // dropped
    const PointCloud given = changed;
    aligner->hold(changed, 20);
    changed.points.clear();
    PerScan scored;
    scored.point_scores = true;
    for (const std::size_t count : {20U, 1U, 7U, 0U, 20U}) {
      const std::vector<Transform> guesses = test_clouds::mixed_guesses(count);
      std::vector<AlignResult> expected(count);
      expecting->align_batch(given, guesses, expected);
      const std::vector<AlignResult> got = aligned(*aligner, guesses);
      for (std::size_t k = 0; k < count; ++k)
        EXPECT_TRUE(harness::same_bits(got[k], expected[k])) << k << " of " << count;
      expect_same(aligner->evaluate(HeldScan{}, {}, scored), expecting->evaluate(given, {}, scored));
    }
    aligner->hold(scan, 2);
    EXPECT_TRUE(harness::same_bits(aligned(*aligner, {Transform{}}).front(), expecting->align(scan, {})));
  }
}

TEST_P(HeldScans, OfARawScanHaveTheBitsOfItsFilteredPoints) {
  const auto aligner = in_courtyard(), expecting = in_courtyard();
  PointCloud raw = test_clouds::scan_of(2000);
  for (std::size_t k = 0; k < raw.size(); k += 9) raw.points[k] = {};  // no returns
  for (const ScanPreparation& filters :
       {ScanPreparation{}, ScanPreparation{.max_range_m = 30, .voxel_leaf_m = 0.5, .sample_points = 200}}) {
    PointCloud left = raw;
    const NoReturns dropped = drop_no_returns(left);
    left = prepare(std::move(left), filters).cloud;
    const HeldRawScan got = aligner->hold_raw(raw, {false, nullptr, filters}, 2);
    ASSERT_TRUE(got.held);
    EXPECT_EQ(got.no_returns.zero, dropped.zero);
    EXPECT_EQ(dropped.zero, 223);
    EXPECT_TRUE(harness::same_bits(got.prepared.cloud.points, left.points));
    EXPECT_TRUE(harness::same_bits(aligner->align(HeldScan{}, {}), expecting->align(left, {})));
  }
  EXPECT_THROW(aligner->hold_raw(HeldScan{}, {}, 1), std::invalid_argument);
}

TEST_P(HeldScans, AreNeverMistakenForAnother) {
  const auto aligner = in_courtyard(), expecting = in_courtyard();
  const PointCloud scan = test_clouds::scan_of(300), other = test_clouds::scan_of(200);
  const AlignResult expected = expecting->align(scan, {});
  const std::function<void()> calls[] = {
      [&] { aligner->align(other, {}); }, [&] { aligner->evaluate(other, {}); },
      [&] { aligner->reserve(200, 3); }, [&] { aligner->set_map(test_clouds::map()); }};
  for (const auto& call : calls) {
    aligner->hold(scan, 1);
    call();
    try {
      EXPECT_TRUE(harness::same_bits(aligned(*aligner, {Transform{}}).front(), expected));
    } catch (const std::logic_error& error) {
      EXPECT_STREQ(error.what(),
                   "submit: no scan is held; call hold() first, and again after a call with another scan");
    }
  }
}

TEST_P(HeldScans, AreAskedForInVainWithoutOneOrForMorePoses) {
  const auto aligner = in_courtyard();
  EXPECT_THROW(aligned(*aligner, {Transform{}}), std::logic_error);
  EXPECT_THROW(aligner->evaluate(HeldScan{}, {}), std::logic_error);
  aligner->hold(test_clouds::scan_of(300), 2);
  EXPECT_THROW(aligned(*aligner, std::vector<Transform>(3)), std::invalid_argument);
  EXPECT_NO_THROW(aligned(*aligner, std::vector<Transform>(2)));
}

NDT_ON_EVERY_IMPLEMENTATION(HeldScans);

}  // namespace
}  // namespace ndt
