#include "town/waves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

/// As rough as the roughest landscape.
Waves rough_hills() { return {{{60, 0.8}, {12, 0.08}, {2, 0.04}, {1.1, 0.04}, {0.6, 0.024}}, 9}; }

TEST(TownWaves, OneWaveRepeatsItselfAfterItsLengthAndIsAsHighAsAsked) {
  const Waves one({{2.5, 0.3}}, 4);
  double lowest = 1, highest = -1, longest = 0;
  for (double x = 0; x < 5; x += 0.01)
    for (double y = 0; y < 5; y += 0.01) {
      lowest = std::min(lowest, one.height(x, y));
      highest = std::max(highest, one.height(x, y));
    }
  EXPECT_NEAR(lowest, -0.3, 0.001);
  EXPECT_NEAR(highest, 0.3, 0.001);
  // Its crests are straight. The way from crest to crest is the length in one direction, and longer in
  // others.
  for (double angle = 0; angle < kPi; angle += 0.001) {
    double most = 0;
    for (double s = 0; s < 5; s += 0.17)
      most = std::max(most, std::abs(one.height(s * std::cos(angle), s * std::sin(angle)) -
                                     one.height((s + 2.5) * std::cos(angle), (s + 2.5) * std::sin(angle))));
    longest = std::max(longest, most < 0.005 ? 1.0 : 0.0);
  }
  EXPECT_EQ(longest, 1);
}

TEST(TownWaves, ARayEndsOnTheGroundWhereItFirstGoesUnder) {
  constexpr double kFar = 80;
  const Waves waves = rough_hills();
  IntegerRandom random(3);
  int hits = 0, misses = 0;
  for (int k = 0; k < 400; ++k) {
    Vec3<double> from{between(random, -50, 50), 0, 0};
    from.y = between(random, -50, 50);
    from.z = waves.height(from.x, from.y) + 1.8;
    const Heading azimuth = heading_of(between(random, -3, 3));
    const Heading elevation = heading_of(between(random, -0.22, 0.02));
    const Ray ray{from, {elevation.c * azimuth.c, elevation.c * azimuth.s, elevation.s}};
    const auto above = [&](double t) { return ray.at(t).z - waves.height(ray.at(t).x, ray.at(t).y); };
    const double t = waves.hit(ray, 0, kFar);
    ++(t == kNoHit ? misses : hits);
    if (t != kNoHit) {
      ASSERT_NEAR(above(t), 0, 2e-6) << k;
      ASSERT_LT(above(t + 0.001), 0) << k;
    }
    for (double s = 0; s < std::min(t, kFar) - 0.001; s += 0.004)
      ASSERT_GT(above(s), -1e-4) << k << " at " << s;
  }
  EXPECT_GT(hits, 200);
  EXPECT_GT(misses, 10);
}

TEST(TownWaves, AStretchOfARayIsHitWhereTheWholeRayIs) {
  const Waves waves = rough_hills();
  const Ray ray{{1, 2, waves.height(1, 2) + 1.8}, unit({3, 4, -0.3})};
  const double t = waves.hit(ray, 0, 80);
  ASSERT_LT(t, 80);
  EXPECT_EQ(waves.hit(ray, 0, t - 0.01), kNoHit);
  EXPECT_NEAR(waves.hit(ray, t - 1, t + 1), t, 1e-4);
}

TEST(TownWaves, AnotherSeedIsOtherGround) {
  const Waves a({{2, 0.04}}, 1), same({{2, 0.04}}, 1), other({{2, 0.04}}, 2);
  EXPECT_EQ(a.height(3, 4), same.height(3, 4));
  EXPECT_NE(a.height(3, 4), other.height(3, 4));
}

}  // namespace
}  // namespace ndt::harness::town
