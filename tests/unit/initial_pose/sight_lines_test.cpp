// Tests how a scan's rays judge a pose, in rooms of points.
#include "ndt/initial_pose/sight_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "walls.hpp"

namespace ndt::initial_pose {
namespace {

const Transform kTruth = to_transform(Pose{2, -1, 0, 0.01, -0.02, 0.7});

/// 1 m wide, 3 m off, where nothing else stands.
PointCloud with_screen(PointCloud cloud) {
  add_wall(cloud, 5, -1.5, 5, -0.5);
  return cloud;
}

TEST(SightLines, AScanContradictsNothingWhereItWasTaken) {
  const Sight sight = SightLines(room()).look(ScanRays(seen_from(kTruth, room())), kTruth);
  EXPECT_EQ(sight.seen_through, 0);
  EXPECT_EQ(sight.unmapped, 0);
  EXPECT_EQ(sight.in_view, 1);
}

TEST(SightLines, ElsewhereItLooksThroughWallsAndHasOthersInTheOpen) {
  const Transform off = to_transform(Pose{-1, -1, 0, 0.01, -0.02, 0.7});
  const Sight sight = SightLines(room()).look(ScanRays(seen_from(kTruth, room())), off);
  EXPECT_GT(sight.seen_through, 0.1);
  EXPECT_GT(sight.unmapped, 0.1);
  EXPECT_DOUBLE_EQ(sight.contradiction(), sight.seen_through + sight.unmapped);
}

TEST(SightLines, SeesThroughWhatTheMapHasAlone) {
  const Sight sight = SightLines(with_screen(room())).look(ScanRays(seen_from(kTruth, room())), kTruth);
  EXPECT_GT(sight.seen_through, 0.005);
  EXPECT_EQ(sight.unmapped, 0);
}

TEST(SightLines, WhatTheScanHasAloneIsUnmapped) {
  const Sight sight = SightLines(room()).look(ScanRays(seen_from(kTruth, with_screen(room()))), kTruth);
  EXPECT_EQ(sight.seen_through, 0);
  EXPECT_GT(sight.unmapped, 0.005);
}

TEST(SightLines, ASectorOfAScanIsComparedWithItsDirectionsAlone) {
  PointCloud scan = seen_from(kTruth, room());
  std::erase_if(scan.points, [](const Point& p) { return p.x < std::abs(p.y); });
  const Sight sight = SightLines(room()).look(ScanRays(scan), kTruth);
  EXPECT_EQ(sight.contradiction(), 0);
  EXPECT_EQ(sight.in_view, 1);
}

TEST(SightLines, ComparesNothingWhereThereIsNothing) {
  for (const PointCloud& map : {PointCloud{}, room()})
    for (const PointCloud& scan : {PointCloud{}, seen_from(kTruth, room())}) {
      const Transform there = map.empty() || scan.empty() ? kTruth : to_transform(Pose{500, 0, 0, 0, 0, 0});
      const Sight sight = SightLines(map).look(ScanRays(scan), there);
      EXPECT_EQ(sight.seen_through, 0);
      EXPECT_EQ(sight.unmapped, 0);
      EXPECT_EQ(sight.in_view, 0);
    }
}

TEST(SightLines, ThePointsCountFromTheOriginOfTheirCloud) {
  PointCloud far = with_screen(room());
  far.origin = {5e5, 4e6, 30};
  const Transform there = make_transform(rotation_of(kTruth), translation_of(kTruth) + far.origin);
  const PointCloud scan = seen_from(kTruth, room());
  const Sight near = SightLines(with_screen(room())).look(ScanRays(scan), kTruth),
              sight = SightLines(far).look(ScanRays(scan), there);
  EXPECT_DOUBLE_EQ(sight.seen_through, near.seen_through);
  EXPECT_DOUBLE_EQ(sight.unmapped, near.unmapped);
}

TEST(SightLines, WhatIsFartherThanSixtyMetresMakesNoDifference) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> across(-150, 150), up(-2, 8);
  PointCloud map;
  for (int k = 0; k < 60000; ++k) map.points.push_back({across(random), across(random), up(random)});
  const ScanRays scan(seen_from(kTruth, room()));
  for (const Pose& at : {Pose{0, 0, 0, 0, 0, 0}, {11.9, -63.7, 1, 0.1, 0, 2}, {-97, 41, 0, 0, 0.1, -1}}) {
    PointCloud near = map;
    std::erase_if(near.points,
                  [&](const Point& p) { return std::hypot(p.x - at.x, p.y - at.y, p.z - at.z) > 60.01; });
    ASSERT_LT(near.size(), map.size() / 2);
    const Sight all = SightLines(map).look(scan, to_transform(at)),
                some = SightLines(near).look(scan, to_transform(at));
    EXPECT_EQ(all.seen_through, some.seen_through);
    EXPECT_EQ(all.unmapped, some.unmapped);
    EXPECT_EQ(all.in_view, some.in_view);
    EXPECT_GT(all.seen_through, 0.001) << "the scene does not test enough";
  }
}

TEST(SightLines, PointsThatAreNoMeasurementsAreLeftOut) {
  PointCloud map = room(), scan = seen_from(kTruth, room());
  const float nan = std::numeric_limits<float>::quiet_NaN(), huge = std::numeric_limits<float>::max();
  for (PointCloud* const cloud : {&map, &scan}) cloud->points.push_back({nan, 0, 0});
  map.points.push_back({huge, -huge, huge});
  const Sight sight = SightLines(map).look(ScanRays(scan), kTruth);
  EXPECT_EQ(sight.contradiction(), 0);
  EXPECT_EQ(sight.in_view, 1);
}

}  // namespace
}  // namespace ndt::initial_pose
