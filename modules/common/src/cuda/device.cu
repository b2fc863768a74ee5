#include <cuda_runtime.h>

#include <stdexcept>

#include "ndt/cuda/device.hpp"

namespace ndt {
namespace {

std::string text_of(cudaError_t code) { return cudaGetErrorString(code); }

CudaDevice device(int index) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return {};
  char pci_bus_id[32] = "";
  (void)cudaDeviceGetPCIBusId(pci_bus_id, sizeof pci_bus_id, index);
  return {properties.name,
          properties.major,
          properties.minor,
          properties.multiProcessorCount,
          static_cast<std::int64_t>(properties.totalGlobalMem),
          pci_bus_id};
}

__global__ void probe_kernel() {}

/// Tells why device 0 runs no kernel of this build; empty if it does.
std::string why_no_kernel(const CudaDevice& first) {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (code == cudaSuccess) return {};
  (void)cudaGetLastError();
  return "device 0 (" + first.name + ", compute capability " + std::to_string(first.major) + "." +
         std::to_string(first.minor) + ") cannot run this build: " + text_of(code) +
         "; configure with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(10 * first.major + first.minor);
}

CudaState ask() {
  CudaState state;
  (void)cudaDriverGetVersion(&state.driver);
  (void)cudaRuntimeGetVersion(&state.runtime);
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    // The runtime calls a missing driver an insufficient version, which is a riddle.
    state.unavailable = state.driver == 0     ? "no NVIDIA driver is loaded"
                        : code == cudaSuccess ? "no CUDA device"
                                              : "no CUDA device: " + text_of(code);
    return state;
  }
  for (int i = 0; i < count; ++i) state.devices.push_back(device(i));
  state.unavailable = why_no_kernel(state.devices.front());
  return state;
}

}  // namespace

const CudaState& cuda_state() {
  static const CudaState state = ask();
  return state;
}

void require_device(int index) {
  const std::size_t count = cuda_state().devices.size();
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    throw std::invalid_argument("option device = " + std::to_string(index) + ": this machine has " +
                                std::to_string(count) + (count == 1 ? " CUDA device" : " CUDA devices"));
}

}  // namespace ndt
