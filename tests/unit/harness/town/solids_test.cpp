#include "town/solids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ndt::harness::town {
namespace {

/// 4 m along u, 2 m along v, 3 m high, at (10, 0), turned by 90 degrees: u points along y.
Box turned_box() {
  return {.x = 10, .y = 0, .heading = {0, 1}, .half_u = 2, .half_v = 1, .z0 = 0, .z1 = 3, .windows = {}};
}

Ray ray(const Vec3<double>& from, const Vec3<double>& to) { return {from, unit(to - from)}; }

TEST(TownBox, IsHitAtItsFacesOnly) {
  const Box box = turned_box();
  EXPECT_DOUBLE_EQ(hit(box, {{0, 0, 1}, {1, 0, 0}}), 9);
  EXPECT_DOUBLE_EQ(hit(box, {{0, 1.9, 1}, {1, 0, 0}}), 9);
  EXPECT_EQ(hit(box, {{0, 2.1, 1}, {1, 0, 0}}), kNoHit);
  EXPECT_EQ(hit(box, {{0, 0, 3.1}, {1, 0, 0}}), kNoHit);
  EXPECT_EQ(hit(box, {{0, 0, 1}, {-1, 0, 0}}), kNoHit) << "behind";
  EXPECT_DOUBLE_EQ(hit(box, {{10, 0, 5}, {0, 0, -1}}), 2) << "the roof";
  EXPECT_DOUBLE_EQ(hit(box, {{10.5, -7, 1}, {0, 1, 0}}), 5) << "the side";
  const Ray slanted = ray({0, 0, 1}, {9, 1, 2});
  EXPECT_DOUBLE_EQ(slanted.at(hit(box, slanted)).x, 9);
}

TEST(TownBox, WindowsAreSetBack) {
  Box box = turned_box();
  // One column of windows in the middle of the 4 m front, sills at 1 m and 2.5 m.
  box.windows = {.pitch_m = 4,
                 .width_m = 1,
                 .base_z = 0,
                 .storey_m = 1.5,
                 .storeys = 2,
                 .sill_m = 1,
                 .height_m = 0.4,
                 .recess_m = 0.3};
  const auto front = [&box](double y, double z) { return hit(box, {{0, y, z}, {1, 0, 0}}); };
  EXPECT_DOUBLE_EQ(front(0, 0.9), 9);
  EXPECT_DOUBLE_EQ(front(0, 1.2), 9.3) << "the glass";
  EXPECT_DOUBLE_EQ(front(0.49, 1.2), 9.3);
  EXPECT_DOUBLE_EQ(front(0.51, 1.2), 9);
  EXPECT_DOUBLE_EQ(front(0, 2.7), 9.3) << "the storey above";
  EXPECT_DOUBLE_EQ(front(0, 2.95), 9) << "above the last storey's window";
  EXPECT_DOUBLE_EQ(hit(box, {{10, -9, 1.2}, {0, 1, 0}}), 7) << "the 2 m wide side is too narrow for a column";

  const Ray slanted =
      ray({5, -4, 1.2}, {9, 0.3, 1.2});  // enters near the right end and meets the niche's side
  const Vec3<double> p = slanted.at(hit(box, slanted));
  EXPECT_NEAR(p.y, 0.5, 1e-12);
  EXPECT_GT(p.x, 9);
  EXPECT_LT(p.x, 9.3);
}

TEST(TownCylinder, IsHitOnItsNearSide) {
  const Cylinder pole{.x = 5, .y = 1, .radius = 0.5, .z0 = 0, .z1 = 2};
  EXPECT_DOUBLE_EQ(hit(pole, {{0, 1, 1}, {1, 0, 0}}), 4.5);
  EXPECT_EQ(hit(pole, {{0, 1.6, 1}, {1, 0, 0}}), kNoHit);
  EXPECT_EQ(hit(pole, {{0, 1, 2.1}, {1, 0, 0}}), kNoHit);
  EXPECT_EQ(hit(pole, {{0, 1, 1}, {-1, 0, 0}}), kNoHit) << "behind";
  EXPECT_EQ(hit(pole, {{5, 1, 9}, {0, 0, -1}}), kNoHit) << "its ends are open";
  const Ray slanted = ray({0, 0, 0}, {5, 1.2, 1});
  const Vec3<double> p = slanted.at(hit(pole, slanted));
  EXPECT_NEAR((p.x - 5) * (p.x - 5) + (p.y - 1) * (p.y - 1), 0.25, 1e-12);
}

TEST(TownCrown, StopsSomeRaysInsideItAndTheSameOnesEveryTime) {
  const Crown crown{.centre = {10, 0, 5}, .radius = 2, .half_height = 3, .seed = 4, .filled = 40};
  int stopped = 0, deep = 0;
  constexpr int kRays = 400;
  for (int k = 0; k < kRays; ++k) {
    const Ray through = ray({0, 0, 2}, {10, 0.1 * (k % 20) - 0.95, 4 + 0.1 * (k / 20.0)});
    const double t = hit(crown, through);
    ASSERT_EQ(hit(crown, through), t);
    if (t == kNoHit) continue;
    const Vec3<double> p = through.at(t) - crown.centre;
    const double inside = (p.x * p.x + p.y * p.y) / 4 + p.z * p.z / 9;
    EXPECT_LE(inside, 1 + 1e-9);
    ++stopped;
    deep += inside < 0.7;
  }
  EXPECT_GT(stopped, kRays / 4);
  EXPECT_LT(stopped, kRays);
  EXPECT_GT(deep, kRays / 20) << "leaves are not only at the surface";
  EXPECT_EQ(hit(crown, {{0, 2.1, 5}, {1, 0, 0}}), kNoHit) << "beside it";
  EXPECT_EQ(hit(crown, {{0, 0, 5}, {-1, 0, 0}}), kNoHit) << "behind";
}

/// 4 m along u, 2 m along v, 3 m high, turned by 2 atan(0.3).
Ellipsoid turned_ellipsoid() {
  return {.centre = {10, 1, 2}, .heading = heading_of(0.3), .half_u = 2, .half_v = 1, .half_z = 1.5};
}

/// 1 on the surface of the ellipsoid, less inside it.
double depth_in(const Ellipsoid& e, const Vec3<double>& p) {
  const Vec3<double> d = p - e.centre;
  const double u = (e.heading.c * d.x + e.heading.s * d.y) / e.half_u;
  const double v = (e.heading.c * d.y - e.heading.s * d.x) / e.half_v, z = d.z / e.half_z;
  return u * u + v * v + z * z;
}

TEST(TownEllipsoid, IsHitOnItsNearSide) {
  const Ellipsoid ellipsoid = turned_ellipsoid();
  EXPECT_DOUBLE_EQ(hit(ellipsoid, {{10, 1, 9}, {0, 0, -1}}), 5.5) << "its top";
  EXPECT_EQ(hit(ellipsoid, {{10, 1, 9}, {0, 0, 1}}), kNoHit) << "behind";
  EXPECT_EQ(hit(ellipsoid, {{0, 1, 3.51}, {1, 0, 0}}), kNoHit) << "above it";
  const Vec3<double> end = ellipsoid.centre + 2.0 * Vec3<double>{ellipsoid.heading.c, ellipsoid.heading.s, 0};
  const Ray from_ahead{end + Vec3<double>{3 * ellipsoid.heading.c, 3 * ellipsoid.heading.s, 0},
                       {-ellipsoid.heading.c, -ellipsoid.heading.s, 0}};
  EXPECT_NEAR(hit(ellipsoid, from_ahead), 3, 1e-12) << "its longest axis";
  int hits = 0;
  for (double y = -2; y <= 4; y += 0.1) {
    const Ray slanted = ray({0, 0, 1}, {10, y, 2.5});
    const double t = hit(ellipsoid, slanted);
    if (t == kNoHit) continue;
    ++hits;
    EXPECT_NEAR(depth_in(ellipsoid, slanted.at(t)), 1, 1e-12) << y;
    EXPECT_GT(depth_in(ellipsoid, slanted.at(t - 0.001)), 1) << "the near side, y = " << y;
  }
  EXPECT_GT(hits, 20);
}

TEST(TownFoliage, StopsRaysAfterAnExponentialWayInside) {
  constexpr double kWay = 0.8;
  const Foliage foliage{.extent = turned_ellipsoid(), .way_m = kWay, .seed = 3};
  constexpr int kRays = 4000;
  int short_of_one_way = 0, passed = 0;
  double expected_to_pass = 0;
  for (int k = 0; k < kRays; ++k) {
    const Ray through = ray({0, 0, 1}, {10, 0.4 + 0.0003 * k, 2});
    const double enter = hit(foliage.extent, through), t = hit(foliage, through);
    ASSERT_LT(enter, kNoHit);
    ASSERT_EQ(hit(foliage, through), t) << "one ray ends at one place";
    const Ray back{through.at(enter + 10), -1.0 * through.along};
    expected_to_pass += std::exp(-(10 - hit(foliage.extent, back)) / kWay);
    if (t == kNoHit) {
      ++passed;
      continue;
    }
    ASSERT_GE(t, enter);
    ASSERT_LE(depth_in(foliage.extent, through.at(t)), 1 + 1e-12);
    short_of_one_way += t < enter + kWay;
  }
  EXPECT_NEAR(passed, expected_to_pass, 4 * std::sqrt(expected_to_pass));
  EXPECT_GT(passed, 10);
  EXPECT_NEAR(short_of_one_way, kRays * (1 - std::exp(-1)), 4 * std::sqrt(kRays * 0.24));
  EXPECT_EQ(hit(foliage, {{0, 1, 3.51}, {1, 0, 0}}), kNoHit) << "above it";
}

TEST(TownFootprint, HoldsEveryHit) {
  const Heading slanted = heading_of(0.3);
  const Solid solids[] = {
      Box{.x = 8, .y = 1, .heading = slanted, .half_u = 2, .half_v = 1, .z0 = 0, .z1 = 3, .windows = {}},
      Cylinder{.x = 8, .y = 1, .radius = 0.7, .z0 = 0, .z1 = 3},
      Crown{.centre = {8, 1, 1}, .radius = 2, .half_height = 2, .seed = 1, .filled = 200},
      Ellipsoid{.centre = {8, 1, 1}, .heading = slanted, .half_u = 2, .half_v = 0.7, .half_z = 1},
      Foliage{.extent = {{8, 1, 1}, slanted, 0.7, 2, 1}, .way_m = 0.5, .seed = 1}};
  for (const Solid& solid : solids) {
    const Footprint f = footprint(solid);
    const Heights h = heights(solid);
    int hits = 0;
    for (double y = -3; y <= 5; y += 0.05) {
      const Ray through = ray({0, -1, 1}, {8, y, 1.1});
      const double t = hit(solid, through);
      if (t == kNoHit) continue;
      ++hits;
      const Vec3<double> p = through.at(t);
      EXPECT_TRUE(p.x >= f.x0 - 1e-9 && p.x <= f.x1 + 1e-9 && p.y >= f.y0 - 1e-9 && p.y <= f.y1 + 1e-9);
      EXPECT_TRUE(p.z >= h.z0 - 1e-9 && p.z <= h.z1 + 1e-9);
    }
    EXPECT_GT(hits, 10);
  }
}

TEST(TownFootprint, OfATurnedEllipsoidIsNoLargerThanIt) {
  const Ellipsoid ellipsoid = turned_ellipsoid();
  const Footprint f = footprint(ellipsoid);
  double widest = 0;
  for (double x = f.x0 - 0.5; x < f.x1 + 0.5; x += 0.001)
    if (hit(ellipsoid, {{x, -9, ellipsoid.centre.z}, {0, 1, 0}}) < kNoHit)
      widest = std::max(widest, std::abs(x - ellipsoid.centre.x));
  EXPECT_NEAR(widest, (f.x1 - f.x0) / 2, 0.0011);
}

}  // namespace
}  // namespace ndt::harness::town
