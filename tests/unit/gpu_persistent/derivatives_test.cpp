// The shared core's gradient and Hessian against central differences of its own templates in double,
// neighbours frozen.
#include "ndt/score/derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ndt/score/derivative_sums.hpp"
#include "random_poses.hpp"

namespace ndt {
namespace {

constexpr double kStep = 1e-6;
// Truncation is below h² ~ 1e-12 and rounding about 1e-16 / 1e-6 of the score; both far below this share of
// the norm.
constexpr double kRelative = 1e-6;

/// Points with fixed neighbours whose means lie well off the moved points, so that the second-order term
/// matters.
struct FrozenScene {
  struct Pair {
    std::size_t point;
    VoxelOf<double> voxel;
  };
  std::vector<Vec3<double>> points;
  std::vector<Pair> pairs;
  Gauss<double> gauss = make_gauss(0.55, 2.0);

  explicit FrozenScene(const Pose& base, unsigned seed = 3) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    const Mat3<double> r = rotation_of(base);
    for (std::size_t i = 0; i < 40; ++i) {
      points.push_back({20 * unit(random), 20 * unit(random), 5 * unit(random)});
      const Vec3<double> p = r * points.back() + Vec3<double>{base.x, base.y, base.z};
      for (int k = 0; k < 3; ++k) pairs.push_back({i, random_voxel(p, random)});
    }
  }

  static VoxelOf<double> random_voxel(const Vec3<double>& near, std::mt19937& random) {
    std::uniform_real_distribution<double> unit(-1, 1);
    VoxelOf<double> v;
    v.centroid = near + Vec3<double>{unit(random), unit(random), unit(random)};
    v.mean_offset = {0.3 * unit(random), 0.3 * unit(random), 0.3 * unit(random)};
    double a[3][3];
    for (auto& row : a)
      for (double& x : row) x = unit(random);
    const auto gram = [&](int i, int j) {
      return a[0][i] * a[0][j] + a[1][i] * a[1][j] + a[2][i] * a[2][j] + (i == j ? 0.5 : 0.0);
    };
    v.inverse_covariance = {gram(0, 0), gram(0, 1), gram(0, 2), gram(1, 1), gram(1, 2), gram(2, 2)};
    return v;
  }

  DerivativeSums<double> sums_at(const Pose& pose) const {
    const Mat3<double> r = rotation_of(pose);
    DerivativeSums<double> sums;
    for (const Pair& pair : pairs) {
      const Vec3<double> y = r * points[pair.point];
      PointSums<double> one;
      add_pair(gauss, y + Vec3<double>{pose.x, pose.y, pose.z} - pair.voxel.centroid, pair.voxel, true, one);
      add_point(one, y, sums);
    }
    sums.pairs = static_cast<std::int64_t>(pairs.size());
    return sums;
  }
  Derivatives at(const Pose& pose) const { return derivatives_of(sums_at(pose), pose); }
};

Pose nudged(Pose p, int axis, double by) {
  double* const value[6] = {&p.x, &p.y, &p.z, &p.roll, &p.pitch, &p.yaw};
  *value[axis] += by;
  return p;
}

double norm(const Vec6& v) { return std::sqrt(dot(v, v)); }

class SharedCoreDerivatives : public testing::TestWithParam<Pose> {};

TEST_P(SharedCoreDerivatives, GradientMatchesCentralDifferencesOfTheScore) {
  const Pose base = GetParam();
  const FrozenScene scene(base);
  const Vec6 gradient = scene.at(base).gradient;
  for (int i = 0; i < 6; ++i) {
    const double difference =
        (scene.at(nudged(base, i, kStep)).score - scene.at(nudged(base, i, -kStep)).score) / (2 * kStep);
    EXPECT_NEAR(gradient[i], difference, kRelative * norm(gradient)) << "component " << i;
  }
}

TEST_P(SharedCoreDerivatives, HessianMatchesCentralDifferencesOfTheGradientForAllPairs) {
  const Pose base = GetParam();
  const FrozenScene scene(base);
  const Mat6 hessian = scene.at(base).hessian;
  double largest = 0;
  for (const double h : hessian.m) largest = std::fmax(largest, std::fabs(h));
  for (int j = 0; j < 6; ++j) {
    const Vec6 ahead = scene.at(nudged(base, j, kStep)).gradient,
               behind = scene.at(nudged(base, j, -kStep)).gradient;
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(hessian(i, j), (ahead[i] - behind[i]) / (2 * kStep), kRelative * largest)
          << "pair " << i << ", " << j;
  }
}

TEST_P(SharedCoreDerivatives, TheSecondOrderTermIsLargeEnoughToBeTested) {
  // Clearing Σ v yᵀ removes exactly the ∂²R term (and the angular gradient); it must dwarf the tolerance
  // above.
  const Pose base = GetParam();
  const FrozenScene scene(base);
  DerivativeSums<double> sums = scene.sums_at(base);
  const Mat6 with = derivatives_of(sums, base).hessian;
  sums.vy = {};
  const Mat6 without = derivatives_of(sums, base).hessian;
  double largest = 0;
  for (const double h : with.m) largest = std::fmax(largest, std::fabs(h));
  for (int i = 3; i < 6; ++i)
    for (int j = i; j < 6; ++j)
      EXPECT_GT(std::fabs(with(i, j) - without(i, j)), 50 * kRelative * largest) << "pair " << i << ", " << j;
}

TEST_P(SharedCoreDerivatives, AutowareTo1_9DiffersInPitchPitchByTwiceTheTermOfTheScansZ) {
  const Pose base = GetParam();
  const FrozenScene scene(base);
  const SinCos angles = sin_cos_of(base);
  const Derivatives exact = scene.at(base);
  Derivatives released = exact;
  turn_sign_of_autoware_1_9(scene.sums_at(base), angles, released);
  double expected = 0;
  for (const Vec3<double>& x : scene.points) {
    // A point's share of Σ v is what the gradient loses without it.
    FrozenScene alone = scene;
    std::erase_if(alone.pairs, [&](const auto& pair) { return &scene.points[pair.point] != &x; });
    expected += 2 * angles.sine[1] * alone.at(base).gradient[0] * x.z;
  }
  EXPECT_NEAR(released.hessian(4, 4) - exact.hessian(4, 4), expected, 1e-9 * std::fabs(expected) + 1e-12);
  released.hessian(4, 4) = exact.hessian(4, 4);
  for (int k = 0; k < 36; ++k) EXPECT_EQ(released.hessian.m[k], exact.hessian.m[k]) << k;
}

INSTANTIATE_TEST_SUITE_P(Poses, SharedCoreDerivatives,
                         testing::Values(Pose{}, Pose{1, -2, 0.5, 0.3, -0.4, 0.7},
                                         Pose{0, 0, 0, 3.1, 3.0, -3.1}, Pose{0.2, 0.1, 0, 0.4, kPi / 2, -0.2},
                                         Pose{-1, 2, 3, 1e-5, -1e-5, 2e-5}, Pose{5, 5, 5, 0, 0, kPi}));

TEST(Regularisation, PullsAlongTheHeadingOnly) {
  for (const double yaw : {0.0, 0.5, kPi / 2, -2.0}) {
    Derivatives d;
    d.pairs = 10;
    Pose pose;
    pose.yaw = yaw;
    // A target straight to the side exerts no pull.
    add_regularisation({true, 0.01, -std::sin(yaw) * 3, std::cos(yaw) * 3}, pose, d);
    EXPECT_NEAR(d.gradient[0], 0, 1e-12) << "yaw " << yaw;
    EXPECT_NEAR(d.gradient[1], 0, 1e-12) << "yaw " << yaw;
    // One ahead pulls forward by 2 K times the distance.
    add_regularisation({true, 0.01, std::cos(yaw) * 3, std::sin(yaw) * 3}, pose, d);
    EXPECT_NEAR(d.gradient[0], 2 * 0.01 * 10 * 3 * std::cos(yaw), 1e-12) << "yaw " << yaw;
    EXPECT_NEAR(d.gradient[1], 2 * 0.01 * 10 * 3 * std::sin(yaw), 1e-12) << "yaw " << yaw;
    EXPECT_NEAR(d.score, -0.01 * 10 * 9, 1e-12);
  }
}

TEST(Regularisation, GradientAndHessianInXAndYAreDerivativesOfTheTerm) {
  const Regularisation r{true, 0.01, 1.5, -0.7};
  const Pose base{0.2, 0.3, 0, 0, 0, 0.8};
  const auto at = [&](const Pose& p) {
    Derivatives d;
    d.pairs = 100;
    add_regularisation(r, p, d);
    return d;
  };
  for (int i = 0; i < 2; ++i) {
    const Derivatives ahead = at(nudged(base, i, kStep)), behind = at(nudged(base, i, -kStep));
    EXPECT_NEAR(at(base).gradient[i], (ahead.score - behind.score) / (2 * kStep), 1e-8);
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(at(base).hessian(j, i), (ahead.gradient[j] - behind.gradient[j]) / (2 * kStep), 1e-8);
  }
}

TEST(Regularisation, InactiveChangesNothing) {
  Derivatives d;
  d.pairs = 100;
  d.score = 5;
  add_regularisation({}, Pose{1, 2, 3, 0, 0, 1}, d);
  EXPECT_EQ(d.score, 5);
  EXPECT_EQ(d.gradient[0], 0);
  EXPECT_EQ(d.hessian(0, 0), 0);
}

TEST(Pairs, OutsideTheValidRangeAddNothing) {
  // d2 e > 1 needs a d2 above 1: the reference drops such pairs, with their gradient and Hessian.
  PointSums<double> sums;
  VoxelOf<double> voxel;
  voxel.inverse_covariance = {1, 0, 0, 1, 0, 1};
  add_pair({-1.0, 1.5}, Vec3<double>{0.1, 0, 0}, voxel, true, sums);
  EXPECT_EQ(sums.score, 0);
  EXPECT_EQ(sums.v.x, 0);
  EXPECT_EQ(sums.m.xx, 0);
  add_pair({-1.0, 0.5}, Vec3<double>{0.1, 0, 0}, voxel, true, sums);
  EXPECT_GT(sums.score, 0);
  const double before = sums.score;
  add_pair({-1.0, 0.5}, Vec3<double>{0.1, 0, 0}, voxel, false, sums);
  EXPECT_EQ(sums.score, before) << "an inactive pair added something";
}

}  // namespace
}  // namespace ndt
