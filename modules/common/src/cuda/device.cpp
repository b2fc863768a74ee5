// The answer of a build that left CUDA out; device.cu has the others.
#include "ndt/cuda/device.hpp"

namespace ndt {

const CudaState& cuda_state() {
  static const CudaState state{"built without CUDA: " NDT_CUDA_LEFT_OUT, 0, 0, {}};
  return state;
}

}  // namespace ndt
