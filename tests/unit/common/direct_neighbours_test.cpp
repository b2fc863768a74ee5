// Direct neighbour policies through the map's index against their definition: the voxels of 1, 7 or 27 cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/courtyard.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt {
namespace {

using Found = std::vector<std::uint32_t>;

/// From the public voxel table, which is in the order of the voxels' indices.
Found by_definition(Neighbours policy, const std::vector<VoxelInfo>& table, const Vec3<float>& p,
                    double resolution_m) {
  // The cell of a float32 point as the index takes it: a float32 product with the float32 inverse.
  const float inverse = 1.0F / static_cast<float>(resolution_m);
  const std::int64_t cell[3] = {static_cast<std::int64_t>(std::floor(p.x * inverse)),
                                static_cast<std::int64_t>(std::floor(p.y * inverse)),
                                static_cast<std::int64_t>(std::floor(p.z * inverse))};
  Found found;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::int64_t sum = 0, largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t away = std::abs(table[i].key[axis] - cell[axis]);
      sum += away, largest = std::max(largest, away);
    }
    if (largest > 1 || (policy == Neighbours::direct1 && sum > 0) ||
        (policy == Neighbours::direct7 && sum > 1))
      continue;
    found.push_back(i);
  }
  return found;
}

Found through_index(const VoxelMapView& map, const Vec3<float>& p) {
  Found found;
  const NearVoxels range = map.near_voxels(p);
  for (int i = 0; i < range.count; ++i) found.push_back(range.first[i].voxel);
  std::sort(found.begin(), found.end());
  return found;
}

void expect_the_definition(Neighbours policy, double resolution_m, std::uint64_t window_cells) {
  AlignOptions options;
  options.resolution_m = resolution_m;
  options.neighbours = policy;
  const VoxelMap map(harness::courtyard_map(), options, {.window_cells = window_cells});
  const std::vector<VoxelInfo> table = map.voxel_table();
  const VoxelMapView view = map.view();
  std::mt19937 random(3);
  std::uniform_real_distribution<float> value(-35, 35), height(-3, 12);
  std::uniform_int_distribution<int> cell(-18, 18);
  std::size_t pairs = 0;
  for (int i = 0; i < 3000; ++i) {
    Vec3<float> p{value(random), value(random), height(random)};
    if (i % 3 == 0) p.x = static_cast<float>(cell(random)) * static_cast<float>(resolution_m);  // on a border
    const Found expected = by_definition(policy, table, p, resolution_m);
    pairs += expected.size();
    ASSERT_EQ(through_index(view, p), expected)
        << to_string(policy) << ", " << resolution_m << " m, point " << p.x << ", " << p.y << ", " << p.z;
  }
  EXPECT_GT(pairs, 30U) << "too few neighbours to prove anything";
}

TEST(DirectNeighbours, AreTheVoxelsOfOneSevenOrTwentySevenCells) {
  for (const Neighbours policy : {Neighbours::direct1, Neighbours::direct7, Neighbours::direct27})
    for (const double resolution_m : {1.0, 2.0, 3.7}) expect_the_definition(policy, resolution_m, 1 << 24);
}

TEST(DirectNeighbours, AreTheSameThroughTheHashAlone) {
  for (const Neighbours policy : {Neighbours::direct1, Neighbours::direct7, Neighbours::direct27})
    expect_the_definition(policy, 2.0, 0);
}

TEST(DirectNeighbours, HaveNoDistanceTest) {
  AlignOptions options;
  options.neighbours = Neighbours::direct27;
  EXPECT_TRUE(std::isinf(VoxelMap(harness::courtyard_map(), options).view().squared_radius));
}

}  // namespace
}  // namespace ndt
