// Registers a scan that is in a GPU's memory, where its points stay, and prints the pose: align_on_device MAP
// SCAN
#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "ndt/implementations.hpp"
#include "ndt/io/clouds.hpp"

struct Record {
  float x, y, z, intensity;
};

/// Stands for the kernels of a pipeline, which leave their points on the device and work on `stream`.
ndt::DeviceCloud perceive(const ndt::PointCloud& cloud, cudaStream_t stream) {
  std::vector<Record> records;
  for (const ndt::Point& p : cloud.points) records.push_back({p.x, p.y, p.z, 0});
  const std::size_t bytes = records.size() * sizeof(Record);
  void* points = nullptr;
  if (cudaMalloc(&points, bytes) != cudaSuccess) throw std::runtime_error("no memory on the device");
  cudaMemcpyAsync(points, records.data(), bytes, cudaMemcpyHostToDevice, stream);
  ndt::DeviceCloud out{points, records.size(), sizeof(Record)};
  out.origin = cloud.origin;
  out.stream = stream;  // the points are read behind its work; nobody waits on the host
  return out;
}

int main(int count, char** words) try {
  if (count != 3) return std::fprintf(stderr, "usage: align_on_device MAP SCAN\n"), 2;
  const std::unique_ptr<ndt::Aligner> aligner = ndt::make_aligner("persistent_cuda");
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const ndt::DeviceCloud map = perceive(ndt::io::read_cloud(words[1]), stream),
                         scan = perceive(ndt::io::read_cloud(words[2]), stream);
  aligner->set_map(map);
  const ndt::Transform guess = ndt::to_transform({0.3, -0.2, 0.1, 0, 0, 0.05});  // x y z roll pitch yaw
  const ndt::AlignResult result = aligner->align(scan, guess);
  for (int i = 0; i < 16; ++i) std::printf("%.17g%c", result.map_from_scan.m[i], i % 4 == 3 ? '\n' : ' ');
  cudaFree(const_cast<void*>(map.points)), cudaFree(const_cast<void*>(scan.points));
  cudaStreamDestroy(stream);
  return result.stop == ndt::Stop::converged ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "align_on_device: %s\n", error.what()), 1;
}
