#include "ndt/localization/rigid_motion.hpp"

#include <gtest/gtest.h>

#include "test_clouds.hpp"

namespace ndt::localization {
namespace {

// Rotations are made of quaternions and back: a few roundings.
constexpr double kMetres = 1e-12, kRadians = 3e-8;  // an angle from a trace resolves no better than 2e-8

void expect_same(const Transform& a, const Transform& b) {
  EXPECT_LT(translation_error_m(a, b), kMetres);
  EXPECT_LT(rotation_error_rad(a, b), kRadians);
}

TEST(RigidMotion, TheTwistBetweenTwoPosesLeadsFromOneToTheOther) {
  for (const double radians : {1e-9, 1e-5, 1e-3, 0.5, 1.7})
    for (const Pose& offset : test_clouds::offsets(20, 5, radians)) {
      const Transform from = to_transform({3, -4, 1, 0.1, -0.2, 2}), to = from * to_transform(offset);
      expect_same(from * moved_by(twist_between(from, to, 0.1), 0.1), to);
    }
}

TEST(RigidMotion, ATwistIsTheSameOverHalfAndDoubleTheTime) {
  const Twist twist{{2, 0.5, -0.1}, {0.1, -0.2, 0.7}};
  const Transform once = moved_by(twist, 1);
  expect_same(moved_by(twist, 0.5) * moved_by(twist, 0.5), once);
  expect_same(moved_by(twist, 2), once * once);
  const Twist again = twist_between({}, once, 1);
  EXPECT_NEAR(again.linear.x, twist.linear.x, 1e-12);
  EXPECT_NEAR(again.angular.z, twist.angular.z, 1e-12);
}

TEST(RigidMotion, ACarThatTurnsMovesOnACircle) {
  const double radius = 8;  // a quarter of it in one second
  const Transform quarter = moved_by({{radius * kPi / 2, 0, 0}, {0, 0, kPi / 2}}, 1);
  EXPECT_NEAR(quarter(0, 3), radius, 1e-12);
  EXPECT_NEAR(quarter(1, 3), radius, 1e-12);
  EXPECT_NEAR(quarter(1, 0), 1, 1e-12) << "it now heads for +y";
}

TEST(RigidMotion, HalfATurnHasATwist) {
  const Transform back = to_transform({1, 2, 0, 0, 0, kPi});
  expect_same(moved_by(twist_between({}, back, 2), 2), back);
}

TEST(RigidMotion, InterpolationIsStraightInPositionAndEvenInRotation) {
  const Transform a = to_transform({0, 0, 0, 0, 0, 3.0}), b = to_transform({4, 2, 1, 0, 0, -3.0});
  expect_same(interpolated(a, b, 0), a);
  expect_same(interpolated(a, b, 1), b);
  const Transform quarter = interpolated(a, b, 0.25);
  EXPECT_NEAR(quarter(0, 3), 1, 1e-15);
  EXPECT_NEAR(rotation_error_rad(a, quarter), (2 * kPi - 6) / 4, 1e-7) << "across pi, the short way";
}

}  // namespace
}  // namespace ndt::localization
