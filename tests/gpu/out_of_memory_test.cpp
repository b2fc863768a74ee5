// Memory of the device that is really used up. Nothing else may run on it meanwhile.
#include <cuda_runtime.h>

#include <random>
#include <vector>

#include "device_implementations.hpp"
#include "ndt/cuda/context.cuh"

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

PointCloud large_map(std::size_t points) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(-60, 60);
  PointCloud cloud;
  cloud.points.resize(points);
  for (Point& p : cloud.points) p = {unit(random), unit(random), 0.2F * unit(random)};
  return cloud;
}

TEST_P(OutOfMemory, RealLackOfMemoryKeepsThePreviousMap) {
  const auto aligner = in_courtyard();
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  const PointCloud large = large_map(std::size_t{1} << 24);  // 192 MiB before anything is made of it
  {
    const FilledDevice filled(std::size_t{64} << 20);
    ASSERT_GT(filled.blocks(), 0U);
    try {
      aligner->set_map(large);
      ADD_FAILURE() << "a map of " << large.size() << " points fits into 64 MiB";
    } catch (const cuda::Error& error) {
      EXPECT_EQ(error.code(), cudaErrorMemoryAllocation) << error.what();
    }
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
  }
  EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
  EXPECT_EQ(aligner->set_map(large).points, std::int64_t{1} << 24);
  aligner->set_map(test_clouds::map());
  EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess)));
}

NDT_ON_DEVICE_IMPLEMENTATIONS(OutOfMemory);

}  // namespace
}  // namespace ndt
