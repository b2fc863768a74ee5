#include "voxel_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <random>

#include "at_resolution.hpp"
#include "data/courtyard.hpp"
#include "golden.hpp"
#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "voxel_tables.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

using Key = std::array<std::int64_t, 3>;
using Points = std::vector<Point>;

constexpr double kRounding = 1e-12;  // float64 sums of a few squares below 100

Key key_of(const Leaf& leaf) { return {leaf.key[0], leaf.key[1], leaf.key[2]}; }

/// Two points on each axis about a centre: sums of squares 2·0.5², 2·0.25², 2·0.75².
Points cross_at(float x, float y, float z) {
  return {{x + 0.5F, y, z},  {x - 0.5F, y, z},  {x, y + 0.25F, z},
          {x, y - 0.25F, z}, {x, y, z + 0.75F}, {x, y, z - 0.75F}};
}

void append(Points& to, const Points& more) { to.insert(to.end(), more.begin(), more.end()); }

TEST(VoxelGrid, TheSecondMomentStartsAtIdentity) {
  const VoxelGrid grid(cross_at(1, 1, 1), at_resolution(2));
  ASSERT_EQ(grid.leaves().size(), 1U);
  const Leaf& leaf = grid.leaves()[0];
  const Eigen::Matrix3d expected = Eigen::Vector3d(1.5 / 5, 1.125 / 5, 2.125 / 5).asDiagonal();
  EXPECT_LT((leaf.covariance - expected).norm(), kRounding) << leaf.covariance;
  EXPECT_EQ(leaf.mean, Eigen::Vector3d(1, 1, 1));
  EXPECT_EQ(leaf.points, 6);
}

TEST(VoxelGrid, TheInverseTimesTheCovarianceIsOne) {
  std::mt19937 random(22);
  std::uniform_real_distribution<float> value(0.01F, 1.99F);
  for (int i = 0; i < 100; ++i) {
    Points points;
    for (int k = 0; k < 6 + i; ++k) points.push_back({value(random), value(random), 0.01F * value(random)});
    const VoxelGrid grid(points, at_resolution(2));
    const Leaf& leaf = grid.leaves().at(0);
    // Condition number at most 100.
    EXPECT_LT((leaf.inverse_covariance_transposed.transpose() * leaf.covariance - Eigen::Matrix3d::Identity())
                  .norm(),
              1e-12)
        << i;
  }
}

TEST(VoxelGrid, TheCentroidIsAFloatSumInCloudOrder) {
  std::mt19937 random(23);
  std::uniform_real_distribution<float> value(100.01F, 101.99F);
  Points points;
  for (int i = 0; i < 500; ++i) points.push_back({value(random), value(random), value(random)});
  const auto centroid_x = [](const Points& order) {
    float sum = 0;
    for (const Point& p : order) sum += p.x;
    return sum / static_cast<float>(order.size());
  };
  Points reversed(points.rbegin(), points.rend());
  ASSERT_NE(centroid_x(points), centroid_x(reversed)) << "the order must matter for this test";
  EXPECT_EQ(VoxelGrid(points, at_resolution(2)).leaves().at(0).centroid(0), centroid_x(points));
  EXPECT_EQ(VoxelGrid(reversed, at_resolution(2)).leaves().at(0).centroid(0), centroid_x(reversed));
}

TEST(VoxelGrid, LeavesComeWithXFastestAndZSlowest) {
  Points points;
  for (const float z : {3.0F, 1.0F, -1.0F})
    for (const float y : {-1.0F, 3.0F, 1.0F})
      for (const float x : {1.0F, -1.0F, 3.0F}) append(points, cross_at(x, y, z));
  const VoxelGrid grid(points, at_resolution(2));
  std::vector<Key> expected;
  for (std::int64_t z = -1; z <= 1; ++z)
    for (std::int64_t y = -1; y <= 1; ++y)
      for (std::int64_t x = -1; x <= 1; ++x) expected.push_back({x, y, z});
  std::vector<Key> got;
  for (const Leaf& leaf : grid.leaves()) got.push_back(key_of(leaf));
  EXPECT_EQ(got, expected);
}

TEST(VoxelGrid, ThePointOnABoundaryBelongsToTheUpperVoxel) {
  Points points;
  for (int i = 0; i < 6; ++i) {
    points.push_back({2, 1, 1});
    points.push_back({std::nextafter(2.0F, 0.0F), 1, -1e-30F});
  }
  const VoxelGrid grid(points, at_resolution(2));
  ASSERT_EQ(grid.leaves().size(), 2U);
  EXPECT_EQ(key_of(grid.leaves()[0]), (Key{0, 0, -1}));
  EXPECT_EQ(key_of(grid.leaves()[1]), (Key{1, 0, 0}));
}

TEST(VoxelGrid, FivePointsAreNoLeafSixAre) {
  Points points = cross_at(1, 1, 1);
  append(points, cross_at(5, 1, 1));
  points.pop_back();
  const VoxelGrid grid(points, at_resolution(2));
  ASSERT_EQ(grid.leaves().size(), 1U);
  EXPECT_EQ(key_of(grid.leaves()[0]), (Key{0, 0, 0}));
  EXPECT_EQ(grid.occupied_voxels(), 2);
  AlignOptions five = at_resolution(2);
  five.min_points = 5;
  EXPECT_EQ(VoxelGrid(points, five).leaves().size(), 2U);
}

TEST(VoxelGrid, NothingAndTooLittleHaveNoLeaves) {
  EXPECT_TRUE(VoxelGrid({}, at_resolution(2)).leaves().empty());
  EXPECT_EQ(VoxelGrid({}, at_resolution(2)).occupied_voxels(), 0);
  EXPECT_TRUE(VoxelGrid({{1, 1, 1}}, at_resolution(2)).leaves().empty());
}

Eigen::Vector3d eigenvalues(const Eigen::Matrix3d& m) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m).eigenvalues();
}

/// n points spread evenly along a segment of the given half lengths, so that identity/(n-1) is small.
Points spread(int n, float half_x, float half_y) {
  Points points;
  for (int i = 0; i < n; ++i) {
    const float s = 2 * static_cast<float>(i) / static_cast<float>(n - 1) - 1;
    const float t = i % 2 == 0 ? 1.0F : -1.0F;
    points.push_back({10 + half_x * s, 10 + half_y * t, 10});
  }
  return points;
}

TEST(VoxelGrid, ALineOfManyPointsHasBothSmallEigenvaluesRaisedToAHundredth) {
  const VoxelGrid grid(spread(2001, 9, 0), at_resolution(20));
  const Eigen::Vector3d values = eigenvalues(grid.leaves().at(0).covariance);
  EXPECT_NEAR(values(0), 0.01 * values(2), kRounding);
  EXPECT_NEAR(values(1), 0.01 * values(2), kRounding);
}

TEST(VoxelGrid, APlaneOfManyPointsHasOnlyItsNormalRaised) {
  const VoxelGrid grid(spread(2001, 9, 3), at_resolution(20));
  const Eigen::Vector3d values = eigenvalues(grid.leaves().at(0).covariance);
  EXPECT_NEAR(values(0), 0.01 * values(2), kRounding);
  EXPECT_NEAR(values(1), 9, 0.02) << "the spread across, ±3 m";
}

TEST(VoxelGrid, AboveTheFloorNothingIsTouched) {
  // Six duplicates: exactly I/5.
  const VoxelGrid grid(Points(6, {1, 1, 1}), at_resolution(2));
  EXPECT_EQ(grid.leaves().at(0).covariance, Eigen::Matrix3d(Eigen::Matrix3d::Identity() / 5));
}

TEST(GoldenVoxels, EqualTheReferencesTableOfTheCourtyard) {
  // Both in float64 in the same order: only Eigen's solver and inverse may be compiled differently.
  constexpr TableTolerances kTolerances{
      .centroid = 1e-8, .mean = 1e-12, .covariance = 4e-12, .inverse = 4e-12};
  const auto oracle = make_aligner(implementations(), "cpu_pclomp_ref");
  const MapInfo info = oracle->set_map(harness::courtyard_map());
  const std::vector<VoxelInfo> expected = golden::voxel_table("courtyard_voxels_2m.csv"),
                               got = oracle->voxels();
  ASSERT_EQ(expected.size(), 1200U);
  EXPECT_EQ(info.voxels, 1200);
  expect_same_tables(got, expected, kTolerances);
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    const Vec3<double>&a = got[i].centroid,
          &b = expected[i].centroid;  // nine digits are enough to be the same float
    EXPECT_EQ(a.x, static_cast<double>(static_cast<float>(b.x))) << "row " << i;
    EXPECT_EQ(a.y, static_cast<double>(static_cast<float>(b.y))) << "row " << i;
    EXPECT_EQ(a.z, static_cast<double>(static_cast<float>(b.z))) << "row " << i;
  }
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
