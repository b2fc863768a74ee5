#include "town/traffic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "town/town_plan.hpp"

namespace ndt::harness::town {
namespace {

class TownTraffic : public testing::Test {
 protected:
  const TownPlan plan_ = plan_of(TownScale::junction);
  const World world_ = build_world(plan_, 1);
  const Drive drive_ = scan_drive(plan_);
  const std::vector<ScanStop> stops_ = scan_stops(plan_, drive_);
  const Traffic traffic_{plan_, stops_.back().time_s, 7};

  std::vector<Solid> at(const ScanStop& stop) const {
    return traffic_.at(world_.ground(), stop.time_s, stop.along_m);
  }
};

/// From the sides of a vehicle, all of which are boxes.
double distance_m(const Solid& solid, const Place& place) {
  const Box& box = std::get<Box>(solid);
  const double dx = place.x - box.x, dy = place.y - box.y;
  const double u = std::abs(box.heading.c * dx + box.heading.s * dy) - box.half_u;
  const double v = std::abs(box.heading.c * dy - box.heading.s * dx) - box.half_v;
  return std::hypot(std::max(u, 0.0), std::max(v, 0.0));
}

TEST_F(TownTraffic, NoVehicleRunsIntoTheScanner) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const ScanStop& stop : stops_)
    for (const Solid& solid : at(stop))
      nearest = std::min(nearest, distance_m(solid, drive_.at(stop.along_m).place));
  EXPECT_GT(nearest, 0.6);
  EXPECT_LT(nearest, 5) << "they pass beside it";
}

TEST_F(TownTraffic, VehiclesAreInSightMostOfTheTimeAndMove) {
  std::size_t in_sight = 0;
  for (const ScanStop& stop : stops_) {
    bool near = false;
    for (const Solid& solid : at(stop)) near = near || distance_m(solid, drive_.at(stop.along_m).place) < 30;
    in_sight += near;
  }
  EXPECT_GT(in_sight, stops_.size() * 9 / 10);
  const auto before = at(stops_[40]), after = at(stops_[41]);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Footprint a = footprint(before[k]), b = footprint(after[k]);
    const double moved = std::abs(a.x0 - b.x0) + std::abs(a.y0 - b.y0);
    EXPECT_GT(moved, 0.1) << k;
    EXPECT_LT(moved, 2) << k;
  }
}

TEST_F(TownTraffic, VehiclesStandOnTheGround) {
  for (const Solid& solid : at(stops_[60])) {
    const Box& box = std::get<Box>(solid);
    const double above = box.z0 - world_.ground().hill(box.x, box.y);
    EXPECT_GE(above, 0.19);
    EXPECT_LT(above, 0.9);
  }
}

TEST_F(TownTraffic, AnotherSeedIsOtherTraffic) {
  const Traffic other(plan_, stops_.back().time_s, 8), same(plan_, stops_.back().time_s, 7);
  const auto first_x = [&](const Traffic& traffic) {
    return footprint(traffic.at(world_.ground(), 3, 20).front()).x0;
  };
  EXPECT_EQ(first_x(same), first_x(traffic_));
  EXPECT_NE(first_x(other), first_x(traffic_));
}

}  // namespace
}  // namespace ndt::harness::town
