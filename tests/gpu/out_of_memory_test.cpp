// The device's memory: really used up, or counted. Nothing else may run on the device meanwhile.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <regex>
#include <stdexcept>
#include <vector>

#include "base/process.hpp"
#include "device_implementations.hpp"
#include "message_of.hpp"
#include "ndt/core/error.hpp"
#include "ndt/cuda/context.cuh"
#include "ndt/voxel/map_memory.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "tiles.hpp"

namespace ndt {
namespace {

const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

class OutOfMemory : public DeviceImplementation {};

/// All of the device's memory but so many bytes.
class FilledDevice {
 public:
  explicit FilledDevice(std::size_t left) {
    for (std::size_t block = std::size_t{8} << 30; block >= std::size_t{1} << 20; block /= 2)
      for (std::size_t free = 0, total = 0;
           cudaMemGetInfo(&free, &total) == cudaSuccess && free >= left + block;) {
        void* memory = nullptr;
        if (cudaMalloc(&memory, block) != cudaSuccess) break;
        blocks_.push_back(memory);
      }
    (void)cudaGetLastError();
  }
  ~FilledDevice() {
    for (void* memory : blocks_) (void)cudaFree(memory);
  }
  std::size_t blocks() const { return blocks_.size(); }

 private:
  std::vector<void*> blocks_;
};

constexpr std::size_t kLeft = std::size_t{64} << 20;
constexpr const char* kTaken = "took the memory";

/// Run by AnotherProcess in a process of its own: holds the device's memory until its input ends.
TEST(DeviceMemory, DISABLED_IsTakenUntilInputEnds) {
  const FilledDevice filled(kLeft);
  ASSERT_GT(filled.blocks(), 0U);
  std::puts(kTaken);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}

/// Another process that takes all of the device's memory but kLeft; gives it back at the end.
class AnotherProcess {
 public:
  AnotherProcess() : process_(fork()) {
    if (process_ == 0) become_the_taker();
    if (process_ < 0) throw std::runtime_error("fork failed");
    input_.close_read();
    output_.close_write();
    std::string said;
    while (said.find(kTaken) == std::string::npos)
      if (!harness::drain(output_.read_end(), said)) throw std::runtime_error("it took no memory: " + said);
  }
  ~AnotherProcess() {
    input_.close_write();
    (void)waitpid(process_, nullptr, 0);
  }
  AnotherProcess(const AnotherProcess&) = delete;
  AnotherProcess& operator=(const AnotherProcess&) = delete;

 private:
  [[noreturn]] void become_the_taker() const {
    dup2(input_.read_end(), STDIN_FILENO);
    dup2(output_.write_end(), STDOUT_FILENO);
    execl("/proc/self/exe", "taker", "--gtest_also_run_disabled_tests",
          "--gtest_filter=DeviceMemory.DISABLED_IsTakenUntilInputEnds", nullptr);
    _exit(127);
  }

  harness::Pipe input_, output_;
  pid_t process_;
};

PointCloud large_map(std::size_t points) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(-60, 60);
  PointCloud cloud;
  cloud.points.resize(points);
  for (Point& p : cloud.points) p = {unit(random), unit(random), 0.2F * unit(random)};
  return cloud;
}

/// Refused in a sentence, not in the middle.
void expect_refused(Aligner& aligner, const PointCloud& large) {
  const std::string message = message_of<InputError>([&] { aligner.set_map(large); });
  EXPECT_TRUE(std::regex_match(
      message,
      std::regex(
          R"(set_map: the map needs up to \d+ MB on the device, \d+ MB are free; use longer voxels.*)")))
      << large.size() << " points: " << message;
}

/// Memory of the device that nobody has taken.
std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return free;
}

TEST_P(OutOfMemory, WhatOnlyBuildingNeededIsGivenBack) {
  const auto aligner = in_courtyard();
  const std::size_t before = free_memory();
  const std::int64_t held_before = aligner->traffic()->device_bytes;
  aligner->set_map(large_map(std::size_t{1} << 24));
  const std::int64_t held = aligner->traffic()->device_bytes - held_before;
  constexpr std::int64_t kPieces = std::int64_t{64} << 20;  // a pool takes and returns memory in pieces
  const auto kept = held + static_cast<std::int64_t>(cuda::Context::kSpareBytes) + kPieces;
  EXPECT_LE(static_cast<std::int64_t>(before - free_memory()), kept);
  EXPECT_GT(aligner->traffic()->peak_device_bytes, kept) << "the map is too small to show it";
  // Alignments still allocate nothing after the first, and give the same bits.
  const AlignResult first = aligner->align(test_clouds::scan(), kGuess);
  const std::int64_t allocations = aligner->traffic()->allocations;
  EXPECT_TRUE(harness::same_bits(first, aligner->align(test_clouds::scan(), kGuess)));
  EXPECT_EQ(aligner->traffic()->allocations, allocations);
}

TEST_P(OutOfMemory, TenThousandUpdatesOfAMapInTilesTakeNoMoreMemoryThanTheFirst) {
  if (!one_launch()) GTEST_SKIP() << "the tiles are the same for all implementations";
  const auto aligner = GetParam().make({});
  const auto resident = aligner->resident_map();
  const Tiles tiles = cut(test_clouds::map(), 16);
  add_all(*resident, tiles);
  const auto lap = [&] {
    for (const auto& [id, points] : tiles) {
      resident->remove(id);
      resident->add(id, points);
      aligner->exchange_map(resident->build());
    }
  };
  for (int k = 0; k < 10; ++k) lap();
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  const std::size_t free = free_memory();
  const long long held = cuda::live_allocations();
  for (std::size_t updates = 0; updates < 10000; updates += tiles.size()) lap();
  EXPECT_EQ(cuda::live_allocations(), held);
  EXPECT_GE(free_memory() + (std::size_t{32} << 20), free) << "a pool takes memory in pieces of 32 MiB";
  EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
}

/// options: of one level.
void expect_bounded(const Implementation& implementation, const AlignOptions& options) {
  const PointCloud large = large_map(std::size_t{1} << (options.finish == Finish::none ? 22 : 19));
  std::vector<LevelSize> size{VoxelMap(large, options).size()};
  if (options.finish == Finish::windows)
    size.push_back(VoxelMap::windows(MapCloud(large, options), options).size());
  const MapExtent extent{large.size(), 0, {-60, -60, -12}, {60, 60, 12}};
  const MapMemory bound = device_memory(extent, size, options.min_points);
  const auto aligner = implementation.make(options);
  const std::int64_t before = aligner->traffic()->device_bytes;
  aligner->set_map(large);
  const auto held = static_cast<std::uint64_t>(aligner->traffic()->device_bytes - before),
             peak = static_cast<std::uint64_t>(aligner->traffic()->peak_device_bytes - before);
  EXPECT_LE(held, bound.held);
  EXPECT_LE(peak, bound.peak);
  EXPECT_GE(2 * held, bound.held);
  EXPECT_GE(2 * peak, bound.peak);
  std::printf("holds %zu of %zu bytes, peak %zu of %zu\n", static_cast<std::size_t>(held),
              static_cast<std::size_t>(bound.held), static_cast<std::size_t>(peak),
              static_cast<std::size_t>(bound.peak));
}

TEST_P(OutOfMemory, TheMemoryOfABuildIsBounded) {
  AlignOptions options;
  options.resolution_m = 1;
  expect_bounded(GetParam(), options);
}

TEST_P(OutOfMemory, TheMemoryOfWindowsIsBounded) {
  AlignOptions options = AlignOptions::pyramid();
  options.resolution_m = 1;
  options.levels = {1};
  options.finish = Finish::windows;
  expect_bounded(GetParam(), options);
}

TEST_P(OutOfMemory, RealLackOfMemoryKeepsThePreviousMap) {
  const auto aligner = in_courtyard();
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  const PointCloud large = large_map(std::size_t{1} << 24);  // 192 MiB before anything is made of it
  {
    const FilledDevice filled(kLeft);
    ASSERT_GT(filled.blocks(), 0U);
    expect_refused(*aligner, large);
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
  }
  EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
  EXPECT_EQ(aligner->set_map(large).points, std::int64_t{1} << 24);
  aligner->set_map(test_clouds::map());
  EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
}

TEST_P(OutOfMemory, AReserveThatDoesNotFitIsRefusedAndTheAlignerGoesOn) {
  const auto aligner = in_courtyard();
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  {
    const FilledDevice filled(kLeft);
    ASSERT_GT(filled.blocks(), 0U);
    const std::string message = message_of<InputError>([&] { aligner->reserve(std::size_t{1} << 26, 2); });
    EXPECT_NE(message.find("reserve: the device has no memory for scans of 67108864 points"),
              std::string::npos)
        << message;
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
  }
}

TEST_P(OutOfMemory, AnotherProcessThatTakesAllMemoryCostsNewMapsOnly) {
  const auto aligner = in_courtyard();
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  const PointCloud large = large_map(std::size_t{1} << 24);
  {
    const AnotherProcess other;
    for (int k = 0; k < 100; ++k)
      ASSERT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess))) << k;
    expect_refused(*aligner, large);
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
  }
  EXPECT_EQ(aligner->set_map(large).points, std::int64_t{1} << 24);
}

NDT_ON_DEVICE_IMPLEMENTATIONS(OutOfMemory);

}  // namespace
}  // namespace ndt
