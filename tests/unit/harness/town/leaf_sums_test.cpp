#include "town/leaf_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/random.hpp"
#include "ndt/align/voxel_grid.hpp"

namespace ndt::harness::town {
namespace {

/// In a box of 12 x 12 x 4 m about the origin, none on a border between cubes.
std::vector<Millimetres> random_points(std::uint64_t seed, int count) {
  IntegerRandom random(seed);
  const auto coordinate = [&random](std::int64_t half_cubes) {
    const std::int64_t cube = random.below(2 * half_cubes) - half_cubes;
    return static_cast<std::int32_t>(200 * cube + 1 + random.below(199));
  };
  std::vector<Millimetres> points;
  for (int k = 0; k < count; ++k) {
    const std::int32_t x = coordinate(30), y = coordinate(30), z = coordinate(10);
    points.push_back({x, y, z});
  }
  return points;
}

std::vector<Millimetres> centroids_of(const std::vector<std::vector<Millimetres>>& parts) {
  LeafSums sums;
  for (const auto& part : parts) sums.add(leaf_run(part));
  return sums.take_centroids();
}

bool same(const std::vector<Millimetres>& a, const std::vector<Millimetres>& b) {
  return std::ranges::equal(a, b, [](const Millimetres& p, const Millimetres& q) {
    return std::tie(p.x, p.y, p.z) == std::tie(q.x, q.y, q.z);
  });
}

TEST(TownLeafSums, AreTheCentroidsOfTheVoxelGridFilterToAMillimetre) {
  const std::vector<Millimetres> points = random_points(1, 20000);
  PointCloud cloud;
  for (const Millimetres& p : points) cloud.points.push_back(cast<float>(in_metres(p)));
  VoxelGrid().thin(cloud, 0.2);
  const std::vector<Point>& expected = cloud.points;
  const std::vector<Millimetres> got = centroids_of({points});
  ASSERT_EQ(got.size(), expected.size());
  ASSERT_GT(got.size(), 5000u);
  ASSERT_LT(got.size(), points.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    const Vec3<double> p = in_metres(got[k]);
    ASSERT_NEAR(p.x, expected[k].x, 0.0005 + 1e-5) << k;
    ASSERT_NEAR(p.y, expected[k].y, 0.0005 + 1e-5) << k;
    ASSERT_NEAR(p.z, expected[k].z, 0.0005 + 1e-5) << k;
  }
}

TEST(TownLeafSums, DoNotDependOnTheOrderNorOnTheParts) {
  std::vector<std::vector<Millimetres>> parts;
  std::vector<Millimetres> all;
  for (int k = 0; k < 30; ++k) {
    parts.push_back(random_points(static_cast<std::uint64_t>(k), 100 + 150 * (k % 4)));
    all.insert(all.end(), parts.back().begin(), parts.back().end());
  }
  const std::vector<Millimetres> expected = centroids_of({all});
  EXPECT_TRUE(same(centroids_of(parts), expected));
  std::ranges::reverse(parts);
  EXPECT_TRUE(same(centroids_of(parts), expected));
  std::ranges::reverse(all);
  EXPECT_TRUE(same(centroids_of({all}), expected));
  EXPECT_TRUE(centroids_of({}).empty());
}

TEST(TownLeafSums, CubesReachToTheLeftOfTheOriginAsToTheRight) {
  EXPECT_TRUE(same(centroids_of({{{0, 0, 0}, {199, 0, 0}}}), {{100, 0, 0}})) << "99.5 is rounded up";
  EXPECT_TRUE(same(centroids_of({{{-1, -1, -1}, {-200, -200, -200}}}), {{-100, -100, -100}}));
  EXPECT_TRUE(same(centroids_of({{{-201, 0, 0}, {-200, 0, 0}, {-1, 0, 0}, {0, 0, 0}}}),
                   {{-201, 0, 0}, {-100, 0, 0}, {0, 0, 0}}));
}

}  // namespace
}  // namespace ndt::harness::town
