// Maps that are merged from tiles on the device against those of the same points in one cloud, there and on
// the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "at_resolution.hpp"
#include "device_map.hpp"
#include "message_of.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/error.hpp"
#include "ndt/cuda/device.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

class DeviceTiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_state().unavailable.empty()) GTEST_SKIP() << cuda_state().unavailable;
    device = std::make_unique<DeviceMaps>();
  }
  void expect_merged(const Tiles& tiles, const AlignOptions& options, const std::string& name,
                     const VoxelMapLimits& limits = {});

  std::unique_ptr<DeviceMaps> device;
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

bool same_row(const VoxelInfo& a, const VoxelInfo& b) {
  return std::memcmp(a.key, b.key, sizeof a.key) == 0 && a.points == b.points &&
         std::memcmp(&a.mean, &b.mean, sizeof a.mean) == 0 &&
         std::memcmp(&a.covariance, &b.covariance, sizeof a.covariance) == 0 &&
         std::memcmp(&a.inverse_covariance, &b.inverse_covariance, sizeof a.inverse_covariance) == 0;
}

/// A hash may have another layout, so its lists are looked up.
void expect_same_hash(const DownloadedMap& got, const DownloadedMap& expected, const std::string& name) {
  ASSERT_EQ(got.outside.size(), expected.outside.size()) << name;
  for (const CellEntry& entry : expected.outside) {
    if (entry.key == CellEntry::kNoKey) continue;
    const NearVoxels a = got.view().probe(entry.key), b = expected.view().probe(entry.key);
    ASSERT_EQ(a.count, b.count) << name;
    EXPECT_EQ(std::memcmp(a.first, b.first, static_cast<std::size_t>(a.count) * sizeof(NearVoxel)), 0)
        << name;
  }
}

void DeviceTiles::expect_merged(const Tiles& tiles, const AlignOptions& options, const std::string& name,
                                const VoxelMapLimits& limits) {
  const DownloadedMap got = device->build_of_tiles(tiles, options, limits),
                      expected = device->build(merged(tiles), options, limits);
  EXPECT_EQ(got.info.points, expected.info.points) << name;
  EXPECT_EQ(got.info.dropped_points, expected.info.dropped_points) << name;
  EXPECT_EQ(got.info.origin.x, expected.info.origin.x) << name;
  ASSERT_EQ(got.info.voxels, expected.info.voxels) << name;
  EXPECT_TRUE(same(got.voxels, expected.voxels)) << name;
  EXPECT_TRUE(same(got.surfaces, expected.surfaces)) << name;
  EXPECT_TRUE(same(got.starts, expected.starts)) << name;
  if (expected.outside.empty()) {
    EXPECT_TRUE(same(got.lists, expected.lists)) << name;
  }
  expect_same_hash(got, expected, name);
  for (std::size_t i = 0; i < expected.table.size(); ++i)
    ASSERT_TRUE(same_row(got.table[i], expected.table[i])) << name << ", voxel " << i;
}

/// Every way through a merge, for tools that take a thousand times as long.
TEST_F(DeviceTiles, OfAFewPointsAreTheMergedCloudBitForBit) {
  PointCloud few;
  std::ranges::copy_if(test_clouds::map().points, std::back_inserter(few.points),
                       [](const Point& p) { return std::fabs(p.x) < 8 && std::fabs(p.y) < 8; });
  expect_merged(cut(few, 7.3), at_resolution(2), "cut");
  expect_merged(cut(few, 7.3), at_resolution(2), "cut, with a hash", {.window_cells = 100});
  expect_merged(strewn(few, 3), {}, "strewn");
  few.points.push_back({3000, -3000, 200});
  expect_merged(cut(few, 7.3), at_resolution(2), "with a point far away");
}

TEST_F(DeviceTiles, AreTheMergedCloudBitForBit) {
  for (const double size_m : {8.0, 20.0, 7.3, 1.1})
    for (const double resolution_m : {1.0, 2.0, 3.0})
      expect_merged(cut(test_clouds::map(), size_m), at_resolution(resolution_m),
                    std::to_string(size_m) + " m in " + std::to_string(resolution_m));
}

TEST_F(DeviceTiles, HaveTheListsOfEveryNeighbourPolicyInTheWindowAndInTheHash) {
  const Tiles tiles = cut(test_clouds::map(), 9);
  for (const Neighbours policy : all_values<Neighbours>())
    for (const std::uint64_t cells : {kWindowCells, std::uint64_t{2000}})
      expect_merged(tiles, at_resolution(1, policy), std::string(to_string(policy)), {.window_cells = cells});
}

TEST_F(DeviceTiles, OfWhichManyHavePointsInAVoxelAreSummedFromAll) {
  for (const int tiles : {2, 7, 40}) expect_merged(strewn(test_clouds::map(), tiles), {}, "strewn");
  AlignOptions textbook = AlignOptions::textbook();
  textbook.resolution_m = 0.7;
  expect_merged(strewn(test_clouds::map(), 5), textbook, "textbook");
}

TEST_F(DeviceTiles, AreThoseOfTheCloudWithoutPointsThatAreNotFiniteAndFarAway) {
  Tiles tiles = cut(test_clouds::map(), 20);
  std::vector<Point> first = *tiles.begin()->second;
  first.insert(first.begin() + 5, {std::nanf(""), 1, 1});
  tiles.begin()->second = std::make_shared<const std::vector<Point>>(first);
  tiles[7777777] = std::make_shared<const std::vector<Point>>();
  expect_merged(tiles, {}, "one dropped, and an empty tile");
  PointCloud far = test_clouds::map();
  for (Point& p : far.points) p = p + Point{4990, -3005, 40};
  expect_merged(cut(far, 9), {}, "far");
}

TEST_F(DeviceTiles, WithoutAVoxelAreRefusedInTheWordsOfTheHost) {
  const Tiles sparse{
      {1, std::make_shared<const std::vector<Point>>(std::vector<Point>{{1, 1, 1}, {9, 1, 1}})},
      {2, std::make_shared<const std::vector<Point>>(std::vector<Point>{{1.5F, 1, 1}})}};
  EXPECT_EQ(message_of<InputError>([&] { device->build_of_tiles(sparse, {}); }),
            message_of<InputError>([&] { VoxelMap(merged(sparse), {}); }));
  EXPECT_EQ(message_of<InputError>([&] { device->build_of_tiles({}, {}); }),
            message_of<InputError>([&] { VoxelMap(PointCloud{}, {}); }));
}

}  // namespace
}  // namespace ndt
