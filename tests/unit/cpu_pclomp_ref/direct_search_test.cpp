// The oracle's direct neighbour policies against their definition on the keys of all leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/courtyard.hpp"
#include "voxel_grid.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

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
      std::vector<std::uint32_t> expected, leaves;
      for (std::uint32_t k = 0; k < grid.leaves().size(); ++k)
        if (belongs(policy, grid.leaves()[k], cell)) expected.push_back(k);
      std::vector<Neighbour> found = {{0, 0}};  // stale content must go
      grid.find_neighbours(q, found);
      for (const Neighbour& n : found) leaves.push_back(n.leaf);
      std::sort(leaves.begin(), leaves.end());
      ASSERT_EQ(leaves, expected) << to_string(policy) << " at " << q[0] << ", " << q[1] << ", " << q[2];
      pairs += expected.size();
    }
    EXPECT_GT(pairs, 300U) << to_string(policy);
  }
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
