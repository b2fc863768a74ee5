// The shared map against the oracle's grid, which voxel_grid_test compares with the reference's table.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "data/courtyard.hpp"
#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "voxel_tables.hpp"

namespace ndt {
namespace {

std::vector<VoxelInfo> oracle_table(const PointCloud& cloud, const AlignOptions& options) {
  const auto oracle = make_aligner(cpu_pclomp_ref::implementations(), "cpu_pclomp_ref", options);
  oracle->set_map(cloud);
  return oracle->voxels();
}

TEST(VoxelMapAgainstOracle, HasTheSameVoxelsOnTheCourtyard) {
  // Both sum in float64; the oracle about the global origin, 45 m away at most: 45²·1e-16 of a covariance of
  // 0.01, then inverted.
  constexpr TableTolerances kTolerances{0, 1e-9, 1e-9, 1e-9};
  for (const double resolution_m : {1.0, 2.0, 4.0}) {
    SCOPED_TRACE(std::to_string(resolution_m) + " m");
    AlignOptions options;
    options.resolution_m = resolution_m;
    const PointCloud cloud = harness::courtyard_map();
    expect_same_tables(VoxelMap(cloud, options).voxel_table(), oracle_table(cloud, options), kTolerances);
  }
}

TEST(VoxelMapAgainstOracle, HasTheSameCentroidsToTheBitWhereTheirSumsRound) {
  // The courtyard's coordinates are so round that float32 sums of them are exact in any order; these are not.
  std::mt19937 random(27);
  std::uniform_real_distribution<float> value(700, 708);
  PointCloud cloud;
  for (int i = 0; i < 20000; ++i)
    cloud.points.push_back({value(random), -value(random), value(random) - 700});
  constexpr TableTolerances kTolerances{
      0, 1e-12, 1e-6, 1e-6};  // the oracle's single pass at 700 m: 700²·1e-16 of 0.3, n times
  for (const double resolution_m : {1.0, 2.0}) {
    SCOPED_TRACE(std::to_string(resolution_m) + " m");
    AlignOptions options;
    options.resolution_m = resolution_m;
    expect_same_tables(VoxelMap(cloud, options).voxel_table(), oracle_table(cloud, options), kTolerances);
  }
}

}  // namespace
}  // namespace ndt
