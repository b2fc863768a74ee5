// The CUDA rows in a build that left CUDA out: listed with the reason, and refusing to be made.
#include <stdexcept>

#include "ndt/cuda/device.hpp"
#include "ndt/gpu_persistent/aligner.hpp"

namespace ndt::gpu_persistent {

std::string grid_unavailable_reason() { return cuda_state().unavailable; }
std::string cluster_unavailable_reason() { return cuda_state().unavailable; }

std::unique_ptr<BatchAligner> make_grid_aligner(const AlignOptions&) {
  throw std::runtime_error("persistent_cuda: " + grid_unavailable_reason());
}
std::unique_ptr<BatchAligner> make_cluster_aligner(const AlignOptions&) {
  throw std::runtime_error("persistent_cluster_cuda: " + cluster_unavailable_reason());
}

}  // namespace ndt::gpu_persistent
