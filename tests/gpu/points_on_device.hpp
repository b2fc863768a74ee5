// Points in a device's memory as another program leaves them there.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt {

inline void must(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

inline int current_device() {
  int device = -1;
  must(cudaGetDevice(&device));
  return device;
}

/// The layout of points in memory: offsets of their coordinates, with NaN between them.
struct Layout {
  const char* name;
  std::ptrdiff_t stride = 12, x = 0, y = 4, z = 8;
};
inline const std::vector<Layout>& record_layouts() {
  static const std::vector<Layout> all{
      {"packed", 12}, {"x y z i", 16}, {"32 bytes", 32}, {"z first", 20, 12, 8, 4}};
  return all;
}

class PointsOnDevice {
 public:
  /// On the current device. delay: the points are written by a stream that waits so long before; until then
  /// there are zeros.
  explicit PointsOnDevice(const PointCloud& cloud, const Layout& layout = record_layouts().front(),
                          std::chrono::milliseconds delay = {})
      : bytes_(cloud.size() * static_cast<std::size_t>(layout.stride), '\xff'), delay_(delay) {
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      char* at = bytes_.data() + i * static_cast<std::size_t>(layout.stride);
      const Point& p = cloud.points[i];
      std::memcpy(at + layout.x, &p.x, 4), std::memcpy(at + layout.y, &p.y, 4),
          std::memcpy(at + layout.z, &p.z, 4);
    }
    must(cudaMalloc(&memory_, bytes_.size() + 1));
    must(cudaMalloc(&source_, bytes_.size() + 1));
    must(cudaMemset(memory_, 0, bytes_.size() + 1));
    must(cudaMemcpy(source_, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice));
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    must(cudaDeviceSynchronize());
    if (delay_.count() > 0) must(cudaLaunchHostFunc(stream_, sleep, &delay_));
    must(cudaMemcpyAsync(memory_, source_, bytes_.size(), cudaMemcpyDeviceToDevice, stream_));
    if (delay_.count() == 0) must(cudaStreamSynchronize(stream_));
    cloud_ = {memory_, cloud.size(), layout.stride, layout.x, layout.y, layout.z, cloud.origin, stream_};
  }
  ~PointsOnDevice() {
    (void)cudaStreamSynchronize(stream_);
    (void)cudaStreamDestroy(stream_);
    (void)cudaFree(memory_);
    (void)cudaFree(source_);
  }
  PointsOnDevice(const PointsOnDevice&) = delete;
  PointsOnDevice& operator=(const PointsOnDevice&) = delete;

  const DeviceCloud& cloud() const { return cloud_; }
  operator Scan() const { return cloud_; }
  cudaStream_t stream() const { return stream_; }
  /// Writes zeros over the points, on their stream.
  void overwrite() { must(cudaMemsetAsync(memory_, 0, bytes_.size(), stream_)); }

 private:
  static void sleep(void* delay) {
    std::this_thread::sleep_for(*static_cast<std::chrono::milliseconds*>(delay));
  }

  std::vector<char> bytes_;
  std::chrono::milliseconds delay_;
  void *memory_ = nullptr, *source_ = nullptr;
  cudaStream_t stream_ = nullptr;
  DeviceCloud cloud_;
};

}  // namespace ndt
