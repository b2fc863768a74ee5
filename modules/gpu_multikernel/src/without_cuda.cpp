// The CUDA rows in a build that left CUDA out: listed with the reason, and refusing to be made.
#include <stdexcept>

#include "ndt/cuda/device.hpp"
#include "ndt/gpu_multikernel/aligner.hpp"

namespace ndt::gpu_multikernel {

std::string cuda_unavailable_reason() { return cuda_state().unavailable; }
std::string graph_unavailable_reason() { return cuda_state().unavailable; }

std::unique_ptr<BatchAligner> make_cuda_aligner(const AlignOptions&) {
  throw std::runtime_error("multikernel_cuda: " + cuda_unavailable_reason());
}
std::unique_ptr<BatchAligner> make_graph_aligner(const AlignOptions&) {
  throw std::runtime_error("multikernel_graph_cuda: " + graph_unavailable_reason());
}

}  // namespace ndt::gpu_multikernel
