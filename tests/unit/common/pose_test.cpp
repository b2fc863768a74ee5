#include "ndt/core/pose.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "random_poses.hpp"

namespace ndt {
namespace {

constexpr double kRounding = 1e-14;       // a few products of numbers up to 1, each off by 1e-16
constexpr double kAngleRounding = 1e-14;  // the same, through an arc tangent of a well-conditioned pair

double largest_difference(const Mat3<double>& a, const Mat3<double>& b) {
  double worst = 0;
  for (int i = 0; i < 9; ++i) worst = std::max(worst, std::abs(a.m[i] - b.m[i]));
  return worst;
}

TEST(Pose, RotationIsTheProductOfRollPitchYawInThatOrder) {
  for (const Pose& p : random_poses(1, 200)) {
    const Eigen::Matrix3d expected = (Eigen::AngleAxisd(p.roll, Eigen::Vector3d::UnitX()) *
                                      Eigen::AngleAxisd(p.pitch, Eigen::Vector3d::UnitY()) *
                                      Eigen::AngleAxisd(p.yaw, Eigen::Vector3d::UnitZ()))
                                         .toRotationMatrix();
    const Mat3<double> got = rotation_of(p);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(got(i, j), expected(i, j), kRounding) << p << " at " << i << ", " << j;
  }
}

TEST(Pose, TransformHoldsRotationTranslationAndTheLastRow) {
  const Pose pose{1, -2, 3.5, 0.1, -0.2, 0.3};
  const Transform t = to_transform(pose);
  EXPECT_EQ(largest_difference(rotation_of(t), rotation_of(pose)), 0);
  EXPECT_EQ(translation_of(t).x, 1);
  EXPECT_EQ(translation_of(t).y, -2);
  EXPECT_EQ(translation_of(t).z, 3.5);
  const double last[] = {0, 0, 0, 1};
  for (int j = 0; j < 4; ++j) EXPECT_EQ(t(3, j), last[j]) << "column " << j;
}

TEST(DerivativePose, InvertsToTransformWithRollBetweenZeroAndPi) {
  for (const Pose& p : random_poses(2, 2000)) {
    const Transform t = to_transform(p);
    const Pose back = derivative_pose(t);
    EXPECT_GE(back.roll, 0) << p;
    EXPECT_LE(back.roll, kPi) << p;
    EXPECT_LT(largest_difference(rotation_of(back), rotation_of(t)), kRounding) << p;
    EXPECT_EQ(back.x, p.x) << p;
    EXPECT_EQ(back.y, p.y) << p;
    EXPECT_EQ(back.z, p.z) << p;
  }
}

TEST(DerivativePose, KeepsAnglesThatAreAlreadyInItsBranch) {
  for (const Pose& p :
       {Pose{0, 0, 0, 0.3, -0.2, 1.1}, Pose{0, 0, 0, 3.0, 3.0, -3.0}, Pose{0, 0, 0, 1.5, 0, -2}}) {
    const Pose back = derivative_pose(to_transform(p));
    EXPECT_NEAR(back.roll, p.roll, kAngleRounding) << p;
    EXPECT_NEAR(back.pitch, p.pitch, kAngleRounding) << p;
    EXPECT_NEAR(back.yaw, p.yaw, kAngleRounding) << p;
  }
}

TEST(DerivativePose, NegativeRollBecomesRollPlusPiWithTheOtherAnglesMirrored) {
  const Pose back = derivative_pose(to_transform({0, 0, 0, -0.02, 0.01, 0.015}));
  EXPECT_NEAR(back.roll, kPi - 0.02, kAngleRounding);
  EXPECT_NEAR(back.pitch, kPi - 0.01, kAngleRounding);
  EXPECT_NEAR(back.yaw, 0.015 - kPi, kAngleRounding);
}

TEST(DerivativePose, TinyNegativeRollStaysInsideTheBranch) {
  for (const double roll : {-1e-3, -1e-9, -1e-16, -1e-20, -1e-300, -0.0}) {
    const Transform t = to_transform({0, 0, 0, roll, 0.2, -0.4});
    const Pose back = derivative_pose(t);
    EXPECT_GE(back.roll, 0) << roll;
    EXPECT_LE(back.roll, kPi) << roll;
    EXPECT_LT(largest_difference(rotation_of(back), rotation_of(t)), kRounding) << roll;
  }
}

TEST(DerivativePose, GimbalLockStillGivesTheSameRotation) {
  for (const double sign : {1.0, -1.0})
    for (const double roll : {-2.0, -0.3, 0.0, 0.3, 2.0})
      for (const double yaw : {-2.5, 0.0, 1.2}) {
        const Pose locked{0, 0, 0, roll, sign * kPi / 2, yaw};
        const Pose back = derivative_pose(to_transform(locked));
        EXPECT_GE(back.roll, 0) << locked;
        EXPECT_LE(back.roll, kPi) << locked;
        EXPECT_LT(largest_difference(rotation_of(back), rotation_of(locked)), kRounding) << locked;
      }
}

TEST(DerivativePose, GimbalLockWithExactZerosStillGivesTheSameRotation) {
  const double s = 0.6, c = 0.8;  // only roll + yaw is determined; cos(pitch) is exactly 0 here
  for (const double sign : {1.0, -1.0})
    for (const double zero : {0.0, -0.0}) {
      const Mat3<double> r{{zero, zero, sign, s, c, zero, -sign * c, sign * s, zero}};
      const Pose back = derivative_pose(make_transform(r, {}));
      EXPECT_GE(back.roll, 0) << sign;
      EXPECT_LE(back.roll, kPi) << sign;
      EXPECT_LT(largest_difference(rotation_of(back), r), kRounding) << back;
    }
}

TEST(PrincipalPose, HasPitchWithinAQuarterTurnAndTheSameRotation) {
  for (const Pose& p : random_poses(3, 2000)) {
    const Pose q = principal(p);
    EXPECT_LE(std::abs(q.pitch), kPi / 2 + kAngleRounding) << p;
    EXPECT_LE(std::abs(q.roll), kPi) << p;
    EXPECT_LE(std::abs(q.yaw), kPi) << p;
    EXPECT_LT(largest_difference(rotation_of(q), rotation_of(p)), kRounding) << p;
    EXPECT_EQ(q.x, p.x);
    EXPECT_EQ(q.y, p.y);
    EXPECT_EQ(q.z, p.z);
  }
}

TEST(PrincipalPose, UndoesTheDerivativeBranch) {
  const Pose p{1, 2, 3, -0.02, 0.01, 0.015};
  const Pose q = principal(derivative_pose(to_transform(p)));
  EXPECT_NEAR(q.roll, p.roll, kAngleRounding);
  EXPECT_NEAR(q.pitch, p.pitch, kAngleRounding);
  EXPECT_NEAR(q.yaw, p.yaw, kAngleRounding);
}

TEST(PrincipalPose, WrapsAnglesBeyondAFullTurn) {
  const Pose p{0, 0, 0, 0.1 + 4 * kPi, 0.2 - 2 * kPi, -0.3 + 2 * kPi};
  const Pose q = principal(p);
  EXPECT_NEAR(q.roll, 0.1, kRounding);
  EXPECT_NEAR(q.pitch, 0.2, kRounding);
  EXPECT_NEAR(q.yaw, -0.3, kRounding);
}

TEST(PoseErrors, RotationErrorIsTheAngleFromTinyToAHalfTurn) {
  const Pose base{3, -1, 2, 0.4, -0.7, 2.1};
  for (const double angle : {0.0, 1e-12, 1e-8, 1e-4, 0.5, 1.5, 3.0, kPi - 1e-6, kPi}) {
    // Near a half turn the sine of the angle is all that is left of it, so its rounding is the angle's.
    const double tolerance = 1e-15 + 4e-16 * (1 + angle);
    const Mat3<double> turn = rotation_of(Pose{0, 0, 0, 0, angle, 0});
    const Transform turned = make_transform(turn * rotation_of(base), {});
    EXPECT_NEAR(rotation_error_rad(turned, to_transform(base)), angle, tolerance) << angle;
    EXPECT_NEAR(rotation_error_rad(to_transform(base), turned), angle, tolerance) << angle;
  }
}

TEST(PoseErrors, TranslationErrorIgnoresRotation) {
  const Transform a = to_transform({1, 2, 3, 0.5, 0.1, -0.2}), b = to_transform({4, 6, 15, -1, 0.3, 2});
  EXPECT_EQ(translation_error_m(a, b), 13);
  EXPECT_EQ(translation_error_m(b, b), 0);
}

}  // namespace
}  // namespace ndt
