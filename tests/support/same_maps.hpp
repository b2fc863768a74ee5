// Whether two voxel maps are the same, bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ndt/voxel/voxel_map.hpp"

namespace ndt {

/// Everything that scoring reads and the table shows.
inline void expect_same_bits(const VoxelMap& got, const VoxelMap& expected, const std::string& name) {
  const auto same = [](const auto* a, const auto* b, std::size_t n) {
    return n == 0 || std::memcmp(a, b, n * sizeof *a) == 0;
  };
  const Vec3<double>&a = got.origin(), &b = expected.origin();
  ASSERT_TRUE(same(&a, &b, 1)) << name << ": origin at x = " << a.x << ", not " << b.x;
  EXPECT_EQ(got.info().points, expected.info().points) << name;
  EXPECT_EQ(got.info().dropped_points, expected.info().dropped_points) << name;
  const VoxelMapView view = got.view(), other = expected.view();
  ASSERT_EQ(view.voxel_count, other.voxel_count) << name;
  const auto voxels = static_cast<std::size_t>(view.voxel_count);
  EXPECT_TRUE(same(view.voxels, other.voxels, voxels)) << name;
  EXPECT_TRUE(same(got.surfaces().data(), expected.surfaces().data(), voxels)) << name;
  ASSERT_TRUE(view.window.low == other.window.low && view.window.nx == other.window.nx &&
              view.window.ny == other.window.ny && view.window.nz == other.window.nz)
      << name;
  ASSERT_TRUE(same(view.window.starts, other.window.starts, view.window.cells() + 1)) << name;
  ASSERT_EQ(got.size().listed, expected.size().listed) << name;
  EXPECT_TRUE(same(view.lists, other.lists, got.size().listed + kNearVoxelPadding)) << name;
  ASSERT_EQ(view.outside_mask, other.outside_mask) << name;
  ASSERT_EQ(view.outside == nullptr, other.outside == nullptr) << name;
  if (view.outside != nullptr) {
    EXPECT_TRUE(same(view.outside, other.outside, view.outside_mask + 1)) << name;
  }
  const std::vector<VoxelInfo> table = got.voxel_table(), other_table = expected.voxel_table();
  for (std::size_t i = 0; i < voxels; ++i)
    EXPECT_TRUE(same(table[i].key, other_table[i].key, 3) && table[i].points == other_table[i].points &&
                same(&table[i].mean, &other_table[i].mean, 1) &&
                same(&table[i].covariance, &other_table[i].covariance, 1))
        << name << ", voxel " << i;
}

}  // namespace ndt
