// Comparison of two voxel tables row by row, relative to the largest entry of what is compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ndt/align/aligner.hpp"

namespace ndt {

inline double largest_entry(const Sym3<double>& a) {
  return std::max(
      {std::abs(a.xx), std::abs(a.xy), std::abs(a.xz), std::abs(a.yy), std::abs(a.yz), std::abs(a.zz)});
}
inline double relative_difference(const Sym3<double>& a, const Sym3<double>& b) {
  return largest_entry({a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz}) /
         largest_entry(b);
}
inline double relative_difference(const Vec3<double>& a, const Vec3<double>& b) {
  const Vec3<double> d = a - b;
  return std::sqrt(dot(d, d) / dot(b, b));
}

struct TableTolerances {
  double centroid, mean, covariance, inverse;  ///< relative to the length or the largest entry
};

inline void expect_same_tables(const std::vector<VoxelInfo>& got, const std::vector<VoxelInfo>& expected,
                               const TableTolerances& tolerances) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const VoxelInfo &a = got[i], &b = expected[i];
    const std::string name = "voxel " + std::to_string(b.key[0]) + ", " + std::to_string(b.key[1]) + ", " +
                             std::to_string(b.key[2]);
    ASSERT_TRUE(std::equal(a.key, a.key + 3, b.key)) << name << " is missing at row " << i;
    EXPECT_EQ(a.points, b.points) << name;
    EXPECT_LE(relative_difference(a.centroid, b.centroid), tolerances.centroid) << name;
    EXPECT_LE(relative_difference(a.mean, b.mean), tolerances.mean) << name;
    EXPECT_LE(relative_difference(a.covariance, b.covariance), tolerances.covariance) << name;
    EXPECT_LE(relative_difference(a.inverse_covariance, b.inverse_covariance), tolerances.inverse) << name;
  }
}

}  // namespace ndt
