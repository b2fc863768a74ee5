#include "town/landscapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "town/lidar.hpp"
#include "town/town_plan.hpp"

namespace ndt::harness::town {
namespace {

constexpr TownScale kLandscapes[] = {TownScale::park, TownScale::oldtown, TownScale::works, TownScale::woods};

double distance_m(const Box& b, const Vec3<double>& p) {
  const double x = p.x - b.x, y = p.y - b.y;
  const double u = std::abs(b.heading.c * x + b.heading.s * y) - b.half_u;
  const double v = std::abs(b.heading.c * y - b.heading.s * x) - b.half_v;
  return std::abs(std::max({u, v, b.z0 - p.z, p.z - b.z1}));
}
double distance_m(const Cylinder& c, const Vec3<double>& p) {
  const double ends = std::max({0.0, c.z0 - p.z, p.z - c.z1});
  return std::max(ends, std::abs(std::hypot(p.x - c.x, p.y - c.y) - c.radius));
}
double distance_m(const Crown&, const Vec3<double>&) { return kNoHit; }
/// 1 on the surface.
double radii(const Ellipsoid& e, const Vec3<double>& p) {
  const double x = p.x - e.centre.x, y = p.y - e.centre.y;
  return std::hypot((e.heading.c * x + e.heading.s * y) / e.half_u,
                    (e.heading.c * y - e.heading.s * x) / e.half_v, (p.z - e.centre.z) / e.half_z);
}
double distance_m(const Ellipsoid& e, const Vec3<double>& p) {
  return std::abs(radii(e, p) - 1) * std::min({e.half_u, e.half_v, e.half_z});
}
double distance_m(const Foliage& f, const Vec3<double>& p) {
  return std::max(0.0, radii(f.extent, p) - 1) *
         std::min({f.extent.half_u, f.extent.half_v, f.extent.half_z});
}

/// How many points of a scan lie on what; a point in a corner counts twice.
struct Seen {
  int ground = 0, of_solids[std::variant_size_v<Solid>] = {}, nothing = 0, all = 0;

  template <class Shape>
  double share() const {
    return static_cast<double>(of_solids[Solid(Shape{}).index()]) / all;
  }
};

/// Attributes the points of exact scans, whose coordinates are rounded to millimetres.
Seen seen_in(TownScale scale, std::uint64_t seed) {
  constexpr double kRounding = 0.0009;
  TownPlan plan = plan_of(scale);
  plan.lidar.azimuths = 64;
  plan.lidar.noise_m = 0;
  const World world = build_world(plan, seed);
  const Drive drive = scan_drive(plan);
  Seen seen;
  for (const ScanStop& stop : scan_stops(plan, drive)) {
    const Transform pose = sensor_pose(world.ground(), drive.at(stop.along_m));
    for (const Millimetres& point : Lidar(plan.lidar).scan(world, pose, 1)) {
      const Vec3<double> p = rotation_of(pose) * in_metres(point) + translation_of(pose);
      ++seen.all;
      // The ground is at most 45 degrees steep.
      bool on_any = std::abs(p.z - world.ground().hill(p.x, p.y)) < 2 * kRounding;
      seen.ground += on_any;
      for (const Solid& solid : world.solids()) {
        if (std::visit([&p](const auto& shape) { return distance_m(shape, p); }, solid) > kRounding) continue;
        ++seen.of_solids[solid.index()];
        on_any = true;
      }
      seen.nothing += !on_any;
    }
  }
  return seen;
}

TEST(Landscapes, EveryPointOfAnExactScanLiesOnAShape) {
  for (const TownScale scale : kLandscapes)
    for (const std::uint64_t seed : {1ULL, 2ULL}) {
      const Seen seen = seen_in(scale, seed);
      EXPECT_GT(seen.all, 10000) << town_scale_name(scale);
      EXPECT_EQ(seen.nothing, 0) << town_scale_name(scale) << " of " << seen.all;
      EXPECT_GT(seen.ground, seen.all / 5) << town_scale_name(scale);
      EXPECT_LT(seen.ground, seen.all * 9 / 10) << town_scale_name(scale);
    }
}

TEST(Landscapes, ShowTheShapesThatTheyAreFor) {
  const Seen park = seen_in(TownScale::park, 1), oldtown = seen_in(TownScale::oldtown, 1),
             works = seen_in(TownScale::works, 1), woods = seen_in(TownScale::woods, 1);
  EXPECT_GT(park.share<Foliage>(), 0.1);
  EXPECT_LT(park.share<Box>(), 0.15);
  EXPECT_GT(oldtown.share<Box>(), 0.2);
  EXPECT_GT(oldtown.share<Ellipsoid>(), 0.01) << "cars";
  EXPECT_GT(works.share<Cylinder>(), 0.1);
  EXPECT_GT(works.share<Cylinder>() + works.share<Ellipsoid>(), works.share<Box>());
  EXPECT_GT(woods.share<Foliage>(), 0.08);
  EXPECT_GT(woods.share<Cylinder>(), 0.05) << "trunks";
  EXPECT_EQ(woods.share<Box>(), 0);
}

TEST(Landscapes, HaveSixScansAndAMapOfFourteen) {
  for (const TownScale scale : kLandscapes) {
    const TownPlan plan = plan_of(scale);
    EXPECT_EQ(scan_stops(plan, scan_drive(plan)).size(), 6U);
    EXPECT_EQ(whole_below(map_drive(plan).length_m() / plan.map_step_m), 14);
    EXPECT_EQ(scan_drive(plan).at(0).place.y, 0.8);
    EXPECT_EQ(map_drive(plan).at(0).place.y, -0.9);
  }
}

TEST(Landscapes, TheSeedTurnsAndMovesTheMap) {
  const TownPlan plan = plan_of(TownScale::works);
  const World world = build_world(plan, 1);
  std::vector<Vec3<double>> ahead;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Transform moved = MapFrame(world, plan, seed).map_from_sensor({});
    const Vec3<double> t = rotation_of(inverse(moved)) * translation_of(moved);
    const double up = t.z + world.ground().hill(0, 0);
    EXPECT_LE(std::max({std::abs(t.x), std::abs(t.y), std::abs(up)}), 3);
    ahead.push_back(rotation_of(moved) * Vec3<double>{1, 0, 0});
    const double turned_deg = 180 / kPi * std::atan2(ahead.back().y, ahead.back().x);
    EXPECT_GT(turned_deg, 9.9);
    EXPECT_LT(turned_deg, 80.1);
  }
  const auto [least, most] = std::ranges::minmax(ahead, {}, &Vec3<double>::x);
  EXPECT_GT(most.x - least.x, 0.4) << "headings are spread";
}

}  // namespace
}  // namespace ndt::harness::town
