#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/io_names.hpp"
#include "data/courtyard.hpp"
#include "ndt/align/voxel_grid.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::harness {
namespace {

using Leaf = std::array<double, 3>;  // z, y, x: the order of the output

Leaf leaf_of(const Vec3<double>& origin, const Point& p, double leaf_m) {
  const double x = origin.x + double{p.x}, y = origin.y + double{p.y}, z = origin.z + double{p.z};
  return {std::floor(z / leaf_m), std::floor(y / leaf_m), std::floor(x / leaf_m)};
}

std::map<Leaf, std::vector<Point>> leaves(const PointCloud& cloud, double leaf_m) {
  std::map<Leaf, std::vector<Point>> found;
  for (const Point& p : cloud.points) found[leaf_of(cloud.origin, p, leaf_m)].push_back(p);
  return found;
}

float mean(const std::vector<Point>& points, float Point::*axis) {
  double sum = 0;
  for (const Point& p : points) sum += p.*axis;
  return static_cast<float>(sum / static_cast<double>(points.size()));
}

std::vector<Point> leaf_centroids(PointCloud cloud, double leaf_m) {
  VoxelGrid().thin(cloud, leaf_m);
  return cloud.points;
}

/// Brute force, by its definition.
void expect_centroids_of_leaves(const PointCloud& cloud, double leaf_m) {
  const std::vector<Point> got = leaf_centroids(cloud, leaf_m);
  const auto expected = leaves(cloud, leaf_m);
  ASSERT_EQ(got.size(), expected.size()) << leaf_m << " m";
  auto centroid = got.begin();
  for (const auto& [leaf, points] : expected) {
    EXPECT_EQ(centroid->x, mean(points, &Point::x));
    EXPECT_EQ(centroid->y, mean(points, &Point::y));
    EXPECT_EQ(centroid->z, mean(points, &Point::z));
    EXPECT_EQ(leaf_of(cloud.origin, *centroid, leaf_m), leaf) << "outside its leaf";
    ++centroid;
  }
}

TEST(VoxelGridFilter, GivesTheCentroidOfEveryOccupiedLeafInLeafOrder) {
  const PointCloud courtyard = make_courtyard({.seed = 3, .points = 5000});
  for (const double leaf_m : {0.1, 0.25, 1.0, 3.7, 1000.0}) expect_centroids_of_leaves(courtyard, leaf_m);
}

TEST(VoxelGridFilter, PointsAtTheEdgesOfLeavesAreOnTheSideThatTheDivisionSays) {
  for (const double leaf_m : {0.1, 0.3, 1.0, 2.5}) {
    PointCloud cloud;
    for (int k = -300; k < 300; ++k) {
      const auto edge = static_cast<float>(k * leaf_m);
      const float below = std::nextafter(edge, -INFINITY), above = std::nextafter(edge, INFINITY);
      for (const Point& p : {Point{edge, below, above}, Point{below, above, edge}, Point{above, edge, below}})
        cloud.points.push_back(p);
    }
    expect_centroids_of_leaves(cloud, leaf_m);
    cloud.points.push_back({-1e5F, 1e5F, 0});
    expect_centroids_of_leaves(cloud, leaf_m);
    cloud.origin = {leaf_m, 0, -7 * leaf_m};
    expect_centroids_of_leaves(cloud, leaf_m);
  }
}

TEST(VoxelGridFilter, AGridThatIsUsedAgainForgetsTheCloudsBefore) {
  VoxelGrid grid;
  std::uint64_t seed = 10;
  for (const int points : {3000, 1, 20000, 2, 0, 500, 20000})
    for (const double leaf_m : {0.2, 2.0}) {
      PointCloud cloud = make_courtyard({.seed = ++seed, .points = points});
      const std::vector<Point> expected = leaf_centroids(cloud, leaf_m);
      grid.thin(cloud, leaf_m);
      ASSERT_EQ(cloud.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_TRUE(cloud.points[i].x == expected[i].x && cloud.points[i].y == expected[i].y &&
                    cloud.points[i].z == expected[i].z);
    }
}

TEST(VoxelGridFilter, ComputesLeavesInTheFrameOfACloudFarAway) {
  PointCloud cloud = make_courtyard({.seed = 4, .points = 3000});
  cloud.origin = {4999000.3, -81000.7, 40.1};  // leaves do not start at the offsets' origin
  for (const double leaf_m : {0.3, 2.0}) expect_centroids_of_leaves(cloud, leaf_m);
  PointCloud near = cloud;
  near.origin = {};
  EXPECT_NE(leaves(cloud, 2.0).size(), leaves(near, 2.0).size()) << "this cloud cannot tell the frames apart";
}

TEST(VoxelGridFilter, NegativeCoordinatesRoundDown) {
  const std::vector<Point> got = leaf_centroids({{}, {{0.25F, 0, 0}, {-0.25F, 0, 0}}}, 1);
  ASSERT_EQ(got.size(), 2U) << "the cells around 0 are two";
  EXPECT_EQ(got[0].x, -0.25F);
}

TEST(VoxelGridFilter, PointsAloneInTheirLeafKeepTheirValues) {
  const Point p{1.0F / 3, -1e-30F, 12345.678F};
  const std::vector<Point> got = leaf_centroids({{}, {p}}, 0.001);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_TRUE(got[0].x == p.x && got[0].y == p.y && got[0].z == p.z);
}

TEST(VoxelGridFilter, AsManyPointsAsAnyLeafHoldsDoNotMoveTheCentroid) {
  // Added up in float32, a million times 1000.1 loses meters.
  const std::vector<Point> got = leaf_centroids({{}, std::vector<Point>(1000000, {1000.1F, 0.1F, -0.1F})}, 2);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].x, 1000.1F);
  EXPECT_EQ(got[0].y, 0.1F);
}

TEST(VoxelGridFilter, NoCoordinateIsTooFarForASmallLeaf) {
  const std::vector<Point> got =
      leaf_centroids({{}, {{3e38F, 0, 0}, {0, 0, 0}, {-3e38F, 1, 0}, {3e38F, 0, 0}}}, 0.001);
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[1].x, 3e38F);
}

TEST(VoxelGridFilter, OneFarPointDoesNotChangeTheOrderOfTheOthers) {
  PointCloud cloud = make_courtyard({.seed = 6, .points = 3000});
  for (const float far : {1e7F, 1e30F}) {
    cloud.points.push_back({far, far, -far});
    for (const double leaf_m : {0.1, 2.0}) expect_centroids_of_leaves(cloud, leaf_m);
    cloud.points.pop_back();
  }
}

TEST(VoxelGridFilter, TheOrderOfThePointsChangesTheCentroidsByRoundingOnly) {
  PointCloud cloud = make_courtyard({.seed = 5, .points = 4000});
  const std::vector<Point> expected = leaf_centroids(cloud, 2);
  std::ranges::reverse(cloud.points);
  const std::vector<Point> got = leaf_centroids(cloud, 2);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_FLOAT_EQ(got[i].x, expected[i].x);
}

TEST(VoxelGridFilter, AgreesWithAScanThatPclFiltered) {
  const char* folder = std::getenv("NDT_GOLDEN_DIR");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "NDT_GOLDEN_DIR is not set";
  const std::filesystem::path inputs = std::filesystem::path(folder) / "inputs";
  const std::vector<Point> got = leaf_centroids(read_pcd(inputs / "kitti07_1_raw.pcd"), 2);
  const PointCloud expected = read_pcd(inputs / "kitti07_1_v2.0.pcd");
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {  // PCL adds up in float32
    EXPECT_NEAR(got[i].x, expected.points[i].x, 1e-4) << i;
    EXPECT_NEAR(got[i].y, expected.points[i].y, 1e-4) << i;
    EXPECT_NEAR(got[i].z, expected.points[i].z, 1e-4) << i;
  }
}

}  // namespace
}  // namespace ndt::harness
