// The 32 threads of a warp as lanes that share one item (exec/lanes.hpp).
#pragma once

#include "ndt/cuda/context.cuh"

namespace ndt {

inline constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

struct WarpLanes {
  __device__ static int rank() { return static_cast<int>(threadIdx.x & 31); }
  __device__ static constexpr int width() { return 32; }
};

/// The index of this warp's item, in a grid with one item for each warp.
__device__ inline unsigned warp_index() { return (blockIdx.x * blockDim.x + threadIdx.x) / 32; }

/// The grid for n such items.
inline cuda::Grid grid_of_warps(long long n) { return cuda::grid_for(32 * n); }

}  // namespace ndt
