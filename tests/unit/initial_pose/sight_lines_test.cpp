// What a scan's rays say of a pose, in rooms of points.
#include "ndt/initial_pose/sight_lines.hpp"

#include <gtest/gtest.h>

#include <limits>

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
