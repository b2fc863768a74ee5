// Whether thread-block clusters can run here.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "ndt/cuda/context.cuh"
#include "ndt/cuda/device.hpp"

namespace ndt::cuda {

/// Blocks of a cluster that every GPU with clusters allows.
inline constexpr int kPortableCluster = 8;

/// Why a kernel cannot run as clusters on a GPU, one of cuda_state(); empty if it can.
template <class Kernel>
std::string why_no_clusters(Kernel kernel, int index) {
  const CudaState& state = cuda_state();
  if (!state.unavailable.empty()) return state.unavailable;
  const CudaDevice& device = state.devices.at(static_cast<std::size_t>(index));
  if (device.major < 9)
    return "thread-block clusters need compute capability 9.0, " + device.name + " has " +
           std::to_string(device.major) + "." + std::to_string(device.minor);
  const OnDevice here(index);
  cudaFuncAttributes attributes{};
  if (const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel); code != cudaSuccess)
    return std::string("cudaFuncGetAttributes: ") + cudaGetErrorString(code);
  if (attributes.ptxVersion < 90)
    return "built for compute capability " + std::to_string(attributes.ptxVersion / 10) + "." +
           std::to_string(attributes.ptxVersion % 10) +
           ", and thread-block clusters need 9.0: build with -DCMAKE_CUDA_ARCHITECTURES=90";
  return {};
}

}  // namespace ndt::cuda
