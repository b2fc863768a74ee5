#include "ndt/edge/loop_aligner.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ndt/core/error.hpp"

namespace ndt {
namespace {

/// As much of a map as an aligner asks for itself.
struct EmptyMap {
  double resolution_m() const { return 2; }
  Vec3<double> origin() const { return {}; }
  VoxelMapView view() const { return {}; }
};

/// Alignment k ends after k iterations at the guess, once it is waited for.
class CountingAligner final : public LoopAligner {
 public:
  explicit CountingAligner(std::size_t fails_at = ~std::size_t{0})
      : LoopAligner(AlignOptions{}), fails_at_(fails_at) {
    use_levels(maps_, [](const EmptyMap&) -> const VoxelSurface* { return nullptr; });
  }

  MapInfo set_map(const PointCloud&) override { return {}; }
  std::vector<VoxelInfo> voxels() const override { return {}; }
  std::size_t submitted() const { return submitted_; }
  std::size_t collected() const { return collected_; }

 private:
  Point* room_for_scan(std::size_t, std::size_t) override { return nullptr; }
  void submit_runs(const LoopScan&, const LoopOptions&, const PerScan&, std::span<LoopRun> runs) override {
    submitted_ = runs.size();
    collected_ = 0;
  }
  void collect_run(const PerScan&, std::span<LoopRun> runs, std::size_t k) override {
    EXPECT_EQ(k, collected_++) << "out of order";
    if (k == fails_at_) throw std::runtime_error("the device failed");
    runs[k].outcome.iterations = static_cast<std::int32_t>(k);
    runs[k].outcome.status = LoopStatus::no_overlap;
  }
  void score(const LoopScan&, std::span<const Transform>, std::span<Score>) override {}
  std::vector<float> point_scores(const LoopScan&, const Transform&) override { return {}; }

  EmptyMap map_;
  std::vector<const EmptyMap*> maps_{&map_};
  std::size_t fails_at_, submitted_ = 0, collected_ = 0;
};

std::vector<AlignResult> batch(CountingAligner& aligner, std::size_t poses) {
  const std::vector<Transform> guesses(poses, Transform{});
  std::vector<AlignResult> results(poses);
  aligner.align_batch({}, guesses, results);
  return results;
}

TEST(LoopAligner, WritesTheResultsOfABatchInOrder) {
  CountingAligner aligner;
  for (const std::size_t poses : {1U, 15U, 16U, 17U, 32U, 33U, 64U, 100U, 1000U}) {
    const std::vector<AlignResult> results = batch(aligner, poses);
    EXPECT_EQ(aligner.collected(), poses);
    for (std::size_t k = 0; k < poses; ++k) {
      ASSERT_EQ(results[k].iterations, static_cast<int>(k)) << poses << " poses";
      ASSERT_EQ(results[k].stop, Stop::no_overlap);
    }
  }
}

TEST(LoopAligner, ThrowsWhatFailsHalfwayThroughABatch) {
  CountingAligner aligner(150);
  EXPECT_THROW(batch(aligner, 200), std::runtime_error);
  EXPECT_EQ(batch(aligner, 100).back().iterations, 99) << "the aligner is as good as before";
}

TEST(LoopAligner, SubmitReturnsBeforeAnythingIsWaitedFor) {
  CountingAligner aligner;
  const std::vector<Transform> guesses(40, Transform{});
  const PointCloud scan;
  aligner.submit(scan, guesses, {});
  EXPECT_EQ(aligner.submitted(), 40U);
  EXPECT_EQ(aligner.collected(), 0U);
  std::vector<AlignResult> results(40);
  aligner.collect(results);
  EXPECT_EQ(aligner.collected(), 40U);
  EXPECT_EQ(results.back().iterations, 39);
  EXPECT_THROW(aligner.collect(results), std::logic_error) << "collected already";
}

TEST(LoopAligner, TheNextCallGivesUpWhatNobodyCollected) {
  CountingAligner aligner;
  const std::vector<Transform> guesses(7, Transform{});
  const PointCloud scan;
  aligner.submit(scan, guesses, {});
  EXPECT_EQ(aligner.align(scan, {}, {}).iterations, 0);
  std::vector<AlignResult> results(7);
  EXPECT_THROW(aligner.collect(results), std::logic_error);
  CountingAligner failing(3);
  failing.submit(scan, guesses, {});
  EXPECT_EQ(failing.align(scan, {}, {}).iterations, 0) << "a failure of what was given up belongs to nobody";
}

TEST(LoopAligner, CollectRefusesAnotherNumberOfResults) {
  CountingAligner aligner;
  const std::vector<Transform> guesses(3, Transform{});
  const PointCloud scan;
  aligner.submit(scan, guesses, {});
  std::vector<AlignResult> two(2), three(3);
  EXPECT_THROW(aligner.collect(two), std::invalid_argument);
  EXPECT_NO_THROW(aligner.collect(three));
}

/// A device's copy: what is in the room when stage() is called, and what becomes of it.
class StagingAligner final : public LoopAligner {
 public:
  StagingAligner() : LoopAligner(AlignOptions{}) {
    use_levels(maps_, [](const EmptyMap&) -> const VoxelSurface* { return nullptr; });
  }
  MapInfo set_map(const PointCloud&) override { return {}; }
  std::vector<VoxelInfo> voxels() const override { return {}; }

  std::vector<Point> copied;             ///< by stage()
  int staged = 0, unstaged = 0;          ///< calls
  std::optional<bool> submitted_staged;  ///< what submit_runs() was told

 private:
  Point* room_for_scan(std::size_t points, std::size_t) override {
    room_.resize(points);
    return room_.data();
  }
  bool stages() const override { return true; }
  void stage(const LoopScan& scan, std::span<const LoopRun> runs) override {
    ++staged;
    EXPECT_EQ(runs.size(), 1U);
    copied.assign(scan.points, scan.points + scan.view().size);
  }
  void unstage() override { ++unstaged; }
  void submit_runs(const LoopScan& scan, const LoopOptions&, const PerScan&,
                   std::span<LoopRun> runs) override {
    submitted_staged = scan.staged;
    runs[0].outcome.status = LoopStatus::no_overlap;
  }
  void score(const LoopScan&, std::span<const Transform>, std::span<Score>) override {}
  std::vector<float> point_scores(const LoopScan&, const Transform&) override { return {}; }

  EmptyMap map_;
  std::vector<const EmptyMap*> maps_{&map_};
  std::vector<Point> room_;
};

PointCloud three_points() {
  PointCloud scan;
  scan.points = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  return scan;
}

TEST(LoopAligner, StagesTheVeryPointsThatItSubmits) {
  StagingAligner aligner;
  const PointCloud scan = three_points();
  aligner.align(scan, {}, {});
  ASSERT_EQ(aligner.copied.size(), 3U);
  EXPECT_EQ(aligner.copied[2].z, 9);
  EXPECT_EQ(aligner.submitted_staged, true);
  EXPECT_EQ(aligner.unstaged, 0);
}

TEST(LoopAligner, SubmitsAScanAsNotStagedIfTheCheckDropsAPoint) {
  StagingAligner aligner;
  PointCloud scan = three_points();
  scan.points[1].x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(aligner.align(scan, {}, {}).dropped_points, 1);
  EXPECT_EQ(aligner.staged, 1);
  EXPECT_EQ(aligner.submitted_staged, false);
}

TEST(LoopAligner, StagesNoScanWhosePointsMove) {
  StagingAligner aligner;
  PointCloud scan = three_points();
  scan.origin = {100, 0, 0};
  aligner.align(scan, {}, {});
  EXPECT_EQ(aligner.staged, 0);
  EXPECT_EQ(aligner.submitted_staged, false);
}

TEST(LoopAligner, TakesARefusedScanBack) {
  StagingAligner aligner;
  PointCloud scan = three_points();
  for (Point& p : scan.points) p.x += 1e6F;
  EXPECT_THROW(aligner.align(scan, {}, {}), InputError);
  EXPECT_EQ(aligner.staged, 1);
  EXPECT_EQ(aligner.unstaged, 1);
  EXPECT_FALSE(aligner.submitted_staged.has_value());
}

}  // namespace
}  // namespace ndt
