#include "ndt/edge/loop_aligner.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ndt {
namespace {

/// A row whose alignment k ends after k iterations at the guess.
class CountingRow final : public LoopAligner {
 public:
  CountingRow(bool waits, std::size_t fails_at) : LoopAligner({}), waits_(waits), fails_at_(fails_at) {}

  MapInfo set_map(const PointCloud&) override { return {}; }
  std::vector<VoxelRow> voxels() const override { return {}; }
  std::size_t finished() const { return finished_; }

 private:
  const Vec3<double>* map_origin() const override { return &origin_; }
  void run(const LoopScan&, const LoopOptions&, const PerScan&, std::span<LoopRun>) override { finished_ = 0; }
  void finish(const PerScan&, std::span<LoopRun> runs, std::size_t k) override {
    EXPECT_EQ(k, finished_++) << "out of order";
    if (k == fails_at_) throw std::runtime_error("the device failed");
    runs[k].outcome.iterations = static_cast<std::int32_t>(k);
    runs[k].outcome.end = LoopEnd::no_overlap;
  }
  bool finish_waits() const override { return waits_; }
  void score(const LoopScan&, std::span<const Transform>, std::span<Score>) override {}
  std::vector<float> point_scores(const LoopScan&, const Transform&) override { return {}; }

  Vec3<double> origin_{};
  bool waits_;
  std::size_t fails_at_, finished_ = 0;
};

constexpr std::size_t kNever = ~std::size_t{0};

std::vector<AlignResult> batch(CountingRow& row, std::size_t poses, const PerScan& per_scan = {}) {
  const std::vector<Transform> guesses(poses, Transform{});
  std::vector<AlignResult> results(poses);
  row.align_batch({}, guesses, results, per_scan);
  return results;
}

class BatchResults : public testing::TestWithParam<bool> {};

TEST_P(BatchResults, AreAllThereInOrder) {
  CountingRow row(GetParam(), kNever);
  for (const std::size_t poses : {1U, 15U, 16U, 17U, 32U, 33U, 64U, 100U, 1000U}) {
    const std::vector<AlignResult> results = batch(row, poses);
    EXPECT_EQ(row.finished(), poses);
    for (std::size_t k = 0; k < poses; ++k) {
      ASSERT_EQ(results[k].iterations, static_cast<int>(k)) << poses << " poses";
      ASSERT_EQ(results[k].stop, Stop::no_overlap);
    }
  }
}

TEST_P(BatchResults, WhatFailsHalfwayIsThrown) {
  CountingRow row(GetParam(), 150);
  EXPECT_THROW(batch(row, 200), std::runtime_error);
  EXPECT_EQ(batch(row, 100).back().iterations, 99) << "the row is as good as before";
}

TEST_P(BatchResults, TheCallersWorkIsDoneOnceBeforeAnythingIsWaitedFor) {
  CountingRow row(GetParam(), kNever);
  int done = 0;
  PerScan per_scan;
  per_scan.meanwhile = [&] {
    ++done;
    EXPECT_EQ(row.finished(), 0U);
  };
  batch(row, 40, per_scan);
  EXPECT_EQ(done, 1);
  row.align({}, {}, per_scan);
  EXPECT_EQ(done, 2);
}

TEST_P(BatchResults, WhatTheCallersWorkThrowsIsThrownWhenAllIsOver) {
  CountingRow row(GetParam(), kNever);
  PerScan per_scan;
  per_scan.meanwhile = [] { throw std::length_error("too much work"); };
  EXPECT_THROW(batch(row, 40, per_scan), std::length_error);
  EXPECT_EQ(row.finished(), 40U);
  EXPECT_THROW(row.align({}, {}, per_scan), std::length_error);
  EXPECT_EQ(row.finished(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Rows, BatchResults, testing::Bool(),
                         [](const auto& waits) { return waits.param ? "of_a_device" : "of_the_host"; });

}  // namespace
}  // namespace ndt
