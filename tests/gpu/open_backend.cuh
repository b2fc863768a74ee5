// The backend of multikernel_cuda with its context in reach.
#pragma once

#include "cuda_backend.cuh"

namespace ndt::gpu_multikernel {

struct OpenBackend : CudaBackend {
  using CudaBackend::CudaBackend;
  using DeviceRow::context;
};

}  // namespace ndt::gpu_multikernel
