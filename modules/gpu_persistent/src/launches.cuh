// Which team a launch gets, and how large: asked of the device once.
#pragma once

#include <string>

#include "ndt/cuda/context.cuh"
#include "ndt/cuda/device.hpp"
#include "persistent_kernels.cuh"

namespace ndt::gpu_persistent {
namespace {

constexpr int kPortableCluster = 8, kLargestCluster = 16;

/// Blocks of grid_kernel that the GPU holds at once.
inline int resident_blocks(cuda::Context& context, unsigned threads) {
  int per_multiprocessor = 0;
  context.call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, grid_kernel, static_cast<int>(threads),
                                                         0);
  });
  return per_multiprocessor * cuda_state().devices.front().multiprocessors;
}

/// Whether a cluster of so many blocks fits the GPU.
inline bool cluster_fits(cuda::Context& context, int blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(kMostBlockThreads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  context.call("cudaOccupancyMaxActiveClusters",
               [&] { return cudaOccupancyMaxActiveClusters(&clusters, cluster_kernel, &config); });
  return clusters > 0;
}

/// Blocks of a cluster: as many as there are groups of chunks if the GPU has them so near to one another, else what every GPU with
/// clusters has.
inline int cluster_size(cuda::Context& context) {
  context.call("cudaFuncSetAttribute",
               [] { return cudaFuncSetAttribute(cluster_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1); });
  return cluster_fits(context, kLargestCluster) ? kLargestCluster : kPortableCluster;
}

inline std::string grid_reason() {
  const CudaState& state = cuda_state();
  if (!state.unavailable.empty()) return state.unavailable;
  int cooperative = 0;
  if (cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0) != cudaSuccess || cooperative == 0)
    return state.devices.front().name + " cannot launch cooperative kernels, whose blocks wait for one another";
  return {};
}

inline std::string cluster_reason() {
  const CudaState& state = cuda_state();
  if (!state.unavailable.empty()) return state.unavailable;
  const CudaDevice& device = state.devices.front();
  if (device.major < 9)
    return "thread-block clusters need compute capability 9.0, " + device.name + " has " +
           std::to_string(device.major) + "." + std::to_string(device.minor);
  cudaFuncAttributes attributes{};
  if (const cudaError_t code = cudaFuncGetAttributes(&attributes, cluster_kernel); code != cudaSuccess)
    return std::string("cudaFuncGetAttributes: ") + cudaGetErrorString(code);
  if (attributes.ptxVersion < 90)
    return "built for compute capability " + std::to_string(attributes.ptxVersion / 10) + "." +
           std::to_string(attributes.ptxVersion % 10) +
           ", and thread-block clusters need 9.0: build with -DCMAKE_CUDA_ARCHITECTURES=90";
  return {};
}

}  // namespace
}  // namespace ndt::gpu_persistent
