// A warp as a crew.
#pragma once

#include "ndt/exec/crew.hpp"

namespace ndt {

/// The 32 threads of a warp. All of them must reach every call together.
struct WarpCrew {
  template <class F>
  __device__ static void each(int n, F&& f) {
    __syncwarp();
    for (int i = static_cast<int>(threadIdx.x % 32U); i < n; i += 32) f(i);
    __syncwarp();
  }
  template <class F>
  __device__ static void one(F&& f) {
    __syncwarp();
    if (threadIdx.x % 32U == 0) f();
    __syncwarp();
  }
  __device__ static bool all(bool ok) { return __all_sync(~0U, ok) != 0; }
};

}  // namespace ndt
