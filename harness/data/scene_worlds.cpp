// One random number is drawn per statement, because the order in which arguments are evaluated is
// unspecified.
#include "data/scene_worlds.hpp"

#include <algorithm>
#include <stdexcept>

#include "town/lidar.hpp"

namespace ndt::harness {
namespace {

using town::Box, town::Cylinder, town::Heading, town::Solid;

constexpr double kSensorHeight = 1.8;

/// From `z0` to `z1`; half extents along x and y, turned by `heading`.
Box box(double x, double y, double half_x, double half_y, double z0, double z1, Heading heading = {}) {
  return {.x = x,
          .y = y,
          .heading = heading,
          .half_u = half_x,
          .half_v = half_y,
          .z0 = z0,
          .z1 = z1,
          .windows = {}};
}

/// Half of the tangent of an angle up to 45 degrees either way.
Heading any_heading(IntegerRandom& random) { return town::heading_of(between(random, -0.41, 0.41)); }

void add_ground(SceneWorld& world, double half_x, double half_y) {
  world.solids.push_back(box(0, 0, half_x, half_y, -1, 0));
}

/// Walls around the area within `half_x` and `half_y`.
void add_walls(SceneWorld& world, double half_x, double half_y, double height) {
  constexpr double kHalfThick = 0.15;
  for (const double side : {-1.0, 1.0}) {
    world.solids.push_back(box(side * (half_x + kHalfThick), 0, kHalfThick, half_y, 0, height));
    world.solids.push_back(box(0, side * (half_y + kHalfThick), half_x, kHalfThick, 0, height));
  }
}

struct Sizes {
  double least, most;
};

/// Boxes on the ground within the area, of random half extents and heights.
void add_boxes(SceneWorld& world, IntegerRandom& random, std::int64_t count, double half_x, double half_y,
               Sizes length, Sizes width, Sizes height) {
  for (std::int64_t k = 0; k < count; ++k) {
    const double x = between(random, -half_x, half_x);
    const double y = between(random, -half_y, half_y);
    const double half_length = between(random, length.least, length.most);
    const double half_width = between(random, width.least, width.most);
    const double top = between(random, height.least, height.most);
    world.solids.push_back(box(x, y, half_length, half_width, 0, top, any_heading(random)));
  }
}

void add_posts(SceneWorld& world, IntegerRandom& random, std::int64_t count, double half_x, double half_y,
               Sizes radius, Sizes height) {
  for (std::int64_t k = 0; k < count; ++k) {
    const double x = between(random, -half_x, half_x);
    const double y = between(random, -half_y, half_y);
    const double r = between(random, radius.least, radius.most);
    const double top = between(random, height.least, height.most);
    world.solids.push_back(Cylinder{x, y, r, 0, top});
  }
}

/// Along both kerbs of a street.
void add_cars(SceneWorld& world, IntegerRandom& random, std::int64_t count, double half_x) {
  for (std::int64_t k = 0; k < count; ++k) {
    const double x = between(random, -half_x, half_x);
    const double y = (random.below(2) == 0 ? -1 : 1) * between(random, 3.6, 4.6);
    const double half_length = between(random, 1.8, 2.6);
    const Heading heading = town::heading_of(between(random, -0.03, 0.03));
    world.solids.push_back(box(x, y, half_length, 0.9, 0.3, 1.6, heading));
  }
}

/// Whether a sensor at the place is less than a metre away from the solid.
bool obstructs(const Solid& solid, const Vec3<double>& place) {
  const town::Heights h = town::heights(solid);
  const town::Footprint f = town::footprint(solid);
  return h.z1 > place.z - 1 && h.z0 < place.z + 1 && place.x > f.x0 - 1 && place.x < f.x1 + 1 &&
         place.y > f.y0 - 1 && place.y < f.y1 + 1;
}

/// Nearly normal, mean 0 and deviation 1: the sum of four uniform numbers.
double near_normal(IntegerRandom& random) {
  constexpr std::int64_t kSteps = 1 << 16;
  constexpr double kSigma = 37837.2;  // of the sum: 65536 / sqrt(3)
  std::int64_t sum = -2 * (kSteps - 1);
  for (int k = 0; k < 4; ++k) sum += random.below(kSteps);
  return static_cast<double>(sum) / kSigma;
}

}  // namespace

SceneWorld hall(IntegerRandom& outline, IntegerRandom& inside) {
  const double half_x = between(outline, 10, 22);
  const double half_y = between(outline, 7, 16);
  const double height = between(outline, 4, 9);
  SceneWorld world{.solids = {}, .reach_x = half_x - 2, .reach_y = half_y - 2};
  add_ground(world, half_x, half_y);
  add_walls(world, half_x, half_y, height);
  add_posts(world, outline, 3 + outline.below(4), half_x, half_y, {0.2, 0.5}, {height, height});
  add_boxes(world, inside, 1 + inside.below(3), half_x, half_y, {2, 5}, {0.1, 0.15}, {height, height});
  add_boxes(world, inside, 12 + inside.below(12), half_x, half_y, {0.3, 2}, {0.3, 1}, {0.5, 3.5});
  return world;
}

SceneWorld street(IntegerRandom& random) {
  constexpr double kHalfLength = 60;
  SceneWorld world{.solids = {}, .reach_x = 15, .reach_y = 2};
  add_ground(world, kHalfLength, 40);
  for (const double side : {-1.0, 1.0})
    for (double x = -kHalfLength; x < kHalfLength - 15;) {
      const double half_width = between(random, 3.5, 7.5);
      const double setback = between(random, 7, 12);
      const double height = between(random, 4, 11);
      world.solids.push_back(box(x + half_width, side * (setback + 5), half_width, 5, 0, height));
      x += 2 * half_width + between(random, 0.5, 5);
    }
  add_cars(world, random, 10 + random.below(8), 45);
  add_posts(world, random, 10, 45, 7, {0.1, 0.3}, {3, 8});
  return world;
}

SceneWorld grove(IntegerRandom& random) {
  SceneWorld world{.solids = {}, .reach_x = 10, .reach_y = 10};
  add_ground(world, 60, 60);
  add_posts(world, random, 50 + random.below(30), 30, 30, {0.15, 0.5}, {4, 10});
  add_boxes(world, random, 3 + random.below(3), 30, 30, {1, 4}, {0.5, 3}, {1.5, 4});
  return world;
}

SceneWorld corridor(IntegerRandom& random) {
  constexpr double kHalfLength = 150;  // farther than the scanner sees
  const double half_width = between(random, 1.4, 3);
  const double height = between(random, 3, 4.5);
  SceneWorld world{.solids = {}, .reach_x = 5, .reach_y = half_width - 1.2};
  add_ground(world, kHalfLength, half_width);
  add_walls(world, kHalfLength, half_width, height);
  world.solids.push_back(box(0, 0, kHalfLength, half_width, height, height + 1));
  return world;
}

SceneWorld plain() {
  SceneWorld world{.solids = {}, .reach_x = 10, .reach_y = 10};
  add_ground(world, 120, 120);
  return world;
}

SceneWorld tank(IntegerRandom& random) {
  constexpr int kFacets = 64;  // a wall of them is at most 1.5 cm from round
  const double radius = between(random, 5, 12);
  const double height = between(random, 4, 8);
  SceneWorld world{.solids = {}, .reach_x = radius / 2, .reach_y = radius / 2};
  add_ground(world, radius + 1, radius + 1);
  const Heading step = town::heading_of(0.04912684976946725);  // tan(pi / 64)
  Heading at;
  for (int k = 0; k < kFacets; ++k) {
    world.solids.push_back(
        box((radius + 0.15) * at.c, (radius + 0.15) * at.s, 0.15, radius * 0.05, 0, height, at));
    at = at * step;
  }
  return world;
}

SceneWorld terrace(IntegerRandom& random, double period_m) {
  SceneWorld world{.solids = {}, .reach_x = period_m / 2, .reach_y = 1.5};
  add_ground(world, 100, 30);
  for (const double side : {-1.0, 1.0})
    for (int k = -8; k <= 8; ++k) {
      const double x = k * period_m + side * period_m / 4;
      world.solids.push_back(box(x, side * 13, period_m / 2 - 1, 5, 0, 7));
      world.solids.push_back(box(x + period_m / 5, side * 7.5, 1, 0.6, 0, 2.5));
    }
  add_cars(world, random, 2 + random.below(3), 30);
  return world;
}

SceneWorld car_park(IntegerRandom& random, double period_m) {
  constexpr int kRows = 6;
  SceneWorld world{.solids = {}, .reach_x = period_m / 2, .reach_y = period_m / 2};
  const double half = (kRows + 0.5) * period_m;
  add_ground(world, half, half);
  world.solids.push_back(box(0, 0, half, half, 3.5, 4));
  for (int row = -kRows; row <= kRows; ++row)
    for (int column = -kRows; column <= kRows; ++column)
      world.solids.push_back(Cylinder{(column + 0.5) * period_m, (row + 0.5) * period_m, 0.4, 0, 3.5});
  add_cars(world, random, 2 + random.below(3), 2 * period_m);
  return world;
}

Vec3<double> free_place(const SceneWorld& world, IntegerRandom& random) {
  constexpr int kMostTries = 1000;
  for (int k = 0; k < kMostTries; ++k) {
    Vec3<double> place{0, 0, kSensorHeight};
    place.x = between(random, -world.reach_x, world.reach_x);
    place.y = between(random, -world.reach_y, world.reach_y);
    if (std::ranges::none_of(world.solids, [&](const Solid& solid) { return obstructs(solid, place); }))
      return place;
  }
  throw std::logic_error("free_place: the world leaves a sensor no room");
}

PointCloud sweep(const SceneWorld& world, const Transform& world_from_sensor, double noise_m,
                 IntegerRandom& random) {
  static const town::Lidar lidar({.beams = 32, .azimuths = 256});
  const Mat3<double> rotation = rotation_of(world_from_sensor);
  const Vec3<double> from = translation_of(world_from_sensor);
  PointCloud cloud;
  for (const Vec3<double>& direction : lidar.directions()) {
    double range = town::kNoHit;
    for (const Solid& solid : world.solids)
      range = std::min(range, town::hit(solid, {from, rotation * direction}));
    if (range < town::Lidar::kNearest || range > town::Lidar::kFarthest) continue;
    range += noise_m * near_normal(random);
    const Vec3<double> p = in_metres(town::in_millimetres(range * direction));
    cloud.points.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
  }
  return cloud;
}

}  // namespace ndt::harness
