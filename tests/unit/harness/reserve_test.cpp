// After reserve() an aligner on the CPU asks for no memory: this program's operator new counts.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "asked_memory.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/edge/scan_memory.hpp"
#include "registry/registry.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

using catalogue::asked_memory;

constexpr std::size_t kPoints = 300, kPoses = 8;
const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

std::unique_ptr<Aligner> in_courtyard(const char* name, const AlignOptions& options) {
  auto aligner = harness::find_implementation(name).make(options);
  aligner->set_map(test_clouds::map());
  return aligner;
}

PointCloud first_points(std::size_t points) {
  PointCloud part;
  const auto first = test_clouds::scan().points.begin();
  part.points.assign(first, first + static_cast<long>(points));
  return part;
}

/// Counts the bytes that all kinds of calls allocate, with as many points and poses as reserved and with
/// fewer.
std::size_t asked_by_calls(Aligner& aligner) {
  const PointCloud few = first_points(kPoints / 3), all = first_points(kPoints);
  const std::vector<Transform> guesses(kPoses, kGuess);
  std::vector<AlignResult> results(kPoses);
  std::vector<Score> scores(kPoses);
  const std::size_t before = asked_memory();
  for (const PointCloud* scan : std::array<const PointCloud*, 2>{&few, &all}) {
    (void)aligner.align(*scan, kGuess);
    (void)aligner.evaluate(*scan, kGuess);
    aligner.align_batch(*scan, guesses, results);
    aligner.score_batch(*scan, guesses, scores);
    aligner.align_batch(*scan, std::span(guesses).first(3), std::span(results).first(3));
  }
  return asked_memory() - before;
}

TEST(Reserve, NothingIsAskedForAfterwards) {
  for (const char* name : {"persistent_cpu", "multikernel_cpu"})
    for (const int threads : {1, 2})
      for (AlignOptions options : {AlignOptions::autoware(), AlignOptions::pyramid()}) {
        options.threads = threads;
        const auto unprepared = in_courtyard(name, options);
        EXPECT_GT(asked_by_calls(*unprepared), kPoints) << "or this shows nothing";
        const auto aligner = in_courtyard(name, options);
        aligner->reserve(kPoints, kPoses);
        EXPECT_EQ(asked_by_calls(*aligner), 0U) << name << " with " << threads << " threads";
      }
}

TEST(Reserve, TakesNoMoreThanIsTold) {
  const auto live = [] {
    const struct mallinfo2 heap = mallinfo2();  // all zero under a sanitizer
    return heap.uordblks + heap.hblkhd;
  };
  AlignOptions options;
  options.threads = 1;
  for (const auto& [points, poses] : {std::pair<std::size_t, std::size_t>{200000, 1}, {200, 3000}}) {
    const std::size_t at_first = live();
    const auto aligner = harness::find_implementation("persistent_cpu").make(options);
    const std::size_t made = live() - at_first;
    aligner->set_map(test_clouds::map());
    const std::size_t before = live();
    aligner->reserve(points, poses);
    const std::size_t taken = live() - before + made;
    EXPECT_LE(taken, host_scan_memory(points, poses).host) << points << " points, " << poses << " poses";
    if (before > 0) {
      EXPECT_GE(2 * taken, host_scan_memory(points, poses).host);
    }
  }
}

TEST(Reserve, ChangesNoResult) {
  const auto aligner = in_courtyard("persistent_cpu", {}), other = in_courtyard("persistent_cpu", {});
  aligner->reserve(10000, 20);
  const AlignResult a = aligner->align(test_clouds::scan(), kGuess),
                    b = other->align(test_clouds::scan(), kGuess);
  EXPECT_EQ(std::memcmp(&a.map_from_scan, &b.map_from_scan, sizeof a.map_from_scan), 0);
  EXPECT_EQ(a.score, b.score);
}

TEST(Reserve, RefusesWhatNoCallTakesAndAnAlignerWithoutAMap) {
  const auto aligner = harness::find_implementation("persistent_cpu").make({});
  EXPECT_THROW(aligner->reserve(100, 1), std::logic_error);
  aligner->set_map(test_clouds::map());
  EXPECT_THROW(aligner->reserve(100, Limits::kBatch + 1), std::invalid_argument);
  EXPECT_THROW(aligner->reserve(Limits::kPoints + 1, 1), std::invalid_argument);
  EXPECT_NO_THROW(aligner->reserve(0, 0));
}

}  // namespace
}  // namespace ndt
