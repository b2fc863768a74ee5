#include "town/lidar.hpp"

#include <gtest/gtest.h>

#include "town/town_plan.hpp"

namespace ndt::harness::town {
namespace {

TEST(TownLidar, LooksAllAroundFromBelowToAboveTheHorizon) {
  const Lidar lidar({.beams = 64, .azimuths = 1024});
  ASSERT_EQ(lidar.directions().size(), 65536u);
  Vec3<double> sum;
  for (const Vec3<double>& d : lidar.directions()) {
    ASSERT_NEAR(dot(d, d), 1, 1e-12);
    sum = sum + d;
  }
  EXPECT_NEAR(sum.x, 0, 1e-6) << "the step closes the circle";
  EXPECT_NEAR(sum.y, 0, 1e-6);
  EXPECT_NEAR(lidar.directions().front().z, -0.42, 0.01);
  EXPECT_NEAR(lidar.directions()[63].z, 0.256, 0.01);
  EXPECT_EQ(Lidar({.beams = 16, .azimuths = 256}).directions().size(), 4096u);
}

TEST(TownLidar, EveryReturnLiesOnItsRayWithinTheNoise) {
  const TownPlan plan = plan_of(TownScale::small);
  const World world = build_world(plan, 2);
  const Lidar lidar(plan.lidar);
  const Transform pose = sensor_pose(world.ground(), scan_drive(plan).at(11));
  const std::vector<Millimetres> returns = lidar.scan(world, pose, 77);

  constexpr double kRounding = 0.0009;  // half a millimetre in each of three coordinates
  std::size_t next = 0;
  double sum = 0, squares = 0;
  for (const Vec3<double>& d : lidar.directions()) {
    const double range = world.cast({translation_of(pose), rotation_of(pose) * d}, Lidar::kFarthest);
    if (range < Lidar::kNearest || range > Lidar::kFarthest) continue;
    ASSERT_LT(next, returns.size());
    const Vec3<double> p = in_metres(returns[next++]);
    const double error = dot(p, d) - range;
    const Vec3<double> aside = p - dot(p, d) * d;
    ASSERT_LT(std::sqrt(dot(aside, aside)), kRounding);
    ASSERT_LT(std::abs(error), Lidar::kMostNoise + kRounding);
    sum += error;
    squares += error * error;
  }
  EXPECT_EQ(next, returns.size());
  const auto n = static_cast<double>(next);
  ASSERT_GT(n, 5000);
  EXPECT_NEAR(sum / n, 0, 4 * Lidar::kNoise / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), Lidar::kNoise, 0.05 * Lidar::kNoise);
}

TEST(TownLidar, AnotherSeedIsOtherNoiseOnTheSameRanges) {
  const TownPlan plan = plan_of(TownScale::small);
  const World world = build_world(plan, 2);
  const Lidar lidar(plan.lidar);
  const Transform pose = sensor_pose(world.ground(), scan_drive(plan).at(11));
  const std::vector<Millimetres> a = lidar.scan(world, pose, 1), b = lidar.scan(world, pose, 2);
  ASSERT_EQ(a.size(), b.size());
  double product = 0;
  int differ = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Vec3<double> p = in_metres(a[k]), q = in_metres(b[k]);
    const double apart = std::sqrt(dot(p, p)) - std::sqrt(dot(q, q));
    ASSERT_LT(std::abs(apart), 2 * Lidar::kMostNoise + 0.002);
    product += apart * apart;
    differ += a[k].x != b[k].x || a[k].y != b[k].y;
  }
  EXPECT_GT(differ, 0.9 * static_cast<double>(a.size()));
  // Independent: the variance of the difference is the sum of the variances.
  EXPECT_NEAR(product / static_cast<double>(a.size()), 2 * Lidar::kNoise * Lidar::kNoise, 0.00008);
}

}  // namespace
}  // namespace ndt::harness::town
