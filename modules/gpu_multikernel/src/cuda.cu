// multikernel_cuda: the staged schedule on kernels, CUB and cuSOLVER.
#include "aligners.hpp"
#include "cuda_backend.cuh"
#include "ndt/edge/device_aligner.cuh"
#include "staged_aligner.hpp"

namespace ndt::gpu_multikernel {

std::unique_ptr<Aligner> make_cuda_aligner(const AlignOptions& options) {
  return std::make_unique<StagedAligner<DeviceAligner, CudaBackend>>(options);
}

std::string cuda_solver() {
  const std::string& missing = CuSolver::missing();
  return missing.empty() ? "cuSOLVER" : "own LDLT: " + missing;
}

}  // namespace ndt::gpu_multikernel
