// The box around the finite points of a map, from which the device knows how many bits of a cell's number it
// has to sort.
#include "ndt/voxel/map_cloud.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>

namespace ndt {
namespace {

PointCloud random_cloud(std::size_t points, float low, float high) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> within(low, high);
  PointCloud cloud;
  for (std::size_t i = 0; i < points; ++i) {
    const float x = within(random), y = within(random);
    cloud.points.push_back({x, y, within(random)});
  }
  return cloud;
}

void expect_box(const PointCloud& cloud) {
  const MapCloud map(cloud, {});
  const PointBox box = map.points({}).box;
  ASSERT_TRUE(box.known());
  for (float Point::*axis : {&Point::x, &Point::y, &Point::z}) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (const Point& p : cloud.points) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) continue;
      low = std::min(low, p.*axis), high = std::max(high, p.*axis);
    }
    EXPECT_EQ(box.low.*axis, low);
    EXPECT_EQ(box.high.*axis, high);
  }
}

TEST(MapCloud, KnowsTheBoxAroundItsPoints) {
  for (const std::size_t points : {1, 2, 3, 4, 5, 8, 1003})
    for (const auto& [low, high] : {std::pair{-9.0F, 11.0F}, {-20.0F, -3.0F}, {4.0F, 5.0F}}) {
      SCOPED_TRACE(std::to_string(points) + " points from " + std::to_string(low));
      expect_box(random_cloud(points, low, high));
    }
}

TEST(MapCloud, LeavesPointsThatAreNotFiniteOutOfItsBox) {
  for (const float bad : {std::nanf(""), -std::nanf(""), INFINITY, -INFINITY}) {
    PointCloud cloud = random_cloud(40, -3, 7);
    cloud.points[17].y = bad;
    cloud.points[39].x = bad;
    cloud.points[0].z = 100, cloud.points[0].x = bad;
    expect_box(cloud);
    EXPECT_EQ(MapCloud(cloud, {}).facts().dropped, 3);
  }
}

TEST(MapCloud, HasNoBoxWithoutPoints) {
  const PointCloud cloud;
  EXPECT_FALSE(MapCloud(cloud, {}).points({}).box.known());
  PointCloud none;
  none.points.assign(3, {std::nanf(""), 0, 0});
  EXPECT_FALSE(MapCloud(none, {}).points({}).box.known());
}

}  // namespace
}  // namespace ndt
