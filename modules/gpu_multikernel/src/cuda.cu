// multikernel_cuda: nothing but the backend.
#include "cuda_backend.cuh"
#include "ndt/cuda/device.hpp"
#include "ndt/gpu_multikernel/aligner.hpp"
#include "staged_aligner.hpp"

namespace ndt::gpu_multikernel {

std::string cuda_unavailable_reason() { return cuda_state().unavailable; }

std::unique_ptr<BatchAligner> make_cuda_aligner(const AlignOptions& options) {
  if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
    throw std::runtime_error("multikernel_cuda: " + reason);
  return std::make_unique<StagedAligner<CudaBackend>>(options);
}

}  // namespace ndt::gpu_multikernel
