#include "ndt/edge/loop_aligner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "ndt/core/error.hpp"
#include "ndt/core/finite_points.hpp"

namespace ndt {
namespace {

/// As much of a map as an aligner asks for itself.
struct EmptyMap {
  double resolution_m() const { return 2; }
  Vec3<double> origin() const { return {}; }
  VoxelMapView view() const { return {}; }
};

constexpr const EmptyMap* kNoWindows = nullptr;

/// Alignment k ends after k iterations at the guess, once it is waited for.
class CountingAligner final : public LoopAligner {
 public:
  explicit CountingAligner(std::size_t fails_at = ~std::size_t{0})
      : LoopAligner(AlignOptions{}), fails_at_(fails_at) {
    use_levels(maps_, kNoWindows, [](const EmptyMap&) -> const VoxelSurface* { return nullptr; });
  }

  MapInfo set_map(const Scan&) override { return {}; }
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
    runs[k].outcome.iterations = static_cast<std::int16_t>(k);
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
  aligner.align_batch(PointCloud{}, guesses, results);
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

/// Says what an aligner was told, in its order.
class AheadAligner final : public LoopAligner, private EarlyLaunch {
 public:
  AheadAligner() : LoopAligner(AlignOptions{}) {
    use_levels(maps_, kNoWindows, [](const EmptyMap&) -> const VoxelSurface* { return nullptr; });
  }
  MapInfo set_map(const Scan&) override { return {}; }
  std::vector<VoxelInfo> voxels() const override { return {}; }

  std::vector<std::string> told;
  ScanArrival arrival;
  bool refuses = false;  ///< to begin ahead
  bool late = false;     ///< for a scan that was announced

 private:
  Point* room_for_scan(std::size_t points, std::size_t) override {
    room_.assign(points, Point{});
    return room_.data();
  }
  EarlyLaunch* early_launch() override { return this; }
  ScanArrival* begin(const ScanView& scan, const LoopOptions&, const PerScan&,
                     std::span<LoopRun> run) override {
    if (refuses) return nullptr;
    EXPECT_EQ(scan.points, room_.data());
    EXPECT_EQ(run.size(), 1U);
    EXPECT_TRUE(scan.size == 0 || scan.points[scan.size - 1].x == 0) << "copied already";
    arrival = {};
    told.push_back("ahead of " + std::to_string(scan.size));
    return &arrival;
  }
  bool arrived(const LoopScan& scan) override {
    EXPECT_EQ(arrival.points, scan.facts.points);
    EXPECT_EQ(arrival.per_metre, 1 / scan.facts.mean_range_m);
    told.emplace_back(late ? "too late" : "arrived");
    return !late;
  }
  void forget() override {
    EXPECT_LT(arrival.per_metre, 0);
    told.emplace_back("forgotten");
  }
  void submit_runs(const LoopScan& scan, const LoopOptions&, const PerScan&,
                   std::span<LoopRun> runs) override {
    told.push_back("submitted " + std::to_string(runs.size()) + " with " + std::to_string(scan.facts.points));
  }
  void collect_run(const PerScan&, std::span<LoopRun> runs, std::size_t k) override {
    runs[k].outcome.status = LoopStatus::no_overlap;
  }
  void score(const LoopScan&, std::span<const Transform>, std::span<Score>) override {}
  std::vector<float> point_scores(const LoopScan&, const Transform&) override { return {}; }

  EmptyMap map_;
  std::vector<const EmptyMap*> maps_{&map_};
  std::vector<Point> room_;
};

PointCloud scan_of(std::size_t points) {
  PointCloud scan;
  scan.points.assign(points, Point{3, 4, 0});
  return scan;
}

using Told = std::vector<std::string>;

TEST(LoopAligner, BeginsAnAlignmentAloneBeforeItCopiesTheScan) {
  AheadAligner aligner;
  aligner.align(scan_of(5000), {}, {});
  EXPECT_EQ(aligner.told, (Told{"ahead of 5000", "arrived"}));
  aligner.told.clear();
  aligner.refuses = true;
  aligner.align(scan_of(5000), {}, {});
  EXPECT_EQ(aligner.told, (Told{"submitted 1 with 5000"}));
}

TEST(LoopAligner, BeginsAnewWithAScanThatCameTooLate) {
  AheadAligner aligner;
  aligner.late = true;
  aligner.align(scan_of(5000), {}, {});
  EXPECT_EQ(aligner.told, (Told{"ahead of 5000", "too late", "submitted 1 with 5000"}));
}

TEST(LoopAligner, BeginsABatchAnEvaluationAndAnEmptyScanWithTheirPoints) {
  AheadAligner aligner;
  std::vector<AlignResult> results(2);
  aligner.align_batch(scan_of(10), std::vector<Transform>(2, Transform{}), results);
  aligner.evaluate(scan_of(11), {}, {});
  aligner.align(scan_of(0), {}, {});
  EXPECT_EQ(aligner.told, (Told{"submitted 2 with 10", "submitted 1 with 11", "submitted 1 with 0"}));
}

TEST(LoopAligner, WithdrawsAScanWithPointsThatCannotBeUsedAndDoesNotAnnounceTheNext) {
  AheadAligner aligner;
  PointCloud holed = scan_of(5000);
  holed.points[4000].x = NAN;
  aligner.align(holed, {}, {});
  EXPECT_EQ(aligner.told, (Told{"ahead of 5000", "forgotten", "submitted 1 with 4999"}));
  aligner.told.clear();
  aligner.align(holed, {}, {});
  aligner.align(scan_of(5000), {}, {});
  aligner.align(scan_of(5000), {}, {});
  EXPECT_EQ(aligner.told,
            (Told{"submitted 1 with 4999", "submitted 1 with 5000", "ahead of 5000", "arrived"}));
}

TEST(LoopAligner, WithdrawsAScanThatItRefuses) {
  AheadAligner aligner;
  PointCloud coarse = scan_of(5000);
  for (Point& p : coarse.points) p.x = 1e7F;
  EXPECT_THROW(aligner.align(coarse, {}, {}), InputError);
  EXPECT_EQ(aligner.told, (Told{"ahead of 5000", "forgotten"}));
  aligner.told.clear();
  aligner.align(scan_of(5000), {}, {});
  EXPECT_EQ(aligner.told, (Told{"ahead of 5000", "arrived"}));
}

}  // namespace
}  // namespace ndt
