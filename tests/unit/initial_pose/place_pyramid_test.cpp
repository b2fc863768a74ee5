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

TEST(PlacePyramid, AMapThatIsTooWideGetsLongerCells) {
  const PlacePyramid pyramid(cloud_of({{0, 0, 0}, {60000, 50000, 100}}), 0.5);
  EXPECT_GT(pyramid.cell_m(), 0.5);
  EXPECT_LE(pyramid.bytes(), PlacePyramid::kMostBytes);
}

}  // namespace
}  // namespace ndt::initial_pose
