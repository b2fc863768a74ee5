// The values of a map's cells and of the boxes above them.
#include "ndt/initial_pose/place_pyramid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ndt/core/error.hpp"
#include "yard.hpp"

namespace ndt::initial_pose {
namespace {

TEST(PlacePyramid, EveryLevelHasTheLargestValueOfItsBoxes) {
  Random random(1);
  const PlacePyramid pyramid(random_cloud(random, 40, {12, 7, 3}), 1);
  const PooledGrid::Level& cells = pyramid.values().level(0);
  for (int level = 1; level <= pyramid.levels(); ++level)
    for (int z = -1; z <= cells.size[2]; ++z)
      for (int y = -20; y <= cells.size[1]; ++y)
        for (int x = -20; x <= cells.size[0]; ++x) {
          int most = 0;
          for (int j = 0; j < 1 << level; ++j)
            for (int i = 0; i < 1 << level; ++i) most = std::max<int>(most, cells.at(x + i, y + j, z));
          ASSERT_EQ(pyramid.values().level(level).at(x, y, z), most)
              << level << ": " << x << " " << y << " " << z;
        }
}

TEST(PlacePyramid, ValuesFallFromTheCellsWithPointsToTheirNeighbours) {
  const PlacePyramid pyramid(cloud_of({{2.5F, 3.5F, 0.5F}}), 1);
  const auto at = [&](double x, double y, double z) {
    const auto cell = [](double v, double corner) { return static_cast<int>(std::floor(v - corner)); };
    return pyramid.values().level(0).at(cell(x, pyramid.corner().x), cell(y, pyramid.corner().y),
                                        cell(z, pyramid.corner().z));
  };
  EXPECT_EQ(at(2.5, 3.5, 0.5), 255);
  EXPECT_EQ(at(3.5, 3.5, 0.5), 128);
  EXPECT_EQ(at(2.5, 3.5, -0.5), 128);
  EXPECT_EQ(at(3.5, 4.5, 0.5), 64);
  EXPECT_EQ(at(1.5, 2.5, 1.5), 64);
  EXPECT_EQ(at(4.5, 3.5, 0.5), 0);
}

TEST(PlacePyramid, WhatItCannotUseIsRefused) {
  EXPECT_THROW(PlacePyramid(cloud_of({}), 1), InputError);
  EXPECT_THROW(PlacePyramid(cloud_of({{std::numeric_limits<float>::quiet_NaN(), 0, 0}}), 1), InputError);
  for (const double cell : {0.0, -1.0, 101.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(PlacePyramid(cloud_of({{0, 0, 0}}), cell), std::invalid_argument) << cell;
}

TEST(PlacePyramid, ATiltedMapHasTheCellsOfTheLevelOne) {
  Random random(2);
  const PointCloud level = random_cloud(random, 40, {12, 7, 3});
  const Mat3<double> tilt = rotation_of(Pose{0, 0, 0, 0, 0.6, 0});
  PointCloud tilted;
  for (const Point& p : level.points) tilted.points.push_back(cast<float>(tilt * cast<double>(p)));
  const PlacePyramid plain(level, 1), turned(tilted, 1, 3.0 * (tilt * Vec3<double>{0, 0, 1}));
  EXPECT_EQ(turned.values().level(0).values, plain.values().level(0).values);
  EXPECT_EQ(turned.footing().level(0).values, plain.footing().level(0).values);
  const Pose pose{1, 2, 3, 0, 0, 0.5};
  EXPECT_EQ(plain.in_map(pose).yaw, pose.yaw);
  const Transform expected = make_transform(tilt * rotation_of(pose), tilt * Vec3<double>{1, 2, 3}),
                  found = to_transform(turned.in_map(pose));
  for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(found.m[k], expected.m[k], 1e-12) << k;
}

TEST(PlacePyramid, AMapUpsideDownIsTurned) {
  const PlacePyramid pyramid(cloud_of({{0, 0, 0}, {1, 2, 3}}), 1, {0, 0, -1});
  const Pose found = pyramid.in_map({1, 2, 3, 0, 0, 0});
  EXPECT_NEAR(found.x, 1, 1e-12);
  EXPECT_NEAR(found.y, -2, 1e-12);
  EXPECT_NEAR(found.z, -3, 1e-12);
  for (const Vec3<double>& up : {Vec3<double>{0, 0, 0}, Vec3<double>{0, 0, std::nan("")}})
    EXPECT_THROW(PlacePyramid(cloud_of({{0, 0, 0}}), 1, up), std::invalid_argument);
}

TEST(PlacePyramid, AMapThatIsTooWideGetsLongerCells) {
  const PlacePyramid pyramid(cloud_of({{0, 0, 0}, {60000, 50000, 100}}), 0.5);
  EXPECT_GT(pyramid.cell_m(), 0.5);
  EXPECT_LE(pyramid.bytes(), PlacePyramid::kMostBytes);
}

}  // namespace
}  // namespace ndt::initial_pose
