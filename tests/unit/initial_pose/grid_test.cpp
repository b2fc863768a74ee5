#include "ndt/initial_pose/grid.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace ndt::initial_pose {
namespace {

const PosePrior kPrior{{10, -5, 1, 0.01, -0.02, 3.0}, {5, 2, 0.1, 0.01, 0.02}};

TEST(Grid, FillsTheBudgetWithDistinctPlacesWithinTwoSigma) {
  for (const int count : {1, 2, 7, 8, 27, 64, 100, 125, 200, 1000}) {
    const std::vector<Pose> places = grid_places(kPrior, count);
    EXPECT_LE(static_cast<int>(places.size()), count);
    EXPECT_GE(static_cast<int>(places.size()), (count + 1) / 2) << count;
    std::set<std::tuple<double, double, double>> distinct;
    for (const Pose& place : places) {
      distinct.emplace(place.x, place.y, place.yaw);
      EXPECT_LE(std::abs(place.x - 10), 10) << count;
      EXPECT_LE(std::abs(place.y + 5), 4) << count;
      EXPECT_LE(std::abs(place.yaw), kPi) << count;
      EXPECT_EQ(place.z, kPrior.mean.z);
    }
    EXPECT_EQ(distinct.size(), places.size()) << count;
  }
}

TEST(Grid, OfTwoHundredIsFiveByFiveCellsWithEightHeadings) {
  const std::vector<Pose> places = grid_places(kPrior, 200);
  ASSERT_EQ(places.size(), 200U);
  EXPECT_DOUBLE_EQ(places.front().x, 10 - 8);  // the centre of the first of five cells of 20 m
  EXPECT_DOUBLE_EQ(places.front().y, -5 - 3.2);
  EXPECT_DOUBLE_EQ(places.front().yaw, 3.0);
  EXPECT_NEAR(places[1].yaw, 3.0 + kPi / 4 - 2 * kPi, 1e-12);
  EXPECT_DOUBLE_EQ(places[8].y - places[7].y, 1.6);
}

TEST(Grid, HeadingsKeepToTheirPrior) {
  PosePrior prior = kPrior;
  prior.sigma_yaw_rad = 0.2;
  const std::vector<Pose> places = grid_places(prior, 200);
  ASSERT_EQ(places.size(), 200U);
  for (int heading = 0; heading < 8; ++heading) {
    const double turn = std::remainder(places[static_cast<std::size_t>(heading)].yaw - 3.0, 2 * kPi);
    EXPECT_NEAR(turn, 0.4 * ((2 * heading + 1) / 8.0 - 1), 1e-12);
  }
  prior.sigma_yaw_rad = 2;  // two sigma are more than the circle
  EXPECT_EQ(grid_places(prior, 200)[1].yaw, grid_places(kPrior, 200)[1].yaw);
}

TEST(Grid, OfOneIsTheMean) {
  const std::vector<Pose> places = grid_places(kPrior, 1);
  ASSERT_EQ(places.size(), 1U);
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(coordinate(places[0], i), coordinate(kPrior.mean, i)) << i;
}

}  // namespace
}  // namespace ndt::initial_pose
