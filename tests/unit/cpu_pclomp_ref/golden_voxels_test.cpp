// The oracle's leaves against the reference's own voxel table of the courtyard.
#include <gtest/gtest.h>

#include "data/courtyard.hpp"
#include "golden.hpp"
#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "voxel_tables.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

TEST(GoldenVoxels, EqualTheReferencesTableOfTheCourtyard) {
  // Both in float64 in the same order: only Eigen's solver and inverse may be compiled differently.
  constexpr TableTolerances kTolerances{.centroid = 1e-8, .mean = 1e-12, .covariance = 4e-12, .inverse = 4e-12};
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
