#include "town/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "town/town_plan.hpp"

namespace ndt::harness::town {
namespace {

constexpr double kFar = 100;

/// A ray from somewhere in the streets of the small town.
Ray random_ray(const World& world, const Drive& drive, IntegerRandom& random) {
  const double s = drive.length_m() * static_cast<double>(random.below(1000)) / 1000;
  const Transform pose = sensor_pose(world.ground(), drive.at(s));
  const Heading azimuth = heading_of(static_cast<double>(random.below(4000) - 2000) / 500);
  const Heading elevation = heading_of(static_cast<double>(random.below(400) - 220) / 1000);
  return {translation_of(pose), {elevation.c * azimuth.c, elevation.c * azimuth.s, elevation.s}};
}

double nearest_solid(const World& world, const Ray& ray) {
  double nearest = kNoHit;
  for (const Solid& solid : world.solids()) nearest = std::min(nearest, hit(solid, ray));
  return nearest;
}

class TownWorld : public testing::Test {
 protected:
  const TownPlan plan_ = plan_of(TownScale::small);
  const World world_ = build_world(plan_, 5);
  const Drive drive_ = scan_drive(plan_);
};

TEST_F(TownWorld, ARayMeetsTheNearestOfAllSolidsOrTheGroundBeforeIt) {
  IntegerRandom random(11);
  int on_solid = 0, on_ground = 0, on_curb = 0, nothing = 0;
  for (int k = 0; k < 3000; ++k) {
    const Ray ray = random_ray(world_, drive_, random);
    const double t = world_.cast(ray, kFar), solid = nearest_solid(world_, ray);
    if (t == kNoHit) {
      EXPECT_GT(solid, kFar);
      ++nothing;
    } else if (t == solid) {
      ++on_solid;
    } else {
      ASSERT_LT(t, solid);
      const Vec3<double> p = ray.at(t), beyond = ray.at(t + 1e-6);
      const double above = p.z - world_.ground().height(p.x, p.y);
      const double inside = world_.ground().height(beyond.x, beyond.y) - beyond.z;
      EXPECT_GT(inside, 0) << "the ray is under the ground from here on";
      EXPECT_LT(inside, kCurbM + 1e-6);
      EXPECT_LT(above, kCurbM + 1e-6);
      ++(inside < 1e-5 ? on_ground : on_curb);
    }
  }
  EXPECT_GT(on_solid, 300);
  EXPECT_GT(on_ground, 300);
  EXPECT_GT(on_curb, 10);
  EXPECT_GT(nothing, 10);
}

TEST_F(TownWorld, NoRayPassesUnderTheGround) {
  IntegerRandom random(12);
  for (int k = 0; k < 500; ++k) {
    const Ray ray = random_ray(world_, drive_, random);
    const double t = std::min(world_.cast(ray, kFar), 60.0);
    for (double s = 0; s < t - 1e-6; s += 0.05) {
      const Vec3<double> p = ray.at(s);
      if (!world_.ground().cells().holds(world_.ground().cells().column_of(p.x),
                                         world_.ground().cells().row_of(p.y)))
        break;
      ASSERT_GT(p.z, world_.ground().height(p.x, p.y) - 1e-9) << "ray " << k << " at " << s << " m";
    }
  }
}

TEST_F(TownWorld, BlocksStandACurbAboveTheStreets) {
  const Ground& ground = world_.ground();
  const double x = 60, curb = Streets::kHalfWidth;
  EXPECT_NEAR(ground.height(x, curb + 1e-9) - ground.height(x, curb - 1e-9), kCurbM, 1e-8);
  const double road = ground.hill(x, 0);
  const Ray low{{x, 0, road + 1.8}, unit({0, curb, ground.hill(x, curb) + 0.06 - road - 1.8})};
  const Vec3<double> p =
      low.at(world_.ground().hit(low, ground.cells().column_of(x), ground.cells().row_of(curb + 1),
                                 curb / low.along.y, (curb + 4) / low.along.y));
  EXPECT_NEAR(p.y, curb, 1e-9) << "it meets the curb's face";
}

TEST_F(TownWorld, HillsAreGentleAndUneven) {
  const Ground& ground = world_.ground();
  double steepest = 0, lowest = 1e9, highest = -1e9;
  for (double x = 0; x < 240; x += 3) {
    const double h = ground.hill(x, 0);
    lowest = std::min(lowest, h);
    highest = std::max(highest, h);
    steepest = std::max(steepest, std::abs(ground.hill(x + 1, 0) - h));
  }
  EXPECT_LT(steepest, 0.038);
  EXPECT_GT(steepest, 0.01);
  EXPECT_GT(highest - lowest, 1.0);
}

TEST_F(TownWorld, HasEverythingThatATownHas) {
  int houses = 0, boxes = 0, poles = 0, crowns = 0;
  for (const Solid& solid : world_.solids()) {
    if (const Box* box = std::get_if<Box>(&solid)) ++(box->windows.pitch_m > 0 ? houses : boxes);
    poles += std::holds_alternative<Cylinder>(solid);
    crowns += std::holds_alternative<Crown>(solid);
  }
  EXPECT_GT(houses, 50);
  EXPECT_GT(boxes, 200) << "cars, hedges, walls, porches";
  EXPECT_GT(poles, 100);
  EXPECT_GT(crowns, 50);
}

}  // namespace
}  // namespace ndt::harness::town
