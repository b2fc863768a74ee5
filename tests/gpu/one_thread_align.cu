#include <cuda_runtime.h>
#include <thrust/device_vector.h>

#include <stdexcept>

#include "ndt/exec/team.hpp"
#include "one_thread_align.hpp"

namespace ndt {
namespace {

__global__ void one_thread_align_kernel(gpu_persistent::AlignInput input, LoopState start, LoopState* end) {
  SerialTeam team;
  gpu_persistent::persistent_align<ClampedSteps>(team, input, gpu_persistent::NoWatch{}, start, nullptr);
  *end = start;
}

template <class T>
thrust::device_vector<T> upload(const T* first, std::size_t count) {
  return thrust::device_vector<T>(first, first + count);
}

}  // namespace

std::string no_device_reason() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(error);
  return devices > 0 ? std::string() : std::string("no CUDA device");
}

LoopState align_on_one_gpu_thread(const gpu_persistent::AlignInput& input, const LoopState& start) {
  const VoxelMapView& map = input.levels[0].view;
  const CellWindow& window = map.window;
  const std::size_t cells = std::size_t{window.nx} * window.ny * window.nz;
  const std::size_t entries = window.starts[cells] + kNearVoxelPadding;
  const auto points = upload(input.scan.points, static_cast<std::size_t>(input.scan.size));
  const auto voxels = upload(map.voxels, static_cast<std::size_t>(map.voxel_count));
  const auto lists = upload(map.lists, entries);
  const auto starts = upload(window.starts, cells + 1);
  thrust::device_vector<LoopState> end(1);

  gpu_persistent::AlignInput on_device = input;
  on_device.scan.points = thrust::raw_pointer_cast(points.data());
  VoxelMapView& there = on_device.levels[0].view;
  there.voxels = thrust::raw_pointer_cast(voxels.data());
  there.lists = thrust::raw_pointer_cast(lists.data());
  there.window.starts = thrust::raw_pointer_cast(starts.data());
  one_thread_align_kernel<<<1, 1>>>(on_device, start, thrust::raw_pointer_cast(end.data()));
  for (const cudaError_t error : {cudaGetLastError(), cudaDeviceSynchronize()})
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  return end[0];
}

}  // namespace ndt
