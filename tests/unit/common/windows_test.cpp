// The overlapping windows of a finish: their Gaussians, and the cells that have one.
#include "ndt/voxel/windows.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <random>

#include "ndt/voxel/voxel_map.hpp"

namespace ndt {
namespace {

AlignOptions finishing() {
  AlignOptions options = AlignOptions::pyramid();
  options.resolution_m = 2;
  options.finish = Finish::windows;  // of 1 m, in cells of 1/3 m
  return options;
}

/// Points of the plane z = height + slope x in a square of `half_m` around the origin.
PointCloud plane(int points, float half_m, float height, float slope = 0) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> in(-half_m, half_m);
  PointCloud cloud;
  for (int i = 0; i < points; ++i) {
    const float x = in(random), y = in(random);
    cloud.points.push_back({x, y, height + slope * x});
  }
  return cloud;
}

VoxelMap map_of(const PointCloud& cloud) {
  return VoxelMap::windows(MapCloud(cloud, finishing()), finishing());
}

/// The statistics of all windows, by increasing key.
std::vector<VoxelInfo> windows_of(const PointCloud& cloud, const AlignOptions& options = finishing()) {
  const MapCloud points(cloud, options);
  const double edge_m = finish_cell_m(options);
  const MapOrigin origin = points.facts().origin(edge_m);
  std::vector<VoxelInfo> table;
  Windows(points.points(origin.position(edge_m)), origin, options)
      .for_each([&](const Cell& cell, const VoxelStatistics& window) {
        table.push_back(to_info(window, cell, origin, edge_m));
      });
  return table;
}

/// The window that a point sees; null if it sees none.
const Voxel* seen(const VoxelMapView& view, const Vec3<float>& p) {
  const NearVoxels near = view.near_voxels(p);
  EXPECT_LE(near.count, 1);
  return near.count == 0 ? nullptr : view.voxels + near.first->voxel;
}

/// Inside the plane both variances along it are alike. At its edges one of them is less.
TEST(Windows, OfAPlaneHoldItAcrossAndHardlyAlong) {
  int inside = 0;
  for (const VoxelInfo& row : windows_of(plane(40000, 4, 0.2F))) {
    EXPECT_NEAR(row.mean.z, 0.2, 1e-6);
    if (std::fabs(row.mean.x) > 3 || std::fabs(row.mean.y) > 3) continue;
    ++inside;
    EXPECT_NEAR(row.inverse_covariance.zz, 2000, 500) << "2 / (0.001 x the largest variance)";
    EXPECT_NEAR(row.inverse_covariance.xx, 2, 0.6);
    EXPECT_NEAR(row.inverse_covariance.yy, 2, 0.6);
  }
  EXPECT_GE(inside, 500);
}

TEST(Windows, AreSeenWhereverAPointTouchesACellWithPoints) {
  const PointCloud cloud = plane(20000, 4, 0.2F);  // in the layer of cells from 0 to 1/3 m
  const VoxelMap map = map_of(cloud);
  const VoxelMapView view = map.view();
  for (const float z : {-0.3F, 0.01F, 0.32F, 0.6F}) {
    const Voxel* window = seen(view, {0.5F, 0.5F, z});
    ASSERT_NE(window, nullptr) << z;
    EXPECT_NEAR(static_cast<double>(window->centroid.z + window->mean_offset.z), 0.2, 1e-6) << z;
  }
  EXPECT_EQ(seen(view, {0.5F, 0.5F, 0.7F}), nullptr);
  EXPECT_EQ(seen(view, {0.5F, 0.5F, -0.35F}), nullptr);
}

/// A surface that a voxel's face cuts has a mean on either side; a window's mean lies on it.
TEST(Windows, OfASlopeHaveMeansOnIt) {
  double worst = 0;
  for (const VoxelInfo& row : windows_of(plane(40000, 4, 0.05F, 0.3F)))
    worst = std::max(worst, std::fabs(row.mean.z - 0.05 - 0.3 * row.mean.x));
  EXPECT_LE(worst, 1e-5) << "float32 holds a point at 4 m to 0.5 um";
}

TEST(Windows, ThinPointsAreSeenInLargerOnes) {
  const PointCloud few = plane(60, 1, 0.2F);  // 9 in a window of 1 m, 36 in one of 2 m
  AlignOptions options = finishing();
  const auto table = windows_of(few, options);
  ASSERT_FALSE(table.empty());
  EXPECT_THAT(table, testing::Contains(testing::Field(&VoxelInfo::points, testing::Gt(20))));
  EXPECT_THAT(table,
              testing::Each(testing::Field(&VoxelInfo::points, testing::Ge(options.finish_min_points))));
}

/// A window by brute force: the points of the cells around it, nothing moved.
TEST(Windows, HoldThePointsOfTheCellsAround) {
  const PointCloud cloud = plane(3000, 2, 0.1F, 0.5F);
  const double edge_m = finish_cell_m(finishing());
  const auto cell_at = [&](double v) { return static_cast<std::int64_t>(std::floor(v / edge_m)); };
  for (const VoxelInfo& row : windows_of(cloud)) {
    int n = 0;
    Vec3<double> sum;
    for (const Point& p : cloud.points) {
      const Vec3<double> at = cast<double>(p);
      if (std::abs(cell_at(at.x) - row.key[0]) > 1 || std::abs(cell_at(at.y) - row.key[1]) > 1 ||
          std::abs(cell_at(at.z) - row.key[2]) > 1)
        continue;
      ++n, sum = sum + at;
    }
    if (n < finishing().finish_min_points) continue;  // of a coarser layer
    ASSERT_EQ(row.points, n);
    EXPECT_NEAR(row.mean.x, sum.x / n, 1e-9);
    EXPECT_NEAR(row.mean.z, sum.z / n, 1e-9);
  }
}

TEST(Windows, HaveTheSameBitsForAnyNumberOfThreads) {
  AlignOptions options = finishing();
  options.threads = 1;
  const auto alone = windows_of(plane(20000, 4, 0.2F, 0.3F), options);
  options.threads = 3;
  const auto shared = windows_of(plane(20000, 4, 0.2F, 0.3F), options);
  ASSERT_EQ(alone.size(), shared.size());
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_EQ(std::memcmp(&alone[i].inverse_covariance, &shared[i].inverse_covariance, sizeof(Sym3<double>)),
              0);
}

TEST(Windows, AreTheSameFarFromTheOrigin) {
  PointCloud far = plane(5000, 2, 0.2F);
  far.origin = {64000, -32000, 0};  // whole cells, whatever their edge
  const auto near_table = windows_of(plane(5000, 2, 0.2F)), far_table = windows_of(far);
  ASSERT_EQ(near_table.size(), far_table.size());
  for (std::size_t i = 0; i < near_table.size(); ++i) {
    EXPECT_EQ(near_table[i].points, far_table[i].points) << i;
    EXPECT_NEAR(near_table[i].mean.x + far.origin.x, far_table[i].mean.x, 1e-4) << i;
  }
}

}  // namespace
}  // namespace ndt
