// The answers of a build without CUDA; device.cu has those of a build with it.
#include "ndt/cuda/device.hpp"

namespace ndt {

const CudaState& cuda_state() {
  static const CudaState state{"built without CUDA: " NDT_CUDA_LEFT_OUT, 0, 0, {}};
  return state;
}

}  // namespace ndt
