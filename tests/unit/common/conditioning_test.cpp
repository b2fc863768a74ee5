#include "ndt/edge/conditioning.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

namespace ndt {
namespace {

constexpr double kRelative = 1e-13;  // one 6x6 eigen-decomposition

Mat6 diagonal(const Vec6& d) {
  Mat6 h;
  for (int i = 0; i < 6; ++i) h(i, i) = -d[i];
  return h;
}

/// Hessian of points that are pulled along the normal of the surface they lie on: -Σ JᵀnnᵀJ, with J = [I |
/// -[x]×].
class SurfaceHessian {
 public:
  void add(const Eigen::Vector3d& x, const Eigen::Vector3d& normal) {
    Eigen::Matrix<double, 6, 1> j;
    j << normal, x.cross(normal);
    h_ -= j * j.transpose();
  }
  Mat6 value() const {
    Mat6 out;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) out(i, j) = h_(i, j);
    return out;
  }

 private:
  Eigen::Matrix<double, 6, 6> h_ = Eigen::Matrix<double, 6, 6>::Zero();
};

TEST(Conditioning, OfADiagonalHessianIsTheRatioOfItsEntries) {
  const Conditioning c = conditioning_of(diagonal({{4, 2, 8, 3, 5, 6}}), 1);
  EXPECT_NEAR(c.condition_number, 4, 4 * kRelative);
  EXPECT_NEAR(std::abs(c.weak_direction[1]), 1, kRelative);
}

TEST(Conditioning, DividesRotationsByTheMeanRange) {
  // At 10 m one radian moves a point 10 m: curvature 100 per rad² is 1 per m².
  const Conditioning c = conditioning_of(diagonal({{2, 2, 2, 100, 400, 800}}), 10);
  EXPECT_NEAR(c.condition_number, 8, 8 * kRelative);
  EXPECT_NEAR(std::abs(c.weak_direction[3]), 1, kRelative);
}

TEST(Conditioning, ScalesTheMixedBlockOnce) {
  Mat6 h = diagonal({{1, 1, 1, 100, 100, 100}});
  h(0, 3) = h(3, 0) = 5;  // scaled: 0.5, eigenvalues 1.5 and 0.5
  EXPECT_NEAR(conditioning_of(h, 10).condition_number, 3, 3 * kRelative);
}

TEST(Conditioning, WithoutARangeTakesRadiansAsTheyAre) {
  EXPECT_NEAR(conditioning_of(diagonal({{1, 1, 1, 1, 1, 9}}), 0).condition_number, 9, 9 * kRelative);
}

TEST(Conditioning, OfAnIndefiniteOrSingularHessianIsInfinite) {
  for (const double lowest : {0.0, -1e-9, -5.0}) {
    const Conditioning c = conditioning_of(diagonal({{1, 2, lowest, 3, 4, 5}}), 10);
    EXPECT_TRUE(std::isinf(c.condition_number)) << lowest;
  }
  EXPECT_TRUE(std::isinf(conditioning_of({}, 10).condition_number));
}

TEST(Conditioning, IsWellPosedUpToAllLimitsAndNotBeforeAllAreKnown) {
  const auto well_posed = [](double hessian, double surfaces, double push_sigmas = kLeastPushSigmas) {
    return Conditioning{hessian, surfaces, push_sigmas, {}}.well_posed();
  };
  const double h = kMaxConditionNumber, s = kMaxSurfaceConditionNumber;
  EXPECT_TRUE(well_posed(0.999 * h, 0.999 * s));
  EXPECT_FALSE(well_posed(1.001 * h, 1));
  EXPECT_FALSE(well_posed(1, 1.001 * s));
  EXPECT_FALSE(well_posed(1, 0)) << "the surfaces were not looked at";
  EXPECT_FALSE(well_posed(0, 1));
  EXPECT_FALSE(well_posed(1, 1, 0.999 * kLeastPushSigmas));
  EXPECT_FALSE(well_posed(1, 1, 0)) << "the pose was not pushed";
}

TEST(Conditioning, TheWeakDirectionIsThatOfTheWorseOfHessianAndSurfaces) {
  const SurfaceConditioning surfaces{0.5 * kMaxSurfaceConditionNumber, {{0, 0, 0, 0, 0, 1}}};
  Conditioning better = conditioning_of(diagonal({{1, 1, 1, 1, 0.4 / kMaxConditionNumber, 1}}), 1);
  add_surfaces(surfaces, better);
  EXPECT_NEAR(std::abs(better.weak_direction[4]), 1, kRelative);
  Conditioning worse = conditioning_of(diagonal({{1, 1, 1, 1, 4 / kMaxConditionNumber, 1}}), 1);
  add_surfaces(surfaces, worse);
  EXPECT_EQ(worse.weak_direction[5], 1);
  EXPECT_EQ(worse.surface_condition_number, 0.5 * kMaxSurfaceConditionNumber);
}

TEST(Conditioning, OfHessianAndSurfacesTogetherIsThatOfOneAfterTheOther) {
  const Mat6 hessian = diagonal({{4, 2, 8, 3000, 5, 6}});
  const Pose pose{1, 2, 3, 0.1, -0.2, 0.3};
  for (const double weakest : {0.3, 1e-6}) {
    SurfaceInformation surfaces;
    for (int i = 0; i < SurfaceInformation::kEntries; ++i) surfaces.entries[i] = 0.01 * i;
    for (const int i : {0, 6, 11, 15, 18}) surfaces.entries[i] = 10 + i;
    surfaces.entries[20] = weakest;
    Conditioning expected = conditioning_of(hessian, 30);
    add_surfaces(surface_conditioning(surfaces, pose), expected);
    const Conditioning got = conditioning_of(hessian, 30, surfaces, pose);
    EXPECT_EQ(got.condition_number, expected.condition_number);
    EXPECT_EQ(got.surface_condition_number, expected.surface_condition_number);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(got.weak_direction[i], expected.weak_direction[i]) << i;
  }
}

TEST(Conditioning, TheWeakDirectionOfACorridorIsAlongIt) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> along(-20, 20), across(-2, 2), up(0, 3);
  const double heading = 0.5;
  const Eigen::Vector3d ahead(std::cos(heading), std::sin(heading), 0),
      left(-std::sin(heading), std::cos(heading), 0);
  const Eigen::Vector3d vertical(0, 0, 1);
  SurfaceHessian corridor;
  for (int i = 0; i < 300; ++i) {
    const double side = i % 2 == 0 ? 2 : -2;
    corridor.add(along(random) * ahead + side * left + up(random) * vertical, left);
    corridor.add(along(random) * ahead + across(random) * left, vertical);
  }
  const Conditioning c = conditioning_of(corridor.value(), 10);
  EXPECT_GT(c.condition_number, kMaxConditionNumber);
  const double cosine = c.weak_direction[0] * ahead.x() + c.weak_direction[1] * ahead.y();
  EXPECT_NEAR(std::abs(cosine), 1, 1e-9)
      << "weak direction " << c.weak_direction[0] << ", " << c.weak_direction[1];

  // A wall across the corridor's end fixes it.
  for (int i = 0; i < 100; ++i)
    corridor.add(20 * ahead + across(random) * left + up(random) * vertical, ahead);
  EXPECT_LT(conditioning_of(corridor.value(), 10).condition_number, kMaxConditionNumber);
}

}  // namespace
}  // namespace ndt
