// The kernels of a cluster.
#include "persistent_kernels.cuh"

namespace ndt::gpu_persistent {

Kernel kernel_on_cluster(bool trust_region) {
  return trust_region ? cluster_kernel<TrustRegion> : cluster_kernel<ClampedSteps>;
}

}  // namespace ndt::gpu_persistent
