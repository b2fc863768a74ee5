// The oracle's neighbours against a search through all leaves. Those of its k-d tree are compared by the same
// float32 distance, those of the direct policies by their definition on the keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "at_resolution.hpp"
#include "data/courtyard.hpp"
#include "voxel_grid.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

std::vector<std::uint32_t> sorted_leaves(const std::vector<Neighbour>& found) {
  std::vector<std::uint32_t> leaves;
  for (const Neighbour& n : found) leaves.push_back(n.leaf);
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

float squared_distance(const float q[3], const Leaf& leaf) {
  const float dx = q[0] - leaf.centroid(0), dy = q[1] - leaf.centroid(1), dz = q[2] - leaf.centroid(2);
  return (dx * dx + dy * dy) + dz * dz;
}

void expect_brute_force(const VoxelGrid& grid, double resolution_m, const float q[3], std::size_t& pairs) {
  const float squared_radius = static_cast<float>(resolution_m * resolution_m);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < grid.leaves().size(); ++i)
    if (squared_distance(q, grid.leaves()[i]) < squared_radius) expected.push_back(i);
  std::vector<Neighbour> found = {{0, 0}};  // stale content must go
  grid.radius_search(q, found);
  const std::string name = std::to_string(q[0]) + ", " + std::to_string(q[1]) + ", " + std::to_string(q[2]) +
                           " at " + std::to_string(resolution_m) + " m";
  ASSERT_EQ(sorted_leaves(found), expected) << name;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].squared_distance, squared_distance(q, grid.leaves()[found[i].leaf])) << name;
    if (i > 0) {
      EXPECT_LE(found[i - 1].squared_distance, found[i].squared_distance) << name << ": not nearest first";
    }
  }
  pairs += found.size();
}

TEST(RadiusSearch, EqualsBruteForceAndIsSortedNearAndFarFromTheOrigin) {
  const harness::CourtyardOptions near{.seed = 1, .points = 30000};
  const harness::CourtyardOptions far{.seed = 1, .points = 30000, .offset_m = {81377, 49916, 40}};
  for (const auto& scene : {near, far})
    for (const double resolution_m : {1.0, 2.0, 3.7}) {
      const VoxelGrid grid(harness::make_courtyard(scene).points, at_resolution(resolution_m));
      std::mt19937 random(24);
      std::uniform_real_distribution<float> xy(-36, 36), z(-2, 10);
      std::size_t pairs = 0;
      for (int i = 0; i < 1500; ++i) {
        const float q[3] = {xy(random) + static_cast<float>(scene.offset_m[0]),
                            xy(random) + static_cast<float>(scene.offset_m[1]),
                            z(random) + static_cast<float>(scene.offset_m[2])};
        expect_brute_force(grid, resolution_m, q, pairs);
      }
      std::uniform_int_distribution<std::size_t> leaf(0, grid.leaves().size() - 1);
      for (int i = 0; i < 500; ++i) {  // at the radius, along an axis
        const Leaf& l = grid.leaves()[leaf(random)];
        float q[3] = {l.centroid(0), l.centroid(1), l.centroid(2)};
        q[i % 3] += static_cast<float>(resolution_m);
        expect_brute_force(grid, resolution_m, q, pairs);
      }
      EXPECT_GT(pairs, 500U) << resolution_m << " m";
    }
}

TEST(RadiusSearch, ExcludesACentroidExactlyAtTheRadius) {
  std::vector<Point> points;
  for (const float d : {-0.5F, 0.5F}) {
    points.push_back({1 + d, 1, 1});
    points.push_back({1, 1 + d, 1});
    points.push_back({1, 1, 1 + d});
  }
  const VoxelGrid grid(points, at_resolution(2));
  ASSERT_EQ(grid.leaves().at(0).centroid, Eigen::Vector3f(1, 1, 1));
  std::vector<Neighbour> found;
  const float at[3] = {3, 1, 1}, inside[3] = {std::nextafter(3.0F, 0.0F), 1, 1}, outside[3] = {1, 1, -1.001F};
  grid.radius_search(at, found);
  EXPECT_TRUE(found.empty());
  grid.radius_search(outside, found);
  EXPECT_TRUE(found.empty());
  grid.radius_search(inside, found);
  EXPECT_EQ(found.size(), 1U);
}

bool belongs(Neighbours policy, const Leaf& leaf, const std::int64_t cell[3]) {
  int differing = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t away = std::abs(leaf.key[axis] - cell[axis]);
    if (away > 1) return false;
    differing += away == 1 ? 1 : 0;
  }
  return policy == Neighbours::direct27 || (policy == Neighbours::direct7 && differing <= 1) ||
         differing == 0;
}

TEST(DirectSearch, FindsTheLeavesOfOneSevenOrTwentySevenVoxels) {
  const PointCloud map = harness::courtyard_map();
  for (const Neighbours policy : {Neighbours::direct1, Neighbours::direct7, Neighbours::direct27}) {
    AlignOptions options;
    options.neighbours = policy;
    const VoxelGrid grid(map.points, options);
    std::mt19937 random(11);
    std::uniform_real_distribution<float> value(-30, 30), height(-3, 12);
    std::size_t pairs = 0;
    for (int i = 0; i < 3000; ++i) {
      float q[3] = {value(random), value(random), height(random)};
      if (i % 4 == 0) q[1] = 2 * std::floor(q[1] / 2);  // on a border
      std::int64_t cell[3];
      for (int axis = 0; axis < 3; ++axis) cell[axis] = static_cast<std::int64_t>(std::floor(q[axis] / 2));
      std::vector<std::uint32_t> expected;
      for (std::uint32_t k = 0; k < grid.leaves().size(); ++k)
        if (belongs(policy, grid.leaves()[k], cell)) expected.push_back(k);
      std::vector<Neighbour> found = {{0, 0}};  // stale content must go
      grid.find_neighbours(q, found);
      ASSERT_EQ(sorted_leaves(found), expected)
          << to_string(policy) << " at " << q[0] << ", " << q[1] << ", " << q[2];
      pairs += expected.size();
    }
    EXPECT_GT(pairs, 300U) << to_string(policy);
  }
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
