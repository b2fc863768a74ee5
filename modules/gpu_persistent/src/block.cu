// The kernels of a block.
#include "persistent_kernels.cuh"

namespace ndt::gpu_persistent {
namespace {

template <class Steps>
Kernel for_throughput(bool small) {
  return small ? warp_block_kernel<Steps, kSmallBlockThreads, kSmallBlocks>
               : warp_block_kernel<Steps, kMostBlockThreads, 1>;
}

}  // namespace

Kernel kernel_on_block(bool trust_region) {
  return trust_region ? block_kernel<TrustRegion> : block_kernel<ClampedSteps>;
}
Kernel kernel_on_warp_block(bool trust_region, bool small) {
  return trust_region ? for_throughput<TrustRegion>(small) : for_throughput<ClampedSteps>(small);
}

}  // namespace ndt::gpu_persistent
