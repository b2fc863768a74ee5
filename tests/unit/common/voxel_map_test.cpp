// The voxel map as an owner: which voxels exist, where its origin lies, what it refuses.
#include "ndt/voxel/voxel_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "at_resolution.hpp"
#include "data/courtyard.hpp"
#include "message_of.hpp"
#include "ndt/core/error.hpp"
#include "same_maps.hpp"

namespace ndt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Key = std::array<std::int64_t, 3>;

Key key_of(const VoxelInfo& row) { return {row.key[0], row.key[1], row.key[2]}; }

bool in_key_order(const VoxelInfo& a, const VoxelInfo& b) {
  return Key{a.key[2], a.key[1], a.key[0]} < Key{b.key[2], b.key[1], b.key[0]};
}

std::vector<Key> keys_of(const VoxelMap& map) {
  std::vector<Key> keys;
  for (const VoxelInfo& row : map.voxel_table()) keys.push_back(key_of(row));
  return keys;
}

/// `count` points within 5 cm of a place.
void add_blob(PointCloud& cloud, const Vec3<float>& at, int count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> offset(-0.05F, 0.05F);
  for (int i = 0; i < count; ++i)
    cloud.points.push_back({at.x + offset(random), at.y + offset(random), at.z + offset(random)});
}

std::string refusal(const PointCloud& cloud, const AlignOptions& options) {
  return message_of<InputError>([&] { const VoxelMap map(cloud, options); });
}

TEST(VoxelMap, PointsOnACellBoundaryBelongToTheUpperCell) {
  PointCloud cloud;
  for (int i = 0; i < 6; ++i) {
    cloud.points.push_back({2.0F, 0.5F, -2.0F});
    cloud.points.push_back({std::nextafter(2.0F, 0.0F), 0.5F, std::nextafter(-2.0F, -3.0F)});
  }
  const VoxelMap map(cloud, at_resolution(2));
  EXPECT_THAT(keys_of(map), testing::ElementsAre(Key{0, 0, -2}, Key{1, 0, -1}));
  for (const VoxelInfo& row : map.voxel_table()) EXPECT_EQ(row.points, 6);
}

TEST(VoxelMap, FivePointsAreNoVoxelAndSixAre) {
  PointCloud cloud;
  add_blob(cloud, {1, 1, 1}, 6);
  add_blob(cloud, {5, 1, 1}, 5);
  EXPECT_THAT(keys_of(VoxelMap(cloud, at_resolution(2))), testing::ElementsAre(Key{0, 0, 0}));
  AlignOptions five = at_resolution(2);
  five.min_points = 5;
  EXPECT_THAT(keys_of(VoxelMap(cloud, five)), testing::ElementsAre(Key{0, 0, 0}, Key{2, 0, 0}));
}

TEST(VoxelMap, CountsTheNonFinitePointsItDrops) {
  PointCloud cloud;
  add_blob(cloud, {1, 1, 1}, 10);
  const VoxelMap clean(cloud, {});
  cloud.points.insert(cloud.points.begin() + 3, {std::nanf(""), 1, 1});
  cloud.points.push_back({1, std::numeric_limits<float>::infinity(), 1});
  const VoxelMap map(cloud, {});
  EXPECT_EQ(map.info().points, 10);
  EXPECT_EQ(map.info().dropped_points, 2);
  EXPECT_EQ(map.voxel_table().at(0).mean.x, clean.voxel_table().at(0).mean.x);
}

TEST(VoxelMap, PermutingTheCloudChangesNothingBeyondRounding) {
  // Metres near 50: float32 centroids are sums of up to 100 points in cloud order, float64 means are not.
  constexpr double kCentroid_m = 2e-4, kMean_m = 1e-12, kCovariance = 1e-12;
  const PointCloud cloud = harness::courtyard_map();
  const std::vector<VoxelInfo> expected = VoxelMap(cloud, {}).voxel_table();
  for (const unsigned seed : {1U, 2U, 3U}) {
    PointCloud shuffled = cloud;
    std::shuffle(shuffled.points.begin(), shuffled.points.end(), std::mt19937(seed));
    const std::vector<VoxelInfo> got = VoxelMap(shuffled, {}).voxel_table();
    ASSERT_EQ(got.size(), expected.size()) << "shuffle " << seed;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const VoxelInfo &a = got[i], &b = expected[i];
      ASSERT_EQ(key_of(a), key_of(b)) << "shuffle " << seed << ", voxel " << i;
      EXPECT_EQ(a.points, b.points);
      const Vec3<double> centroid = a.centroid - b.centroid, mean = a.mean - b.mean;
      EXPECT_LT(std::sqrt(dot(centroid, centroid)), kCentroid_m) << "shuffle " << seed << ", voxel " << i;
      EXPECT_LT(std::sqrt(dot(mean, mean)), kMean_m) << "shuffle " << seed << ", voxel " << i;
      EXPECT_NEAR(a.covariance.xx, b.covariance.xx, kCovariance) << "shuffle " << seed << ", voxel " << i;
      EXPECT_NEAR(a.covariance.xy, b.covariance.xy, kCovariance) << "shuffle " << seed << ", voxel " << i;
      EXPECT_NEAR(a.covariance.zz, b.covariance.zz, kCovariance) << "shuffle " << seed << ", voxel " << i;
    }
  }
}

TEST(VoxelMap, WithoutAValidVoxelTheRefusalCountsWhatWasThere) {
  PointCloud sparse;
  for (int i = 0; i < 7; ++i) sparse.points.push_back({10.0F * static_cast<float>(i), 0, 0});
  sparse.points.push_back({std::nanf(""), 0, 0});
  EXPECT_THAT(refusal(sparse, at_resolution(2)),
              AllOf(HasSubstr("no valid voxel"), HasSubstr("7 finite points (1 non-finite dropped)"),
                    HasSubstr("occupy 7 voxels of 2 m"), HasSubstr("6 points")));
  EXPECT_THAT(refusal({}, at_resolution(0.5)), AllOf(HasSubstr("0 finite points (0 non-finite dropped)"),
                                                     HasSubstr("occupy 0 voxels of 0.5 m")));
}

TEST(VoxelMap, OriginStaysZeroWhileTheMedianIsWithinAKilometre) {
  for (const float x : {2.0F, 998.0F, -998.0F}) {
    PointCloud cloud;
    add_blob(cloud, {x, x, x}, 20);
    const VoxelMap map(cloud, at_resolution(4));
    EXPECT_EQ(map.origin().x, 0) << x;
    EXPECT_EQ(map.origin().y, 0) << x;
    EXPECT_EQ(map.origin().z, 0) << x;
  }
}

TEST(VoxelMap, OriginBeyondAKilometreIsTheMiddleOfItsKilometreDownToAMultipleOfTheResolution) {
  for (const double resolution_m : {0.5, 1.0, 2.0, 2.5, 3.0})
    for (const auto& [x, middle] : {std::pair(1001.0F, 1500.0), {-1001.0F, -1500.0}, {81377.0F, 81500.0}}) {
      PointCloud cloud;
      add_blob(cloud, {x, 20, -30}, 50);
      const VoxelMap map(cloud, at_resolution(resolution_m));
      EXPECT_EQ(map.origin().x, std::floor(middle / resolution_m) * resolution_m)
          << x << " at " << resolution_m << " m";
      EXPECT_EQ(map.origin().y, 0);
      EXPECT_EQ(map.origin().z, 0);
      EXPECT_EQ(map.info().origin.x, map.origin().x);
    }
}

TEST(VoxelMap, OriginIsOfTheMedianPoint) {
  PointCloud cloud;
  add_blob(cloud, {2500, 20, 0}, 50);
  add_blob(cloud, {-999, 20, 0}, 49);
  EXPECT_EQ(VoxelMap(cloud, at_resolution(2)).origin().x, 2500);
  add_blob(cloud, {-999, 20, 0}, 2);
  EXPECT_EQ(VoxelMap(cloud, at_resolution(2)).origin().x, 0);
}

/// Multiples of 1/128 m, so that 81 km away a float32 holds them exactly.
PointCloud coarse_scene() {
  std::mt19937 random(17);
  std::uniform_int_distribution<int> metres128(-20 * 128, 20 * 128), height128(0, 3 * 128);
  PointCloud cloud;
  for (int i = 0; i < 20000; ++i)
    cloud.points.push_back({static_cast<float>(metres128(random)) / 128,
                            static_cast<float>(metres128(random)) / 128,
                            static_cast<float>(height128(random)) / 128});
  return cloud;
}

TEST(VoxelMap, GlobalKeysAreTheSameWhereverTheOriginIs) {
  const std::array<std::int64_t, 3> offset_m = {81378, -49916, 40};
  const PointCloud near = coarse_scene();
  PointCloud far_floats, far_origin = near;
  far_origin.origin = {81378, -49916, 40};
  for (const Point& p : near.points)
    far_floats.points.push_back({p.x + 81378.0F, p.y - 49916.0F, p.z + 40.0F});

  const std::vector<VoxelInfo> expected = VoxelMap(near, at_resolution(2)).voxel_table();
  for (const PointCloud* far : {&far_floats, &far_origin}) {
    const char* name = far == &far_floats ? "far floats" : "far origin";
    const VoxelMap map(*far, at_resolution(2));
    EXPECT_NE(map.origin().x, 0) << name;
    const std::vector<VoxelInfo> got = map.voxel_table();
    ASSERT_EQ(got.size(), expected.size()) << name;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Key key{expected[i].key[0] + offset_m[0] / 2, expected[i].key[1] + offset_m[1] / 2,
                    expected[i].key[2] + offset_m[2] / 2};
      ASSERT_EQ(key_of(got[i]), key) << name << ", voxel " << i;
      EXPECT_EQ(got[i].points, expected[i].points) << name << ", voxel " << i;
      EXPECT_NEAR(got[i].mean.x, expected[i].mean.x + 81378, 1e-9) << name << ", voxel " << i;
      EXPECT_NEAR(got[i].mean.y, expected[i].mean.y - 49916, 1e-9) << name << ", voxel " << i;
    }
  }
}

TEST(VoxelMap, AMapFiveThousandKilometresAwayKeepsItsShape) {
  const PointCloud near = coarse_scene();
  PointCloud far = near;
  far.origin = {5e6, -5e6, 5e6};
  const std::vector<VoxelInfo> expected = VoxelMap(near, at_resolution(2)).voxel_table(),
                               got = VoxelMap(far, at_resolution(2)).voxel_table();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].key[0], expected[i].key[0] + 2500000) << i;
    EXPECT_NEAR(got[i].covariance.xx, expected[i].covariance.xx, 1e-11) << i;
    EXPECT_NEAR(got[i].covariance.xy, expected[i].covariance.xy, 1e-11) << i;
  }
}

TEST(VoxelMap, TheMapsOfSeveralLevelsHaveTheBitsOfMapsBuiltAlone) {
  PointCloud near = harness::courtyard_map(), far_origin = near;
  near.points.insert(near.points.begin() + 3, {std::nanf(""), 1, 1});
  far_origin.origin = {5e6, -5e6, 5e6};
  const PointCloud far_floats = harness::courtyard_map_far();
  for (const PointCloud* cloud : std::array<const PointCloud*, 3>{&near, &far_origin, &far_floats}) {
    const MapCloud shared(*cloud, {});
    for (const double resolution_m : {12.0, 5.0, 2.0, 0.7}) {
      const AlignOptions options = at_resolution(resolution_m);
      expect_same_bits(VoxelMap(shared, options), VoxelMap(*cloud, options),
                       "origin " + std::to_string(shared.facts().info(resolution_m).origin.x) + " at " +
                           std::to_string(resolution_m));
    }
  }
}

TEST(VoxelMap, PointsOfAVoxelAreAddedInCloudOrderHoweverFarItsNeighboursAre) {
  PointCloud cloud;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> inside(0.1F, 1.9F);
  std::map<Key, Vec3<float>> sums;  // float32, in cloud order
  std::vector<Key> cells{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {-500000, 400000, 300000},
                         {-1, 1, 0}};
  for (int i = 0; i < 60; ++i) {
    std::shuffle(cells.begin(), cells.end(), random);
    for (const Key& cell : cells) {
      const Point p{2 * static_cast<float>(cell[0]) + inside(random),
                    2 * static_cast<float>(cell[1]) + inside(random),
                    2 * static_cast<float>(cell[2]) + inside(random)};
      cloud.points.push_back(p);
      sums[cell] = sums[cell] + p;
    }
  }
  const std::vector<VoxelInfo> table = VoxelMap(cloud, at_resolution(2)).voxel_table();
  ASSERT_EQ(table.size(), sums.size());
  for (const VoxelInfo& row : table) {
    ASSERT_TRUE(sums.contains(key_of(row)));
    EXPECT_EQ(row.points, 60);
    EXPECT_EQ(row.centroid.x, static_cast<double>(sums[key_of(row)].x / 60.0F));
    EXPECT_EQ(row.centroid.y, static_cast<double>(sums[key_of(row)].y / 60.0F));
  }
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), in_key_order));
}

void expect_same_voxels(const std::vector<VoxelInfo>& got, const std::vector<VoxelInfo>& expected) {
  for (const VoxelInfo& row : expected) {
    const auto found =
        std::find_if(got.begin(), got.end(), [&](const VoxelInfo& r) { return key_of(r) == key_of(row); });
    ASSERT_NE(found, got.end()) << row.key[0] << ", " << row.key[1] << ", " << row.key[2];
    EXPECT_EQ(found->points, row.points);
    EXPECT_EQ(found->mean.x, row.mean.x);
    EXPECT_EQ(found->covariance.yy, row.covariance.yy);
  }
}

/// Bytes of the index that grows with the space between voxels.
std::uint64_t window_cells(const VoxelMap& map) {
  const CellWindow w = map.view().window;
  return std::uint64_t{w.nx} * w.ny * w.nz;
}

TEST(VoxelMap, OneOutlierAThousandKilometresAwayMovesNeitherOriginNorVoxelsAndCostsNoMemory) {
  PointCloud cloud = harness::courtyard_map();
  const VoxelMap clean(cloud, at_resolution(1));
  cloud.points.push_back({1e6F, -1e6F, 1e6F});
  const VoxelMap map(cloud, at_resolution(1));
  EXPECT_EQ(map.origin().x, 0);
  EXPECT_EQ(map.origin().y, 0);
  EXPECT_EQ(map.origin().z, 0);
  EXPECT_EQ(map.info().voxels, clean.info().voxels);
  EXPECT_EQ(window_cells(map), window_cells(clean));
  expect_same_voxels(map.voxel_table(), clean.voxel_table());
}

TEST(VoxelMap, AVoxelAThousandKilometresAwayIsFoundThroughTheHashAndCostsNoWindow) {
  PointCloud cloud = harness::courtyard_map();
  const VoxelMap clean(cloud, at_resolution(1));
  for (int i = 0; i < 8; ++i) cloud.points.push_back({1e6F, -1e6F, 1e6F});  // a float step is 6 cm there
  const VoxelMap map(cloud, at_resolution(1));
  EXPECT_EQ(map.info().voxels, clean.info().voxels + 1);
  EXPECT_EQ(map.origin().x, 0);
  EXPECT_LE(window_cells(map), kWindowCells);
  EXPECT_GT(window_cells(map), window_cells(clean) / 8) << "the courtyard lost its window";
  expect_same_voxels(map.voxel_table(), clean.voxel_table());
  const NearVoxels range = map.view().near_voxels({1e6F, -1e6F, 1e6F});
  ASSERT_EQ(range.count, 1);
  EXPECT_EQ(range.first->centroid.x, 1e6F);
}

TEST(VoxelMap, RefusesAPointTooFarToHaveAVoxelAndSaysWhatToDo) {
  PointCloud cloud;
  add_blob(cloud, {1, 1, 1}, 20);
  cloud.points.push_back({0, 3e6F, 0});
  EXPECT_THAT(
      refusal(cloud, at_resolution(1)),
      AllOf(HasSubstr("(0, 3000000, 0) m"), HasSubstr("1048576 voxels"), HasSubstr("remove outliers")));
  EXPECT_EQ(refusal(cloud, at_resolution(4)), "");
}

TEST(VoxelMap, RefusesMoreVoxelsThanItsLimit) {
  const std::int64_t voxels = VoxelMap(harness::courtyard_map(), {}).info().voxels;
  EXPECT_NO_THROW(VoxelMap(harness::courtyard_map(), {}, {.voxels = voxels}));
  EXPECT_THROW(VoxelMap(harness::courtyard_map(), {}, {.voxels = voxels - 1}), InputError);
}

}  // namespace
}  // namespace ndt
