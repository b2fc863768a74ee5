// The oracle's tables of derivatives of a rotated point against central differences: the first of the
// rotation, the second of the first.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "random_poses.hpp"
#include "score.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

using Eigen::Vector3d;

const Vector3d kPoint(3, -7, 2);
const char* const kNames[] = {"roll", "pitch", "yaw"};

/// Near zero, wide, in the branch where a small roll is nearly pi, at gimbal lock, and anywhere.
std::vector<Pose> probes() {
  std::vector<Pose> poses = {{0, 0, 0, 0.02, -0.01, 0.015}, {0, 0, 0, 0.7, -0.4, 2.2},
                             {0, 0, 0, 2.5, 1.2, -2.9},     {0, 0, 0, 3.12, 3.13, -3.126},
                             {0, 0, 0, 1.1, kPi / 2, 0.3},  {0, 0, 0, 0.3, -kPi / 2, -1}};
  for (const Pose& p : random_poses(21, 20)) poses.push_back(p);
  return poses;
}

double& angle(Pose& pose, int i) { return i == 0 ? pose.roll : i == 1 ? pose.pitch : pose.yaw; }

Pose turned(Pose pose, int i, double by) {
  angle(pose, i) += by;
  return pose;
}

Vector3d rotated(const Pose& pose) {
  const Vec3<double> y = rotation_of(pose) * Vec3<double>{kPoint.x(), kPoint.y(), kPoint.z()};
  return {y.x, y.y, y.z};
}

/// Fourth-order central difference of a vector function at 0.
Vector3d difference(const std::function<Vector3d(double)>& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

Vector3d first_from_table(const AngleTables& tables, int i) {
  const Eigen::Matrix<double, 8, 1> j = tables.first * kPoint;
  if (i == 0) return {0, j(0), j(1)};
  return i == 1 ? Vector3d(j(2), j(3), j(4)) : Vector3d(j(5), j(6), j(7));
}

Vector3d second_from_table(const AngleTables& tables, int i, int j) {
  const Eigen::Matrix<double, 15, 1> h = tables.second * kPoint;
  static constexpr int kFirstRow[3][3] = {{0, 2, 4}, {2, 6, 9}, {4, 9, 12}};
  const int row = kFirstRow[i][j];
  if (std::min(i, j) == 0) return {0, h(row), h(row + 1)};  // roll moves no x
  return {h(row), h(row + 1), h(row + 2)};
}

// h = 1e-3: h⁴/30 of a fifth derivative of up to |x| = 8 is 3e-13, rounding of 8 m by 1e-16 over h is 1e-12.
constexpr double kStep = 1e-3, kTolerance = 2e-11;

TEST(AngleTables, FirstDerivativesMatchCentralDifferencesOfTheRotation) {
  for (const Pose& pose : probes()) {
    const AngleTables tables(pose);
    for (int i = 0; i < 3; ++i) {
      const Vector3d expected = difference([&](double h) { return rotated(turned(pose, i, h)); }, kStep);
      EXPECT_LT((first_from_table(tables, i) - expected).norm(), kTolerance) << kNames[i] << " at " << pose;
    }
  }
}

TEST(AngleTables, SecondDerivativesMatchCentralDifferencesOfTheFirstForAllSixPairs) {
  for (const Pose& pose : probes()) {
    const AngleTables tables(pose);
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) {
        const Vector3d expected =
            difference([&](double h) { return first_from_table(AngleTables(turned(pose, j, h)), i); }, kStep);
        EXPECT_LT((second_from_table(tables, i, j) - expected).norm(), kTolerance)
            << kNames[i] << "-" << kNames[j] << " at " << pose;
      }
  }
}

TEST(AngleTables, AutowareTo1_9HasThePlusSignThereAndNothingElseOfItsOwn) {
  const Pose pose{0, 0, 0, 0.4, 0.3, -0.2};
  AngleTables released(pose, HessianForm::autoware_1_9);
  const AngleTables exact(pose);
  EXPECT_DOUBLE_EQ(released.second(6, 2), std::sin(0.3));
  released.second(6, 2) = exact.second(6, 2);
  EXPECT_EQ(released.second, exact.second);
  EXPECT_EQ(released.first, exact.first);
}

bool same(const AngleTables& a, const AngleTables& b) { return a.first == b.first && a.second == b.second; }

TEST(AngleTables, AnglesBelowATenthOfAMilliradianCountAsZeroEachByItself) {
  const Pose base{0, 0, 0, 0.3, -0.2, 0.5};
  for (int i = 0; i < 3; ++i) {
    Pose zero = base;
    angle(zero, i) = 0;
    for (const double small : {9.999e-5, -9.999e-5, 1e-12}) {
      Pose tiny = base;
      angle(tiny, i) = small;
      EXPECT_TRUE(same(AngleTables(tiny), AngleTables(zero))) << kNames[i] << " = " << small;
    }
    for (const double large : {1.001e-4, -1.001e-4}) {
      Pose not_tiny = base;
      angle(not_tiny, i) = large;
      EXPECT_FALSE(same(AngleTables(not_tiny), AngleTables(zero))) << kNames[i] << " = " << large;
    }
  }
}

TEST(AngleTables, AnglesNearPiAreNotSnapped) {
  EXPECT_FALSE(same(AngleTables({0, 0, 0, kPi - 1e-5, 0.2, 0.1}), AngleTables({0, 0, 0, kPi, 0.2, 0.1})));
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
