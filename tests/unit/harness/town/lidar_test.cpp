#include "town/lidar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

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

TEST(TownLidar, FewerBeamsAreEvenlyAmongAll) {
  const Lidar all({.beams = 64, .azimuths = 256}), every4th({.beams = 64, .every_beam = 4, .azimuths = 256});
  ASSERT_EQ(every4th.directions().size(), 16U * 256);
  for (std::size_t k = 0; k < every4th.directions().size(); ++k)
    ASSERT_EQ(every4th.directions()[k].z, all.directions()[4 * k].z) << k;
}

TEST(TownLidar, TheOneOfTheLandscapesLooksFrom24DegreesBelowTheHorizonTo8Above) {
  const Lidar lidar(plan_of(TownScale::park).lidar);
  ASSERT_EQ(lidar.directions().size(), 48U * 900);
  Vec3<double> sum;
  for (const Vec3<double>& d : lidar.directions()) sum = sum + d;
  EXPECT_NEAR(sum.x, 0, 1e-6) << "the step closes the circle";
  EXPECT_NEAR(sum.y, 0, 1e-6);
  EXPECT_NEAR(lidar.directions().front().z, std::sin(-24 * kPi / 180), 1e-4);
  EXPECT_NEAR(lidar.directions()[47].z, std::sin(8 * kPi / 180), 1e-4);
}

TEST(TownLidar, NoiseAndReachAreThoseOfTheModel) {
  const TownPlan plan = plan_of(TownScale::small);
  const World world = build_world(plan, 2);
  const Transform pose = sensor_pose(world.ground(), scan_drive(plan).at(11));
  const auto ranges = [&](double noise_m, double farthest_m) {
    std::vector<double> all;
    for (const Millimetres& p :
         Lidar({.beams = 16, .azimuths = 512, .noise_m = noise_m, .farthest_m = farthest_m})
             .scan(world, pose, 3))
      all.push_back(std::sqrt(dot(in_metres(p), in_metres(p))));
    return all;
  };
  const std::vector<double> exact = ranges(0, 100), noisy = ranges(0.05, 100), near = ranges(0.05, 20);
  ASSERT_EQ(exact.size(), noisy.size());
  double squares = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) squares += (noisy[k] - exact[k]) * (noisy[k] - exact[k]);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(exact.size())), 0.05, 0.003);
  EXPECT_EQ(near.size(),
            static_cast<std::size_t>(std::ranges::count_if(exact, [](double r) { return r < 20; })));
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

/// 0 to 1, from ahead to the left and around.
double turned_by(const Millimetres& p) {
  const double share = std::atan2(static_cast<double>(p.y), static_cast<double>(p.x)) / (2 * kPi);
  return share < -1e-6 ? share + 1 : share;
}

TEST(TownLidar, APointOfASweepThatMovesIsSeenFromWhereTheSensorWasAtItsAzimuth) {
  const TownPlan plan = plan_of(TownScale::small);
  const World world = build_world(plan, 2);
  const Lidar lidar(plan.lidar);
  const Drive drive = scan_drive(plan);
  const int azimuths = plan.lidar.azimuths;
  std::vector<Transform> poses;
  for (int k = 0; k < azimuths; ++k)
    poses.push_back(sensor_pose(world.ground(), drive.at(11 + 1.0 * k / azimuths)));
  const std::vector<Millimetres> returns = lidar.scan(world, {}, poses, 5);
  ASSERT_GT(returns.size(), 5000u);
  double worst = 0, of_a_still_one = 0;
  for (const Millimetres& p : returns) {
    const Vec3<double> at = in_metres(p);
    const double range = std::sqrt(dot(at, at));
    // Its azimuth tells its time, but for the rounding of its coordinates: the middle of the beam is tried.
    const auto column = static_cast<std::size_t>(std::lround(turned_by(p) * azimuths)) % poses.size();
    const auto miss = [&](const Transform& pose) {
      const Ray ray{translation_of(pose), rotation_of(pose) * unit(at)};
      return std::abs(world.cast(ray, Lidar::kFarthest + 1) - range) < Lidar::kMostNoise + 0.05 ? 0.0 : 1.0;
    };
    worst += miss(poses[column]);
    of_a_still_one += miss(poses[poses.size() / 2]);
  }
  const auto n = static_cast<double>(returns.size());
  EXPECT_LT(worst / n, 0.02) << "edges of things";
  EXPECT_GT(of_a_still_one / n, 0.2);
}

TEST(TownLidar, OnePoseForAllAzimuthsIsTheSameAsOnePose) {
  const TownPlan plan = plan_of(TownScale::small);
  const World world = build_world(plan, 2);
  const Lidar lidar(plan.lidar);
  const Transform pose = sensor_pose(world.ground(), scan_drive(plan).at(11));
  const std::vector<Transform> poses(static_cast<std::size_t>(plan.lidar.azimuths), pose);
  const std::vector<Millimetres> still = lidar.scan(world, pose, 9), swept = lidar.scan(world, {}, poses, 9);
  ASSERT_EQ(still.size(), swept.size());
  for (std::size_t k = 0; k < still.size(); ++k) {
    ASSERT_EQ(still[k].x, swept[k].x);
    ASSERT_EQ(still[k].y, swept[k].y);
    ASSERT_EQ(still[k].z, swept[k].z);
  }
}

TEST(TownLidar, WhatPassesByHidesTheWorldBehindIt) {
  const TownPlan plan = plan_of(TownScale::small);
  const World world = build_world(plan, 2);
  const Lidar lidar(plan.lidar);
  const Transform pose = sensor_pose(world.ground(), scan_drive(plan).at(11));
  const Vec3<double> ahead = translation_of(pose) + 10.0 * (rotation_of(pose) * Vec3<double>{1, 0, 0});
  const Solid wall = Box{.x = ahead.x,
                         .y = ahead.y,
                         .heading = {},
                         .half_u = 0.1,
                         .half_v = 5,
                         .z0 = ahead.z - 10,
                         .z1 = ahead.z + 10,
                         .windows = {}};
  int behind = 0, on_it = 0;
  for (const Millimetres& p : lidar.scan(world, {&wall, 1}, {&pose, 1}, 1)) {
    const Vec3<double> at = in_metres(p);
    const bool within = at.x > 0 && std::abs(at.y) < 0.4 * at.x;
    behind += within && at.x > 11;
    on_it += within && std::abs(at.x - 9.9) < 0.3;
  }
  EXPECT_EQ(behind, 0);
  EXPECT_GT(on_it, 300);
}

}  // namespace
}  // namespace ndt::harness::town
