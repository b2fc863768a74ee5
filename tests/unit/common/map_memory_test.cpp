// The memory of a map on the CPU against its bound: what it holds, and the most that operator new gave while
// it was built. This program's operator new counts.
#include "ndt/voxel/map_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "message_of.hpp"
#include "ndt/core/error.hpp"
#include "ndt/edge/host_aligner.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace {

constexpr std::size_t kFront = 16;  // holds the size, and keeps the alignment
std::atomic<std::size_t> live = 0, most = 0;  // windows are made by several threads

}  // namespace

// All forms but for over-aligned types, because a sanitizer has its own of those that a program leaves out.
// Not inlined, because GCC would compare the front with what the standard's operators hand out.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  auto* memory = static_cast<char*>(std::malloc(size + kFront));
  if (memory == nullptr) return nullptr;
  *reinterpret_cast<std::size_t*>(memory) = size;
  const std::size_t now = live += size;
  for (std::size_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
  }
  return memory + kFront;
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  char* const front = static_cast<char*>(memory) - kFront;
  live -= *reinterpret_cast<std::size_t*>(front);
  std::free(front);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }

namespace ndt {
namespace {

/// A street: ground and walls, so that voxels have neighbours on some sides.
PointCloud street(std::size_t points, const Vec3<float>& at = {}) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> along(-150, 150), across(-12, 12), up(0, 9), noise(-0.03F, 0.03F);
  PointCloud cloud;
  cloud.points.reserve(points);
  for (std::size_t i = 0; i < points; ++i) {
    const float wall = i % 4 == 0 ? 12.0F : -12.0F;
    cloud.points.push_back(i % 2 == 0 ? Point{along(random), wall + noise(random), up(random)}
                                      : Point{along(random), across(random), noise(random)});
    cloud.points.back() = cloud.points.back() + at;
  }
  return cloud;
}

bool finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

MapExtent extent_of(const PointCloud& cloud) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  MapExtent out{cloud.size(), 0, {kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const Point& point : cloud.points) {
    if (!finite(point)) {
      ++out.non_finite;
      continue;
    }
    const Vec3<double> p = cloud.origin + cast<double>(point);
    out.low = {std::min(out.low.x, p.x), std::min(out.low.y, p.y), std::min(out.low.z, p.z)};
    out.high = {std::max(out.high.x, p.x), std::max(out.high.y, p.y), std::max(out.high.z, p.z)};
  }
  return out;
}

struct Built {
  std::vector<LevelSize> sizes;
  MapMemory real;
};

/// All levels, as an aligner builds them.
Built build(const PointCloud& cloud, const AlignOptions& options) {
  Built out;
  std::vector<std::unique_ptr<VoxelMap>> maps;
  maps.reserve(options.levels.size() + 1);
  out.sizes.reserve(options.levels.size() + 1);
  const std::size_t before = live;
  most = before;
  {
    const MapCloud points(cloud, options);
    AlignOptions one = options;
    for (const double level : options.levels) {
      one.resolution_m = level * options.resolution_m;
      maps.push_back(std::make_unique<VoxelMap>(points, one));
    }
    if (options.finish == Finish::windows)
      maps.push_back(std::make_unique<VoxelMap>(VoxelMap::windows(points, options)));
  }
  out.real.peak = most - before;
  for (const auto& map : maps) {
    out.real.held += map->bytes();
    out.sizes.push_back(map->size());
  }
  EXPECT_LE(out.real.held, live - before);
  EXPECT_LE(live - before, out.real.held + maps.size() * sizeof(VoxelMap));
  return out;
}

constexpr std::uint64_t kObjects = 2000;  // of a few levels, not counted in the bound

/// loosest: how many times the bound may exceed the real peak.
void expect_bounded(const PointCloud& cloud, const AlignOptions& options, double loosest, const char* what) {
  const Built built = build(cloud, options);
  const MapMemory bound = host_memory(extent_of(cloud), built.sizes);
  EXPECT_EQ(bound.held, built.real.held) << what;
  EXPECT_GE(bound.peak + kObjects, built.real.peak) << what;
  const double ratio = static_cast<double>(bound.peak) / static_cast<double>(built.real.peak);
  EXPECT_LE(ratio, loosest) << what;
  std::printf("%-28s holds %8.3f MB, peak %8.3f MB, bound %.2f times as much\n", what,
              static_cast<double>(built.real.held) / 1e6, static_cast<double>(built.real.peak) / 1e6, ratio);
}

AlignOptions at(double resolution_m, Neighbours neighbours = Neighbours::radius) {
  AlignOptions options;
  options.resolution_m = resolution_m;
  options.neighbours = neighbours;
  return options;
}

constexpr double kClose = 1.5;  // where all that matters was counted

TEST(MapMemory, OfAStreetIsBounded) {
  const PointCloud cloud = street(300000);
  for (const double resolution_m : {0.5, 1.0, 2.0, 5.0})
    expect_bounded(cloud, at(resolution_m), kClose, "street");
  for (const Neighbours policy : {Neighbours::direct1, Neighbours::direct7, Neighbours::direct27})
    expect_bounded(cloud, at(1, policy), kClose, "direct neighbours");
}

TEST(MapMemory, OfSeveralLevelsIsBounded) {
  const PointCloud cloud = street(300000);
  expect_bounded(cloud, AlignOptions::pyramid(), kClose, "pyramid");
  expect_bounded(cloud, AlignOptions::of_a_search(Profile::pyramid), kClose, "wide pyramid");
}

TEST(MapMemory, OfPointsThatAreLeftOutIsBounded) {
  PointCloud cloud = street(100000);
  for (std::size_t i = 0; i < cloud.size(); i += 3) cloud.points[i].y = std::nanf("");
  expect_bounded(cloud, at(1), kClose, "points that are not finite");
}

TEST(MapMemory, OfAMapFarAwayIsBounded) {
  PointCloud cloud = street(200000);
  cloud.origin = {500000, 5000000, 40};
  expect_bounded(cloud, at(2), kClose, "far origin");
  expect_bounded(street(200000, {1500, 0, 0}), at(2), kClose, "far points");
}

TEST(MapMemory, OfASparseMapIsBounded) {
  // The bound has to assume that any number of points is sorted.
  std::mt19937 random(3);
  std::uniform_real_distribution<float> far(-15000, 15000);
  PointCloud cloud = street(200000);
  for (int i = 0; i < 10; ++i) cloud.points.push_back({far(random), far(random), far(random)});
  expect_bounded(cloud, at(2), 8, "outliers");
  PointCloud scattered;
  for (int i = 0; i < 20000; ++i) {
    const Point p{far(random), far(random), far(random)};
    for (const float d : {0.0F, 0.1F, 0.2F, 0.3F})
      scattered.points.push_back({p.x + d, p.y - d * d, p.z + d});
  }
  AlignOptions few = at(5);
  few.min_points = 3;
  expect_bounded(scattered, few, 2, "voxels far from each other");
}

TEST(MapMemory, OfWindowsIsBounded) {
  AlignOptions options = AlignOptions::pyramid();
  options.resolution_m = 2;
  options.finish = Finish::windows;
  expect_bounded(street(300000), options, 2.5, "windows");
}

TEST(MapMemory, OfOneVoxelIsBounded) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> inside(0.1F, 0.9F);
  PointCloud cloud;
  for (int i = 0; i < 50; ++i) cloud.points.push_back({inside(random), inside(random), inside(random)});
  expect_bounded(cloud, at(1), 8, "one voxel");
}

TEST(MapMemory, OfADeviceIsTheCloudTheSortAndTheLevels) {
  const PointCloud cloud = street(300000);
  const Built built = build(cloud, at(1));
  const MapMemory device = device_memory(extent_of(cloud), built.sizes, 6);
  const std::uint64_t points = cloud.size();
  EXPECT_GT(device.peak, points * 12 + device_sort_bytes(points, 6, 1000));
  EXPECT_GE(device_sort_bytes(points, 6, 1000), points * 16);
  EXPECT_GE(device_sort_bytes(points, 6, std::uint64_t{1} << 40), points * 24);
  EXPECT_LT(device.held, 2 * built.real.held);
  EXPECT_GT(2 * device.held, built.real.held);
  const MapMemory twice = device_memory(extent_of(cloud), std::vector{built.sizes[0], built.sizes[0]}, 6);
  EXPECT_EQ(twice.held, 2 * device.held);
  EXPECT_EQ(twice.peak, device.peak + device.held);
}

/// Squares of 20 m in a row.
std::vector<TileCloud> row_of_tiles(int tiles) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> inside(0, 20), noise(-0.03F, 0.03F);
  std::vector<TileCloud> row;
  for (int k = 0; k < tiles; ++k) {
    std::vector<Point> points;
    for (int i = 0; i < 700 + 5 * k; ++i)
      points.push_back({inside(random) + 20 * static_cast<float>(k), inside(random), noise(random)});
    row.push_back(std::make_shared<const std::vector<Point>>(std::move(points)));
  }
  return row;
}

TEST(MapMemory, OfAResidentMapIsTheSameAfterEveryLapOf10000Updates) {
  constexpr int kTiles = 40, kHeld = 8, kLaps = 250;
  const std::vector<TileCloud> row = row_of_tiles(kTiles);
  const auto resident = host_resident_map(at(2));
  for (int k = 0; k < kHeld; ++k) resident->add(k, row[static_cast<std::size_t>(k)]);
  std::shared_ptr<const ReadyMap> in_force = resident->build();
  std::size_t after_a_lap = 0, most_of_a_lap = 0;
  for (int lap = 0; lap < kLaps; ++lap) {
    most = live.load();
    for (int k = 0; k < kTiles; ++k) {
      const int next = (k + kHeld) % kTiles;
      resident->remove(k);
      resident->add(next, row[static_cast<std::size_t>(next)]);
      in_force = resident->build();
    }
    if (lap < 2) {
      after_a_lap = live, most_of_a_lap = most;  // the first began without the map of a lap before
      continue;
    }
    ASSERT_EQ(live, after_a_lap) << "lap " << lap;
    ASSERT_EQ(most, most_of_a_lap) << "lap " << lap;
  }
  std::printf("%d updates: %.3f MB, at most %.3f MB\n", kTiles * kLaps, static_cast<double>(live) / 1e6,
              static_cast<double>(most) / 1e6);
}

TEST(MapMemory, ThatADeviceDoesNotHaveIsRefusedInASentence) {
  EXPECT_NO_THROW(require_device_room(64'000'000, 64'000'000));
  EXPECT_EQ(message_of<InputError>([] { require_device_room(64'000'001, 64'000'000); }),
            "set_map: the map needs up to 65 MB on the device, 64 MB are free; use longer voxels, crop "
            "the map or load tiles near the guess");
}

}  // namespace
}  // namespace ndt
