// The overlapping windows of a finish: their Gaussians, and the cells that have one.
#include "ndt/voxel/windows.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>

#include "ndt/voxel/voxel_map.hpp"

namespace ndt {
namespace {

AlignOptions finishing() {
  AlignOptions options = AlignOptions::pyramid();
  options.resolution_m = 2;
  options.finish = Finish::windows;  // of 0.8 m, in cells of 4/15 m
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
  for (const VoxelInfo& row : windows_of(plane(160000, 4, 0.2F))) {
    EXPECT_NEAR(row.mean.z, 0.2, 1e-6);
    if (std::fabs(row.mean.x) > 3 || std::fabs(row.mean.y) > 3) continue;
    ++inside;
    EXPECT_NEAR(row.inverse_covariance.zz, 2000, 500) << "2 / (0.001 x the largest variance)";
    EXPECT_NEAR(row.inverse_covariance.xx, 2, 0.6);
    EXPECT_NEAR(row.inverse_covariance.yy, 2, 0.6);
  }
  EXPECT_GE(inside, 400);
}

TEST(Windows, AreSeenInCellsWithPoints) {
  const PointCloud cloud = plane(20000, 4, 0.2F);  // in the layer of cells from 0 to 0.267 m
  const VoxelMap map = map_of(cloud);
  const VoxelMapView view = map.view();
  for (const float z : {0.01F, 0.26F}) {
    const Voxel* window = seen(view, {0.5F, 0.5F, z});
    ASSERT_NE(window, nullptr) << z;
    EXPECT_NEAR(static_cast<double>(window->centroid.z + window->mean_offset.z), 0.2, 1e-6) << z;
  }
  for (const float z : {-0.01F, 0.27F, 0.5F}) EXPECT_EQ(seen(view, {0.5F, 0.5F, z}), nullptr) << z;
}

/// Only where maps are thin a surface passes cells without points.
TEST(Windows, OfThinPointsAreSeenInEmptyCellsBesideThem) {
  const PointCloud few = plane(300, 4, 0.2F);  // 3 in a window of 0.8 m, 12 in one of 1.6 m
  const VoxelMap map = map_of(few);
  const VoxelMapView view = map.view();
  const double edge_m = finish_cell_m(finishing());
  int in_empty = 0, beside = 0;
  for (double y = -3.9; y < 3.9; y += edge_m)
    for (double x = -3.9; x < 3.9; x += edge_m) {
      const auto has_points = [&](double edge) {
        return std::ranges::any_of(few.points, [&](const Point& p) {
          return std::floor(static_cast<double>(p.x) / edge) == std::floor(x / edge) &&
                 std::floor(static_cast<double>(p.y) / edge) == std::floor(y / edge);
        });
      };
      const bool is_seen = seen(view, {static_cast<float>(x), static_cast<float>(y), 0.2F}) != nullptr;
      if (has_points(edge_m)) continue;
      EXPECT_TRUE(!is_seen || has_points(2 * edge_m)) << x << ", " << y;
      ++(is_seen ? in_empty : beside);
    }
  EXPECT_GT(in_empty, 100);
  EXPECT_GT(beside, 100);
}

/// A surface that a voxel's face cuts has a mean on either side; a window's mean lies on it.
TEST(Windows, OfASlopeHaveMeansOnIt) {
  double worst = 0;
  for (const VoxelInfo& row : windows_of(plane(40000, 4, 0.05F, 0.3F)))
    worst = std::max(worst, std::fabs(row.mean.z - 0.05 - 0.3 * row.mean.x));
  EXPECT_LE(worst, 1e-5) << "float32 holds a point at 4 m to 0.5 um";
}

TEST(Windows, ThinPointsAreSeenInLargerOnes) {
  const PointCloud few =
      plane(60, 1, 0.2F);  // 10 in a window of 0.8 m, fewer at the edges, 38 in one of 1.6 m
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

/// Whether both maps answer every look-up with the same bits.
void expect_same(const VoxelMap& a, const VoxelMap& b) {
  const VoxelMapView one = a.view(), other = b.view();
  ASSERT_EQ(one.voxel_count, other.voxel_count);
  ASSERT_EQ(one.window.cells(), other.window.cells());
  const auto voxels = static_cast<std::size_t>(one.voxel_count);
  EXPECT_EQ(std::memcmp(one.voxels, other.voxels, voxels * sizeof(Voxel)), 0);
  EXPECT_EQ(
      std::memcmp(one.window.starts, other.window.starts, (one.window.cells() + 1) * sizeof(std::uint32_t)),
      0);
  EXPECT_EQ(std::memcmp(one.lists, other.lists, voxels * sizeof(NearVoxel)), 0);
}

/// A tile of 6 m among those of a plane: away, and here again; near the origin, and where maps have another.
/// Thin tiles have windows of the coarsest layer.
TEST(Windows, ThatATileChangesAreThoseOfAllPoints) {
  const AlignOptions options = finishing(), fine = window_options(options);
  for (const int points : {20000, 300})
    for (const float far_m : {0.0F, 5431.7F}) {
      std::vector<Point> all = plane(points, 10, 0.2F, 0.3F).points, some, others;
      for (Point& p : all) p.x += far_m;
      for (const Point& p : all)
        (std::fabs(p.x - far_m) < 3 && std::fabs(p.y) < 3 ? some : others).push_back(p);
      const MapCloud whole({}, all, options), rest({}, others, options), tile({}, some, options);
      const PointBox box = tile.points({}).box;
      const MapOrigin origin = whole.facts().origin(fine.resolution_m);
      ASSERT_EQ(origin, rest.facts().origin(fine.resolution_m));
      const ChangedWindows changed({&box, 1}, origin, fine);
      ASSERT_FALSE(changed.all());
      const VoxelMap with = VoxelMap::windows(whole, options), without = VoxelMap::windows(rest, options);
      const auto again = [&](const VoxelMap& before, const std::vector<Point>& now, const MapCloud& cloud) {
        std::vector<Point> read;
        std::ranges::copy_if(now, std::back_inserter(read), [&](const Point& p) { return changed.reads(p); });
        EXPECT_LT(read.size(), now.size());
        return VoxelMap::windows(before, changed, cloud.facts(), MapCloud({}, read, options), options);
      };
      expect_same(again(with, others, rest), without);
      expect_same(again(without, all, whole), with);
    }
}

TEST(Windows, AllChangeWhereABoxIsOutsideTheLimits) {
  const PointBox far{{0, 0, 0}, {1e9F, 0, 0}};
  EXPECT_TRUE(ChangedWindows({&far, 1}, {}, window_options(finishing())).all());
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
