// multikernel_transfers_cuda: the staged schedule with its sums and its solver on the host.
#include "aligners.hpp"
#include "cuda_backend.cuh"
#include "ndt/edge/device_aligner.cuh"
#include "staged_aligner.hpp"
#include "transfers_backend.hpp"

namespace ndt::gpu_multikernel {

std::unique_ptr<Aligner> make_transfers_aligner(const AlignOptions& options) {
  return std::make_unique<StagedAligner<DeviceAligner, TransfersBackend<CudaDevice>>>(options);
}

}  // namespace ndt::gpu_multikernel
