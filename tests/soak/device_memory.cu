#include <cuda_runtime.h>

#include "device_memory.hpp"
#include "ndt/cuda/device.hpp"

namespace ndt::soak {

std::int64_t device_kib() {
  if (!cuda_state().unavailable.empty()) return 0;
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return static_cast<std::int64_t>((total - free) / 1024);
}

}  // namespace ndt::soak
