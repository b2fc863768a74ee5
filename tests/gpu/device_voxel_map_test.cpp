// The voxel map built on the device against the one built on the host: same voxels, same lists, same
// refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "at_resolution.hpp"
#include "device_map.hpp"
#include "message_of.hpp"
#include "ndt/core/error.hpp"
#include "ndt/cuda/device.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "test_clouds.hpp"
#include "voxel_tables.hpp"

namespace ndt {
namespace {

class OnTheDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_state().unavailable.empty()) GTEST_SKIP() << cuda_state().unavailable;
    device = std::make_unique<DeviceMaps>();
  }
  std::unique_ptr<DeviceMaps> device;
};
using DeviceVoxelMapTest = OnTheDevice;

// Doubles are added in another order: 1e-16 of moments of 1 m² in variances of 1e-4 m², times a condition
// number of 100.
constexpr TableTolerances kOrderOfSums{0, 1e-12, 1e-9, 1e-9};
constexpr double kRecord = 1e-5;

bool same_bits(const Vec3<float>& a, const Vec3<float>& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool same_list(const NearVoxels& a, const NearVoxels& b) {
  return a.count == b.count &&
         std::equal(a.first, a.first + a.count, b.first, [](const auto& p, const auto& q) {
           return p.voxel == q.voxel && same_bits(p.centroid, q.centroid);
         });
}

void expect_same_records(const DownloadedMap& got, const VoxelMap& expected, const std::string& name) {
  ASSERT_EQ(got.voxels.size(), static_cast<std::size_t>(expected.view().voxel_count)) << name;
  for (std::size_t i = 0; i < got.voxels.size(); ++i) {
    const Voxel &a = got.voxels[i], &b = expected.view().voxels[i];
    ASSERT_TRUE(same_bits(a.centroid, b.centroid)) << name << ", voxel " << i;
    const Vec3<double> offset = cast<double>(a.mean_offset) - cast<double>(b.mean_offset);
    EXPECT_LE(std::sqrt(dot(offset, offset)), 1e-9 + kRecord * std::fabs(b.mean_offset.x))
        << name << ", voxel " << i;
    EXPECT_LE(relative_difference(cast<double>(a.inverse_covariance), cast<double>(b.inverse_covariance)),
              kRecord)
        << name << ", voxel " << i;
    const VoxelSurface &s = got.surfaces[i], &t = expected.surfaces()[i];
    EXPECT_NEAR(s.flatness, t.flatness, kRecord) << name << ", voxel " << i;
    if (t.flatness > 0.1F) {
      EXPECT_NEAR(std::fabs(dot(s.normal, t.normal)), 1, kRecord) << name << ", voxel " << i;
    }
  }
}

void expect_same_window_lists(const DownloadedMap& got, const VoxelMapView& expected,
                              const std::string& name) {
  const CellWindow &a = got.device_view.window, &b = expected.window;
  ASSERT_TRUE(a.low == b.low && a.nx == b.nx && a.ny == b.ny && a.nz == b.nz) << name << ": another window";
  for (std::size_t i = 0; i < b.cells(); ++i) {
    ASSERT_EQ(got.starts[i + 1], b.starts[i + 1]) << name << ", cell " << i;
    const auto first = b.starts[i], count = b.starts[i + 1] - first;
    ASSERT_TRUE(same_list({got.lists.data() + first, static_cast<int>(count)},
                          {expected.lists + first, static_cast<int>(count)}))
        << name << ", cell " << i;
  }
}

void expect_same_hash(const DownloadedMap& got, const VoxelMapView& expected, const std::string& name) {
  ASSERT_EQ(got.outside.empty(), expected.outside == nullptr) << name;
  if (expected.outside == nullptr) return;
  const VoxelMapView view = got.view();
  std::uint64_t entries = 0, expected_entries = 0;
  for (const CellEntry& entry : got.outside) entries += entry.key != CellEntry::kNoKey ? 1 : 0;
  for (std::uint64_t i = 0; i <= expected.outside_mask; ++i) {
    const std::uint64_t key = expected.outside[i].key;
    if (key == CellEntry::kNoKey) continue;
    ++expected_entries;
    ASSERT_TRUE(same_list(view.probe(key), expected.probe(key))) << name << ", key " << key;
    for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1} << 21, std::uint64_t{1} << 42})
      for (const std::uint64_t near : {key + step, key - step})
        ASSERT_TRUE(same_list(view.probe(near), expected.probe(near))) << name << ", key " << near;
  }
  EXPECT_EQ(entries, expected_entries) << name;
}

void expect_same_map(const DownloadedMap& got, const VoxelMap& expected, const std::string& name) {
  const MapInfo &a = got.info, &b = expected.info();
  EXPECT_EQ(a.points, b.points) << name;
  EXPECT_EQ(a.dropped_points, b.dropped_points) << name;
  EXPECT_EQ(a.voxels, b.voxels) << name;
  EXPECT_TRUE(a.origin.x == b.origin.x && a.origin.y == b.origin.y && a.origin.z == b.origin.z) << name;
  EXPECT_EQ(got.device_view.inverse_resolution, expected.view().inverse_resolution) << name;
  EXPECT_EQ(got.device_view.squared_radius, expected.view().squared_radius) << name;
  {
    SCOPED_TRACE(name);
    expect_same_tables(got.table, expected.voxel_table(), kOrderOfSums);
  }
  expect_same_records(got, expected, name);
  expect_same_window_lists(got, expected.view(), name);
  expect_same_hash(got, expected.view(), name);
  ASSERT_GE(got.lists.size(), static_cast<std::size_t>(kNearVoxelPadding));
  for (auto c = got.lists.end() - kNearVoxelPadding; c != got.lists.end(); ++c)
    EXPECT_TRUE(c->voxel == 0 && c->centroid.x == 0) << name << ": the padding is not zero";
}

PointCloud uniform_cloud(int points, float edge_m, float height_m, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> x(-edge_m / 2, edge_m / 2), z(-1, height_m);
  PointCloud cloud;
  for (int i = 0; i < points; ++i) {
    const float px = x(random), py = x(random);
    cloud.points.push_back({px, py, z(random)});
  }
  return cloud;
}

/// `counts[k]` points in a voxel of 2 m of its own, points of all voxels in random order.
PointCloud blobs(const std::vector<int>& counts) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> offset(0.1F, 1.9F);
  PointCloud cloud;
  for (std::size_t k = 0; k < counts.size(); ++k)
    for (int i = 0; i < counts[k]; ++i) {
      const float x = offset(random), y = offset(random);
      cloud.points.push_back({static_cast<float>(6 * k) + x, y, -offset(random)});
    }
  std::shuffle(cloud.points.begin(), cloud.points.end(), random);
  return cloud;
}

TEST_F(DeviceVoxelMapTest, EqualsTheHostsOnTheCourtyardUnderEveryNeighbourPolicy) {
  for (const Neighbours policy : all_values<Neighbours>())
    for (const double resolution_m : {1.0, 2.0}) {
      const AlignOptions options = at_resolution(resolution_m, policy);
      expect_same_map(device->build(test_clouds::map(), options), VoxelMap(test_clouds::map(), options),
                      std::string(to_string(policy)) + " at " + std::to_string(resolution_m));
    }
}

TEST_F(DeviceVoxelMapTest, EqualsTheHostsOnRandomClouds) {
  for (const double resolution_m : {0.5, 0.7, 2.0, 3.7})
    for (const CovarianceStart start : all_values<CovarianceStart>()) {
      const PointCloud cloud = uniform_cloud(20000, 30, 4, 5);
      AlignOptions options = at_resolution(resolution_m, Neighbours::radius, 3);
      options.covariance_start = start;
      const DownloadedMap got = device->build(cloud, options);
      const VoxelMap expected(cloud, options);
      const std::string name = "random at " + std::to_string(resolution_m);
      EXPECT_EQ(got.info.voxels, expected.info().voxels) << name;
      expect_same_window_lists(got, expected.view(), name);
      if (start == CovarianceStart::identity) expect_same_map(got, expected, name);
    }
}

TEST_F(DeviceVoxelMapTest, EqualsTheHostsWhateverTheNumberOfPointsInAVoxel) {
  const PointCloud cloud = blobs({1, 5, 6, 7, 31, 32, 33, 63, 64, 65, 96, 1000});
  const DownloadedMap got = device->build(cloud, at_resolution(2));
  EXPECT_EQ(got.info.voxels, 10);
  expect_same_map(got, VoxelMap(cloud, at_resolution(2)), "blobs");
  const AlignOptions five = at_resolution(2, Neighbours::direct7, 5);
  expect_same_map(device->build(cloud, five), VoxelMap(cloud, five), "blobs of five");
}

TEST_F(DeviceVoxelMapTest, EqualsTheHostsForOneVoxel) {
  for (const int points : {6, 7, 400}) {
    const PointCloud cloud = blobs({points});
    expect_same_map(device->build(cloud, at_resolution(2)), VoxelMap(cloud, at_resolution(2)),
                    std::to_string(points));
  }
}

TEST_F(DeviceVoxelMapTest, LeavesOutVoxelsThatAreOnePointRepeated) {
  PointCloud cloud = blobs({40, 0, 0, 40});
  for (int i = 0; i < 9; ++i) cloud.points.push_back({7.5F, 0.5F, -0.5F});
  const AlignOptions textbook = AlignOptions::textbook();
  const DownloadedMap got = device->build(cloud, textbook);
  EXPECT_EQ(got.info.voxels, 2);
  expect_same_map(got, VoxelMap(cloud, textbook), "repeated");
}

TEST_F(DeviceVoxelMapTest, EqualsTheHostsFarFromTheOrigin) {
  const PointCloud far_floats = harness::courtyard_map_far();
  expect_same_map(device->build(far_floats, {}), VoxelMap(far_floats, {}), "far floats");
  PointCloud far_origin = test_clouds::map();
  far_origin.origin = {5e6, -5e6, 5e6};
  expect_same_map(device->build(far_origin, {}), VoxelMap(far_origin, {}), "far origin");
  const PointCloud coarse = harness::make_courtyard({.offset_m = {960, -960, 900}});
  expect_same_map(device->build(coarse, {}), VoxelMap(coarse, {}), "just below a kilometre");
}

/// A mean is rounded to float32, so the order of double sums may move it by a last bit.
void expect_same_windows(const DownloadedMap& got, const VoxelMap& expected, const std::string& name) {
  const VoxelMapView a = got.view(), b = expected.view();
  ASSERT_EQ(a.voxel_count, b.voxel_count) << name;
  EXPECT_EQ(got.info.voxels, expected.info().voxels) << name;
  ASSERT_TRUE(a.window.low == b.window.low && a.window.cells() == b.window.cells()) << name;
  for (std::size_t i = 0; i < b.window.cells(); ++i) {
    ASSERT_EQ(a.window.starts[i + 1], b.window.starts[i + 1]) << name << ", cell " << i;
    for (std::uint32_t k = b.window.starts[i]; k < b.window.starts[i + 1]; ++k)
      ASSERT_EQ(a.lists[k].voxel, b.lists[k].voxel) << name << ", cell " << i;
  }
  for (int v = 0; v < b.voxel_count; ++v) {
    const Vec3<double> between = cast<double>(a.voxels[v].centroid) - cast<double>(b.voxels[v].centroid) +
                                 cast<double>(a.voxels[v].mean_offset) -
                                 cast<double>(b.voxels[v].mean_offset);
    EXPECT_LE(std::sqrt(dot(between, between)), 1e-8) << name << ", window " << v;
    EXPECT_LE(relative_difference(cast<double>(a.voxels[v].inverse_covariance),
                                  cast<double>(b.voxels[v].inverse_covariance)),
              kRecord)
        << name << ", window " << v;
  }
}

TEST_F(DeviceVoxelMapTest, HasTheHostsWindows) {
  AlignOptions options = AlignOptions::pyramid();
  options.finish = Finish::windows;
  PointCloud far_origin = test_clouds::map();
  far_origin.origin = {64321, -5e5, 12};
  const auto expect = [&](const PointCloud& cloud, const VoxelMapLimits& limits, const char* name) {
    expect_same_windows(device->build_windows(cloud, options, limits),
                        VoxelMap::windows(MapCloud(cloud, options), options, limits), name);
  };
  expect(test_clouds::map(), {}, "courtyard");
  expect(far_origin, {}, "far origin");
  expect(test_clouds::map(), {.window_cells = 100000}, "most windows in the hash");
  expect(uniform_cloud(20000, 30, 4, 5), {}, "thin, in coarser windows");
}

TEST_F(DeviceVoxelMapTest, EqualsTheHostsWhereListsLieInTheHash) {
  const CellWindow whole = VoxelMap(test_clouds::map(), {}).view().window;
  for (const Neighbours policy : all_values<Neighbours>())
    for (const std::uint64_t cells :
         {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{2000}, whole.cells() / 2}) {
      const AlignOptions options = at_resolution(2, policy);
      const VoxelMapLimits limits{.window_cells = cells};
      expect_same_map(device->build(test_clouds::map(), options, limits),
                      VoxelMap(test_clouds::map(), options, limits),
                      std::string(to_string(policy)) + " with " + std::to_string(cells) + " cells");
    }
}

TEST_F(DeviceVoxelMapTest, EqualsTheHostsWithOutliersAThousandKilometresAway) {
  PointCloud cloud = test_clouds::map();
  cloud.points.insert(cloud.points.begin() + 100, {-1e6F, 1e6F, 1e6F});
  for (int i = 0; i < 8; ++i) cloud.points.push_back({1e6F, -1e6F, 1e6F});
  for (const double resolution_m : {1.0, 2.0})
    expect_same_map(device->build(cloud, at_resolution(resolution_m)),
                    VoxelMap(cloud, at_resolution(resolution_m)),
                    "outliers at " + std::to_string(resolution_m));
}

TEST_F(DeviceVoxelMapTest, DropsAndCountsNonFinitePoints) {
  PointCloud cloud = test_clouds::map();
  cloud.points.insert(cloud.points.begin() + 7, {std::nanf(""), 1, 1});
  cloud.points.push_back({1, INFINITY, 1});
  const DownloadedMap got = device->build(cloud, {});
  EXPECT_EQ(got.info.dropped_points, 2);
  expect_same_map(got, VoxelMap(cloud, {}), "with two points dropped");
}

TEST_F(DeviceVoxelMapTest, IsTheSameFromPointsThatAreOnTheDeviceAlready) {
  expect_same_map(device->build_from_device_points(test_clouds::map(), {}), VoxelMap(test_clouds::map(), {}),
                  "device points");
}

void expect_same_bits(const DownloadedMap& a, const DownloadedMap& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
  };
  EXPECT_TRUE(same(a.voxels, b.voxels));
  EXPECT_TRUE(same(a.surfaces, b.surfaces));
  EXPECT_TRUE(same(a.starts, b.starts));
  EXPECT_TRUE(same(a.lists, b.lists));
}

TEST_F(DeviceVoxelMapTest, HasTheSameBitsAgain) {
  expect_same_bits(device->build(test_clouds::map(), {}), device->build(test_clouds::map(), {}));
}

TEST_F(DeviceVoxelMapTest, TheMapsOfSeveralLevelsHaveTheBitsOfMapsBuiltAloneAndTakeOneUpload) {
  PointCloud near = test_clouds::map(), far_origin = near;
  near.points.insert(near.points.begin() + 7, {std::nanf(""), 1, 1});
  far_origin.origin = {5e6, -5e6, 5e6};
  const PointCloud far_floats = harness::courtyard_map_far();
  const std::vector<AlignOptions> levels = {at_resolution(12), at_resolution(5), at_resolution(2)};
  for (const PointCloud* cloud : std::array<const PointCloud*, 3>{&near, &far_origin, &far_floats}) {
    const std::int64_t before = device->uploads();
    const std::vector<DownloadedMap> together = device->build_levels(*cloud, levels);
    EXPECT_EQ(device->uploads(), before + 1);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      SCOPED_TRACE(std::to_string(levels[l].resolution_m) + " m, dropped " +
                   std::to_string(together[l].info.dropped_points));
      const DownloadedMap alone = device->build(*cloud, levels[l]);
      EXPECT_EQ(together[l].info.dropped_points, alone.info.dropped_points);
      EXPECT_EQ(together[l].info.origin.x, alone.info.origin.x);
      expect_same_bits(together[l], alone);
    }
  }
}

TEST_F(DeviceVoxelMapTest, RefusesWhatTheHostsRefusesInTheSameWords) {
  PointCloud nothing_finite, far = test_clouds::map(), coarse;
  nothing_finite.points.assign(20, {std::nanf(""), 0, 0});
  far.points[500] = {0, 3e6F, 0};
  far.points[400] = {-4e6F, 0, 0};
  for (int i = 0; i < 100; ++i) coarse.points.push_back({1e6F + static_cast<float>(i), 1e6F, 0});
  PointCloud repeated;
  repeated.points.assign(30, {1, 1, 1});
  struct Case {
    const char* name;
    PointCloud cloud;
    AlignOptions options;
    VoxelMapLimits limits;
  };
  const std::int64_t voxels = VoxelMap(test_clouds::map(), {}).info().voxels;
  const Case cases[] = {{"empty", {}, {}, {}},
                        {"nothing finite", nothing_finite, {}, {}},
                        {"one point", blobs({1}), {}, {}},
                        {"five points", blobs({5}), {}, {}},
                        {"sparse", blobs({5, 5, 3, 1}), at_resolution(2), {}},
                        {"repeated", repeated, AlignOptions::textbook(), {}},
                        {"far", far, at_resolution(1), {}},
                        {"coarse", coarse, {}, {}},
                        {"voxels", test_clouds::map(), {}, {.voxels = voxels - 1}}};
  for (const Case& c : cases) {
    const std::string expected = message_of<InputError>([&] { VoxelMap(c.cloud, c.options, c.limits); });
    EXPECT_NE(expected, "") << c.name;
    EXPECT_EQ(message_of<InputError>([&] { device->build(c.cloud, c.options, c.limits); }), expected)
        << c.name;
  }
  EXPECT_EQ(device->build(test_clouds::map(), {}, {.voxels = voxels}).info.voxels, voxels);
}

TEST_F(DeviceVoxelMapTest, LeavesNothingBehindWhicheverCallFails) {
  for (const std::uint64_t cells : {kWindowCells, std::uint64_t{2000}}) {
    const FaultReport report =
        device->build_with_faults(blobs({50, 60}), test_clouds::map(), {}, {.window_cells = cells});
    EXPECT_EQ(report.complaint, "");
    EXPECT_GT(report.failures, 20) << "too few calls were seen to fail";
  }
}

}  // namespace
}  // namespace ndt
