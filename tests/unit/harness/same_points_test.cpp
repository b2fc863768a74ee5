#include "data/same_points.hpp"

#include <gtest/gtest.h>

namespace ndt::harness {
namespace {

const PointCloud kScan{{}, {{1, 2, 3}, {4, 5, 6}, {0.1F, 0.2F, 0.3F}, {-0.0F, 7, 8}}};

TEST(SamePoints, AreThoseOfTheMapAtThePose) {
  EXPECT_EQ(share_of_same_points(kScan, kScan, {}), 1);
  EXPECT_EQ(share_of_same_points({{}, {{1, 2, 3}, {0, 7, 8}, {9, 9, 9}}}, kScan, {}), 0.5) << "-0 is 0";
  const Transform moved = to_transform({10, 0, 0, 0, 0, 0});
  EXPECT_EQ(share_of_same_points(kScan, kScan, moved), 0);
  EXPECT_EQ(share_of_same_points({{10, 0, 0}, kScan.points}, kScan, moved), 1)
      << "by coordinates, not by origin";
}

TEST(SamePoints, NearbyPointsAreOthers) {
  PointCloud map = kScan;
  for (Point& p : map.points) p.x += 1e-5F;
  EXPECT_EQ(share_of_same_points(map, kScan, {}), 0);
  EXPECT_EQ(share_of_same_points(map, {}, {}), 0);
}

}  // namespace
}  // namespace ndt::harness
