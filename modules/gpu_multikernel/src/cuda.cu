// multikernel_cuda: the staged schedule on kernels, CUB and cuSOLVER. multikernel_transfers_cuda: the same
// with its sums and its solver on the host. Both instantiate the same kernels, which are compiled once here.
#include "aligners.hpp"
#include "cuda_backend.cuh"
#include "ndt/edge/device_aligner.cuh"
#include "staged_aligner.hpp"
#include "transfers_backend.hpp"

namespace ndt::gpu_multikernel {

std::unique_ptr<Aligner> make_cuda_aligner(const AlignOptions& options) {
  return std::make_unique<StagedAligner<DeviceAligner, CudaBackend>>(options);
}

std::unique_ptr<Aligner> make_transfers_aligner(const AlignOptions& options) {
  return std::make_unique<StagedAligner<DeviceAligner, TransfersBackend<CudaDevice>>>(options);
}

std::string cuda_solver() {
  const std::string& missing = CuSolver::missing();
  return missing.empty() ? "cuSOLVER" : "own LDLT: " + missing;
}

}  // namespace ndt::gpu_multikernel
