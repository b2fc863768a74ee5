#include <gmock/gmock.h>

#include <cmath>

#include "base/metrics.hpp"
#include "data/load_dataset.hpp"
#include "data/sources.hpp"
#include "registry/registry.hpp"

namespace ndt::harness {
namespace {

bool same_points(const PointCloud& a, const PointCloud& b) {
  return std::ranges::equal(a.points, b.points, [](const Point& p, const Point& q) {
    return p.x == q.x && p.y == q.y && p.z == q.z;
  });
}

bool all_finite(const PointCloud& cloud) {
  return std::ranges::all_of(cloud.points, [](const Point& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
  });
}

/// How the alignment of a scene with profile pyramid ends, and how far from the truth.
struct Ending {
  AlignResult result;
  PoseDifference off;
};
Ending align(const Dataset& dataset, std::size_t frame) {
  const auto aligner = find_implementation("persistent_cpu").make(AlignOptions::pyramid());
  aligner->set_map(dataset.map(frame));
  const Frame& asked = dataset.frames[frame];
  const AlignResult result = aligner->align(dataset.scan(frame), asked.guesses[0].map_from_scan);
  return {result, pose_difference(result.map_from_scan, asked.truth.value())};
}

TEST(Scenes, AreThreeHundredHonestOnesAndThreeHundredOthersEachWithItsOwnClouds) {
  std::size_t honest = 0, others = 0;
  for (const DatasetInfo& info : list_scenes()) {
    const Dataset dataset = load_dataset(info.name);
    (info.name == "scenes_honest" ? honest : others) += dataset.frames.size();
    EXPECT_FALSE(dataset.one_map) << info.name;
    const PointCloud map = dataset.map(0), scan = dataset.scan(0);
    EXPECT_FALSE(map.empty() || scan.empty()) << info.name;
    EXPECT_TRUE(all_finite(map) && all_finite(scan)) << info.name;
    EXPECT_TRUE(same_points(map, dataset.map(0)) && same_points(scan, dataset.scan(0))) << info.name;
    EXPECT_FALSE(same_points(map, dataset.map(1)) || same_points(scan, dataset.scan(1))) << info.name;
    for (const Frame& frame : dataset.frames)
      EXPECT_EQ(frame.truth.has_value(), dataset.kind != "no_pose") << info.name << ' ' << frame.name;
  }
  EXPECT_EQ(honest, 300u);
  EXPECT_EQ(others, 300u);
}

TEST(Scenes, AnotherSeedDrawsOtherScenesOfTheSameFamilies) {
  for (const DatasetInfo& info : list_scenes()) {
    const Dataset own = load_dataset(info.name), other = load_scenes(info.name + "_7").value();
    EXPECT_EQ(other.name, info.name + "_7");
    EXPECT_EQ(other.kind, own.kind) << info.name;
    EXPECT_EQ(other.frames.size(), own.frames.size()) << info.name;
    EXPECT_FALSE(same_points(other.map(0), own.map(0)) || same_points(other.scan(0), own.scan(0)))
        << info.name;
  }
  EXPECT_TRUE(same_points(load_scenes("scenes_one_voxel_2026").value().scan(0),
                          load_dataset("scenes_one_voxel").scan(0)));
  for (const char* name : {"scenes_honest_", "scenes_honest_x", "scenes_honest_-1", "scenes_honest_07",
                           "scenes_one_7", "scenes_"})
    EXPECT_FALSE(load_scenes(name).has_value()) << name;
}

TEST(Scenes, AreTheSameOnEveryMachine) {
  const PointCloud scan = load_dataset("scenes_tank").scan(3);
  ASSERT_EQ(scan.size(), 8192u);
  EXPECT_EQ(std::lround(1000 * scan.points[4000].x), -3994);
  EXPECT_EQ(std::lround(1000 * scan.points[4000].z), -1852);
}

TEST(Scenes, HonestOnesAreAlignedFromTheirGuess) {
  const Dataset dataset = load_dataset("scenes_honest");
  for (const std::size_t frame : {0u, 1u, 2u, 3u, 4u, 5u}) {
    const Ending ending = align(dataset, frame);
    EXPECT_EQ(ending.result.stop, Stop::converged) << frame;
    EXPECT_LT(ending.off.translation_m, dataset.truth.success_translation_m) << frame;
  }
}

TEST(Scenes, ARepeatedPlaceMatchesAPeriodOff) {
  const Dataset dataset = load_dataset("scenes_period");
  int a_period_off = 0;
  for (const std::size_t frame : {0u, 1u, 2u, 3u}) {
    const Ending ending = align(dataset, frame);
    a_period_off += ending.result.stop == Stop::converged && ending.off.translation_m > 4;
  }
  EXPECT_GE(a_period_off, 2);
}

TEST(Scenes, OneVoxelIsAllOfItsMap) {
  const PointCloud map = load_dataset("scenes_one_voxel").map(0);
  for (const Point& p : map.points)
    EXPECT_TRUE(std::floor(p.x / 2) == std::floor(map.points[0].x / 2) &&
                std::floor(p.y / 2) == std::floor(map.points[0].y / 2) &&
                std::floor(p.z / 2) == std::floor(map.points[0].z / 2));
}

}  // namespace
}  // namespace ndt::harness
