#include "town/drive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "town/town_plan.hpp"

namespace ndt::harness::town {
namespace {

double turned_left(const Heading& from, const Heading& to) { return from.c * to.s - from.s * to.c; }

TEST(TownDrive, TheStandardOneHasSixtyScansThreeHundredMetresAndTwoTurns) {
  const TownPlan plan = plan_of(TownScale::standard);
  const Drive drive = scan_drive(plan);
  EXPECT_GE(drive.length_m(), 300);
  EXPECT_GE(drive.length_m() / plan.scan_step_m, 60);
  EXPECT_EQ(drive.turns(), 2);
  EXPECT_EQ(plan.lidar.beams, 64);
  const Heading first = drive.at(0).heading, middle = drive.at(drive.length_m() / 2).heading,
                last = drive.at(drive.length_m()).heading;
  EXPECT_NEAR(turned_left(first, middle), 1, 1e-9) << "a left turn";
  EXPECT_NEAR(turned_left(middle, last), -1, 1e-9) << "and a right one";
}

TEST(TownDrive, TheLargeOneIsLongerThanTwoKilometres) {
  EXPECT_GE(scan_drive(plan_of(TownScale::large)).length_m(), 2000);
}

constexpr TownScale kWithACar[] = {TownScale::drive, TownScale::long_drive, TownScale::tunnel,
                                   TownScale::field, TownScale::junction,   TownScale::kidnap};

void expect_dynamics_of_a_car(TownScale scale) {
  const TownPlan plan = plan_of(scale);
  const Drive drive = scan_drive(plan);
  const std::vector<ScanStop> stops = scan_stops(plan, drive);
  EXPECT_GT(stops.back().along_m, drive.length_m() - 1);
  double speed = 0, fastest = 0, quickest_turn_deg = 0;
  for (std::size_t k = 1; k < stops.size(); ++k) {
    ASSERT_NEAR(stops[k].time_s - stops[k - 1].time_s, 0.1, 1e-9);
    if (stops[k].carried) continue;
    const double now = (stops[k].along_m - stops[k - 1].along_m) / 0.1;
    // Braking as a function of the way, in steps of 10 ms, is a little harder than its bound; where the car
    // was carried in between, two periods lie between the speeds.
    ASSERT_LE(std::abs(now - speed), (stops[k - 1].carried ? 2 : 1) * 0.1 * 2.2)
        << "acceleration at " << stops[k].along_m;
    ASSERT_NEAR(stops[k].speed_m_s, now, 0.25);
    speed = now;
    fastest = std::max(fastest, speed);
    const Heading from = drive.at(stops[k - 1].along_m).heading, to = drive.at(stops[k].along_m).heading;
    quickest_turn_deg =
        std::max(quickest_turn_deg, 10 * 180 / kPi * std::asin(std::abs(turned_left(from, to))));
  }
  EXPECT_NEAR(fastest, 10, 1e-6);
  EXPECT_LE(quickest_turn_deg, 20);
  if (drive.turns() > 0 && !plan.jump) {
    EXPECT_GE(quickest_turn_deg, 18);
  }
}

TEST(TownDrive, ACarKeepsToItsSpeedsAndTurnsSlowly) {
  for (const TownScale scale : kWithACar) {
    SCOPED_TRACE(town_scale_name(scale));
    expect_dynamics_of_a_car(scale);
  }
}

TEST(TownDrive, TheLongOneHasMoreThanFiveThousandScans) {
  const TownPlan plan = plan_of(TownScale::long_drive);
  const Drive drive = scan_drive(plan);
  EXPECT_GT(drive.length_m(), 4700);
  EXPECT_GT(scan_stops(plan, drive).size(), 5000u);
  EXPECT_EQ(plan.lidar.beams, 32);
  EXPECT_EQ(plan.map_lidar.value_or(plan.lidar).beams, 64) << "with 32 the map has 8.2 million points";
}

TEST(TownDrive, WithoutACarTheScansAreEvenlyApart) {
  const TownPlan plan = plan_of(TownScale::small);
  const std::vector<ScanStop> stops = scan_stops(plan, scan_drive(plan));
  ASSERT_EQ(stops.size(), 8U);
  for (std::size_t k = 0; k < stops.size(); ++k) {
    EXPECT_EQ(stops[k].along_m, 5.0 * static_cast<double>(k));
    EXPECT_EQ(stops[k].time_s, 0.5 * static_cast<double>(k));
  }
}

TEST(TownDrive, IsSmooth) {
  for (const TownScale scale : {TownScale::small, TownScale::standard, TownScale::drive, TownScale::large,
                                TownScale::tunnel, TownScale::field, TownScale::kidnap}) {
    const Drive drive = scan_drive(plan_of(scale));
    Drive::Stop before = drive.at(0);
    for (double s = 0.1; s <= drive.length_m(); s += 0.1) {
      const Drive::Stop stop = drive.at(s);
      const double dx = stop.place.x - before.place.x, dy = stop.place.y - before.place.y;
      ASSERT_NEAR(std::sqrt(dx * dx + dy * dy), 0.1, 0.005) << s;
      ASSERT_NEAR(dx * stop.heading.s - dy * stop.heading.c, 0, 0.001) << "sideways at " << s;
      ASSERT_NEAR(stop.heading.c * stop.heading.c + stop.heading.s * stop.heading.s, 1, 1e-14);
      ASSERT_LT(std::abs(turned_left(before.heading, stop.heading)), 0.014) << "at 8 m radius: 1/80";
      before = stop;
    }
  }
}

void expect_free_of(const World& world, const Place& p) {
  for (const Solid& solid : world.solids()) {
    const Footprint f = footprint(solid);
    ASSERT_FALSE(p.x > f.x0 - 1 && p.x < f.x1 + 1 && p.y > f.y0 - 1 && p.y < f.y1 + 1) << p.x << ' ' << p.y;
  }
}

TEST(TownDrive, NothingStandsInItsWay) {
  for (const TownScale scale :
       {TownScale::small, TownScale::standard, TownScale::field, TownScale::junction, TownScale::kidnap,
        TownScale::park, TownScale::oldtown, TownScale::works, TownScale::woods})
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
      const TownPlan plan = plan_of(scale);
      const World world = build_world(plan, seed);
      for (const Drive& drive : {scan_drive(plan), map_drive(plan)})
        for (double s = 0; s <= drive.length_m(); s += 0.5) expect_free_of(world, drive.at(s).place);
    }
}

TEST(TownDrive, TheMapsDriveStopsBesideNoScan) {
  for (const TownScale scale : {TownScale::small, TownScale::standard, TownScale::drive, TownScale::large,
                                TownScale::tunnel, TownScale::field, TownScale::junction, TownScale::park}) {
    const TownPlan plan = plan_of(scale);
    const Drive scans = scan_drive(plan), map = map_drive(plan);
    double nearest = 1e9;
    for (double s = 0; s <= scans.length_m(); s += plan.scan_step_m)
      for (double m = plan.map_step_m / 2; m <= map.length_m(); m += plan.map_step_m) {
        const Place a = scans.at(s).place, b = map.at(m).place;
        nearest = std::min(nearest, std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)));
      }
    EXPECT_GE(nearest, 0.25);
    EXPECT_LT(nearest, 2);
  }
}

TEST(TownDrive, TheSensorStandsOnTheHillAndLeansWithIt) {
  const TownPlan plan = plan_of(TownScale::standard);
  const World world = build_world(plan, 1);
  const Drive drive = scan_drive(plan);
  double steepest = 0;
  for (double s = 0; s < drive.length_m(); s += 1) {
    const Drive::Stop stop = drive.at(s);
    const Transform pose = sensor_pose(world.ground(), stop);
    ASSERT_EQ(rigid_defect(pose), "");
    const Vec3<double> t = translation_of(pose);
    EXPECT_NEAR(t.z - world.ground().hill(stop.place.x, stop.place.y), 1.8, 0.05) << s;
    const double ahead =
        world.ground().hill(stop.place.x + 2 * stop.heading.c, stop.place.y + 2 * stop.heading.s);
    const double behind =
        world.ground().hill(stop.place.x - 2 * stop.heading.c, stop.place.y - 2 * stop.heading.s);
    EXPECT_NEAR(pose(2, 0), (ahead - behind) / 4, 0.01) << "pitch at " << s;
    EXPECT_GT(pose(0, 0) * stop.heading.c + pose(1, 0) * stop.heading.s, 0.99) << "x is forward";
    steepest = std::max(steepest, std::abs(pose(2, 0)));
  }
  EXPECT_GT(steepest, 0.01);
}

}  // namespace
}  // namespace ndt::harness::town
