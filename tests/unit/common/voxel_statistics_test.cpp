// One voxel's Gaussian from its points, against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

constexpr double kRounding = 1e-13;  // sums of a few numbers below 100
constexpr double kIdentity = 1, kZero = 0;

VoxelSums sums_of(const std::vector<Vec3<float>>& points, const Vec3<double>& reference) {
  VoxelSums sums;
  for (const Vec3<float>& p : points) add_point(sums, p, reference);
  return sums;
}

VoxelStatistics statistics_of(const std::vector<Vec3<float>>& points, double start, double ratio = 0.01,
                              const Vec3<double>& reference = {1, 1, 1}) {
  VoxelStatistics out;
  EXPECT_TRUE(finish(sums_of(points, reference), reference, start, ratio, out));
  return out;
}

void expect_near(const Sym3<double>& a, const Sym3<double>& b, double tolerance, const char* name) {
  EXPECT_NEAR(a.xx, b.xx, tolerance) << name;
  EXPECT_NEAR(a.xy, b.xy, tolerance) << name;
  EXPECT_NEAR(a.xz, b.xz, tolerance) << name;
  EXPECT_NEAR(a.yy, b.yy, tolerance) << name;
  EXPECT_NEAR(a.yz, b.yz, tolerance) << name;
  EXPECT_NEAR(a.zz, b.zz, tolerance) << name;
}

void expect_inverse(const VoxelStatistics& s, const char* name) {
  // The inverse of a matrix with a condition number of at most 1/ratio = 100.
  constexpr double kInverseRounding = 1e-12;
  const Mat3<double> product = full(s.inverse_covariance) * full(s.covariance);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(product(i, j), i == j ? 1 : 0, kInverseRounding) << name << " at " << i << ", " << j;
}

/// Two points on each axis about (1, 1, 1): sums of squares 2·0.5², 2·0.25², 2·0.75².
const std::vector<Vec3<float>> kCross = {{1.5F, 1, 1},  {0.5F, 1, 1},  {1, 1.25F, 1},
                                         {1, 0.75F, 1}, {1, 1, 1.75F}, {1, 1, 0.25F}};
/// Line y = 2x at z = 1, x = 0 … 5: squares 17.5, products 35, y squares 70.
const std::vector<Vec3<float>> kLine = {{0, 0, 1}, {1, 2, 1}, {2, 4, 1}, {3, 6, 1}, {4, 8, 1}, {5, 10, 1}};
/// Rectangle at z = 1: x squares 6, y squares 6·0.25.
const std::vector<Vec3<float>> kPlane = {{0, 0.5F, 1}, {2, 0.5F, 1}, {0, 1.5F, 1},
                                         {2, 1.5F, 1}, {0, 0.5F, 1}, {2, 1.5F, 1}};

TEST(VoxelStatistics, SixPointsFromZeroGiveTheSampleCovariance) {
  const VoxelStatistics s = statistics_of(kCross, kZero);
  EXPECT_EQ(s.n, 6);
  EXPECT_NEAR(s.mean.x, 1, kRounding);
  EXPECT_NEAR(s.mean.y, 1, kRounding);
  EXPECT_NEAR(s.mean.z, 1, kRounding);
  expect_near(s.covariance, {0.1, 0, 0, 0.025, 0, 0.225}, kRounding, "covariance");
  expect_near(s.inverse_covariance, {10, 0, 0, 40, 0, 1 / 0.225}, 1e-11, "inverse");
}

TEST(VoxelStatistics, SixPointsFromIdentityGiveAFifthOfASquareMetreMore) {
  const VoxelStatistics s = statistics_of(kCross, kIdentity);
  expect_near(s.covariance, {0.3, 0, 0, 0.225, 0, 0.425}, kRounding, "covariance");
  expect_inverse(s, "cross from identity");
}

TEST(VoxelStatistics, CorrelatedPointsHaveTheirProductsOffTheDiagonal) {
  const VoxelStatistics s = statistics_of(kLine, kIdentity, 0);
  expect_near(s.covariance, {18.5 / 5, 35.0 / 5, 0, 71.0 / 5, 0, 1.0 / 5}, 1e-12, "covariance");
  expect_inverse(s, "line from identity");
}

TEST(VoxelStatistics, DoNotDependOnTheReferenceOfTheSums) {
  const VoxelStatistics near = statistics_of(kLine, kIdentity, 0.01, {2, 5, 1});
  const VoxelStatistics far = statistics_of(kLine, kIdentity, 0.01, {-20, 40, 7});
  expect_near(near.covariance, far.covariance, 1e-11, "covariance");
  EXPECT_NEAR(near.mean.y, far.mean.y, kRounding);
}

TEST(VoxelStatistics, TheCentroidIsTheFloatMeanInCloudOrder) {
  std::mt19937 random(15);
  std::uniform_real_distribution<float> value(100, 102);
  std::vector<Vec3<float>> points;
  for (int i = 0; i < 1000; ++i) points.push_back({value(random), value(random), value(random)});
  float sum = 0;
  for (const Vec3<float>& p : points) sum += p.x;
  const VoxelStatistics s = statistics_of(points, kIdentity, 0.01, {101, 101, 101});
  EXPECT_EQ(s.centroid.x, sum / 1000.0F);
  EXPECT_NE(static_cast<double>(s.centroid.x), s.mean.x) << "the float sum of 1000 such points is not exact";
}

TEST(VoxelStatistics, ALineHasBothSmallEigenvaluesRaised) {
  const VoxelStatistics s = statistics_of(kLine, kZero);
  // Eigenvalue 17.5 along (1, 2, 0)/√5, and 0.175 across.
  const double across = 0.175, along = 17.5 - across;
  expect_near(s.covariance, {across + along / 5, along * 2 / 5, 0, across + along * 4 / 5, 0, across}, 1e-12,
              "line");
  expect_inverse(s, "line");
}

TEST(VoxelStatistics, APlaneHasOnlyItsNormalRaised) {
  const VoxelStatistics s = statistics_of(kPlane, kZero, 0.01);
  const double xx = 6.0 / 5, yy = 1.5 / 5, xy = 1.0 / 5;  // the two doubled corners add 2·(1·0.5)
  const double largest = (xx + yy) / 2 + std::sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
  expect_near(s.covariance, {xx, xy, 0, yy, 0, 0.01 * largest}, 1e-13, "plane");
  expect_inverse(s, "plane");
}

TEST(VoxelStatistics, TheMiddleEigenvalueIsRaisedOnlyBelowTheFloorToo) {
  struct Case {
    const char* name;
    Sym3<double> covariance, floored;
  };
  const Case cases[] = {{"smallest low", {10, 0, 0, 5, 0, 0.01}, {10, 0, 0, 5, 0, 0.1}},
                        {"two low", {10, 0, 0, 0.02, 0, 0.01}, {10, 0, 0, 0.1, 0, 0.1}},
                        {"none low", {10, 0, 0, 0.2, 0, 0.15}, {10, 0, 0, 0.2, 0, 0.15}},
                        {"exactly at the floor", {100, 0, 0, 1, 0, 1}, {100, 0, 0, 1, 0, 1}},
                        {"smallest slightly negative", {10, 0, 0, 5, 0, -1e-15}, {10, 0, 0, 5, 0, 0.1}}};
  for (const Case& c : cases) {
    Sym3<double> covariance = c.covariance, inverse;
    ASSERT_TRUE(floor_and_invert(0.01, eigen_of(covariance), covariance, inverse)) << c.name;
    expect_near(covariance, c.floored, 1e-13, c.name);
    EXPECT_NEAR(inverse.xx, 1 / c.floored.xx, 1e-12) << c.name;
    EXPECT_NEAR(inverse.yy, 1 / c.floored.yy, 1e-12) << c.name;
    EXPECT_NEAR(inverse.zz, 1 / c.floored.zz, 1e-12) << c.name;
  }
}

TEST(VoxelStatistics, DuplicatePointsAreAGaussianOnlyWithTheIdentityStart) {
  const std::vector<Vec3<float>> same(6, {1.5F, 0.5F, 1});
  const VoxelStatistics s = statistics_of(same, kIdentity);
  expect_near(s.covariance, {0.2, 0, 0, 0.2, 0, 0.2}, kRounding, "identity start");
  expect_near(s.inverse_covariance, {5, 0, 0, 5, 0, 5}, 1e-12, "identity start");
  VoxelStatistics none;
  EXPECT_FALSE(finish(sums_of(same, {1, 1, 1}), {1, 1, 1}, kZero, 0.01, none));
}

TEST(VoxelStatistics, APlaneWithoutAFloorHasNoInverse) {
  VoxelStatistics none;
  EXPECT_FALSE(finish(sums_of(kPlane, {1, 1, 1}), {1, 1, 1}, kZero, 0, none));
}

TEST(VoxelStatistics, TheInverseTimesTheCovarianceIsOneForRandomVoxels) {
  std::mt19937 random(16);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 200; ++i) {
    std::vector<Vec3<float>> points;
    const float flat = 0.001F * static_cast<float>(i);
    for (int k = 0; k < 6 + i; ++k) {
      const float a = normal(random), b = normal(random);
      points.push_back({1 + a + b, 1 + a - 0.5F * b, 1 + flat * normal(random)});
    }
    expect_inverse(statistics_of(points, i % 2 == 0 ? kIdentity : kZero),
                   ("random " + std::to_string(i)).c_str());
  }
}

TEST(VoxelStatistics, TheKernelsVoxelKeepsTheMeanAsAnOffsetFromTheCentroid) {
  VoxelStatistics s;
  s.centroid = {1000.5F, 2, 3};
  s.mean = {1000.5 + 1e-5, 2 - 1e-6, 3};
  s.inverse_covariance = {1, 2, 3, 4, 5, 6};
  const Voxel v = to_voxel(s);
  EXPECT_EQ(v.centroid.x, 1000.5F);
  EXPECT_NEAR(v.mean_offset.x, 1e-5,
              1e-12);  // 1000.5 + 1e-5 itself is rounded to 1e-13 in double, to 6e-5 in float
  EXPECT_NEAR(v.mean_offset.y, -1e-6, 1e-12);
  EXPECT_EQ(v.inverse_covariance.yz, 5.0F);
}

}  // namespace
}  // namespace ndt
