// The kernels of a grid.
#include "persistent_kernels.cuh"

namespace ndt::gpu_persistent {

Kernel kernel_on_grid(bool trust_region) {
  return trust_region ? grid_kernel<TrustRegion> : grid_kernel<ClampedSteps>;
}

}  // namespace ndt::gpu_persistent
