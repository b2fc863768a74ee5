#include "town/surroundings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "town/lidar.hpp"
#include "town/town_plan.hpp"

namespace ndt::harness::town {
namespace {

TEST(TownTunnel, LooksTheSameFromEveryPlaceInsideAsFarAsItsMouthsAreOutOfSight) {
  const World world = build_world(plan_of(TownScale::tunnel), 1);
  const Lidar lidar({.beams = 16, .azimuths = 128});
  const double first = kTunnelBeginM + Lidar::kFarthest + 1, last = kTunnelEndM - Lidar::kFarthest - 1;
  ASSERT_GT(last - first, 50);
  for (const Vec3<double>& direction : lidar.directions()) {
    const double here = world.cast({{first, -1.75, 1.8}, direction}, Lidar::kFarthest);
    for (double x = first + 3.7; x <= last; x += 3.7) {
      const double there = world.cast({{x, -1.75, 1.8}, direction}, Lidar::kFarthest);
      if (std::isfinite(here) || std::isfinite(there)) {
        ASSERT_NEAR(there, here, 1e-9) << x;
      }
    }
  }
}

TEST(TownTunnel, HasThingsBeforeAndBehindItAndNothingOnTheRoad) {
  const TownPlan plan = plan_of(TownScale::tunnel);
  const World world = build_world(plan, 1);
  int before = 0, behind = 0;
  for (const Solid& solid : world.solids()) {
    const Footprint f = footprint(solid);
    before += f.x1 < kTunnelBeginM;
    behind += f.x0 > kTunnelEndM;
  }
  EXPECT_GT(before, 30);
  EXPECT_GT(behind, 30);
  for (const Drive& drive : {scan_drive(plan), map_drive(plan)})
    for (double s = 0; s < drive.length_m(); s += 0.5) {
      const Place p = drive.at(s).place;
      for (const double side : {-1.0, 1.0})
        ASSERT_GT(world.cast({{p.x, p.y, 1.8}, {0, side, 0}}, Lidar::kFarthest), 1.5) << s;
    }
}

TEST(TownField, HasFewThings) {
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
    const World world = build_world(plan_of(TownScale::field), seed);
    EXPECT_GT(world.solids().size(), 40u);
    EXPECT_LT(world.solids().size(), 150u);
  }
}

TEST(TownField, AScanIsMostlyGround) {
  const TownPlan plan = plan_of(TownScale::field);
  const World world = build_world(plan, 1);
  const Transform pose = sensor_pose(world.ground(), scan_drive(plan).at(100));
  const Lidar lidar({.beams = 32, .azimuths = 256});
  std::size_t ground = 0, all = 0;
  for (const Millimetres& p : lidar.scan(world, pose, 1)) {
    const Vec3<double> at = rotation_of(pose) * in_metres(p) + translation_of(pose);
    ground += at.z < world.ground().hill(at.x, at.y) + 0.2;
    ++all;
  }
  ASSERT_GT(all, 2000u);
  EXPECT_GT(static_cast<double>(ground), 0.85 * static_cast<double>(all));
  EXPECT_LT(ground, all) << "something stands there";
}

TEST(TownGround, OpenLandIsFlatWithoutASeedAndHasNoCurbs) {
  const Footprint area = open_area({-10, 3, 50, 70}, 20);
  const Ground flat(area, std::nullopt), hills(area, 5);
  EXPECT_LE(area.x0, -30);
  EXPECT_GE(area.y1, 90);
  double highest = 0;
  for (double x = -29; x < 70; x += 1.3)
    for (double y = -16; y < 89; y += 1.7) {
      ASSERT_EQ(flat.height(x, y), 0);
      ASSERT_EQ(hills.height(x, y), hills.hill(x, y));
      highest = std::max(highest, std::abs(hills.hill(x, y)));
    }
  EXPECT_GT(highest, 0.3);
}

TEST(TownKidnap, TheCarIsCarriedOnceAroundACorner) {
  const TownPlan plan = plan_of(TownScale::kidnap);
  const Drive drive = scan_drive(plan);
  const std::vector<ScanStop> stops = scan_stops(plan, drive);
  int carried = 0;
  for (std::size_t k = 1; k < stops.size(); ++k) {
    EXPECT_NEAR(stops[k].time_s - stops[k - 1].time_s, 0.1, 1e-9);
    if (!stops[k].carried) {
      EXPECT_LT(stops[k].along_m - stops[k - 1].along_m, 1.01) << k;
      continue;
    }
    ++carried;
    const Drive::Stop from = drive.at(stops[k - 1].along_m), to = drive.at(stops[k].along_m);
    const double dx = to.place.x - from.place.x, dy = to.place.y - from.place.y;
    EXPECT_NEAR(std::sqrt(dx * dx + dy * dy), 47, 2);
    EXPECT_NEAR(from.heading.c * to.heading.c + from.heading.s * to.heading.s, 0, 1e-9) << "a right angle";
    EXPECT_GT(k, 50u);
    EXPECT_LT(k + 50, stops.size());
  }
  EXPECT_EQ(carried, 1);
}

}  // namespace
}  // namespace ndt::harness::town
