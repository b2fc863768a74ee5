// The 32 threads of a warp as lanes that share one item (exec/team.hpp has those of the host).
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

/// Items that a warp has where each is looked up by a lane of its own, and the whole warp works on one after
/// the other: few, so that small tasks still fill a device.
inline constexpr unsigned kItemsOfAWarp = 8;

/// The item of this lane, in a grid_of_lanes(); the largest number where the lane has none.
__device__ inline unsigned item_of_lane() {
  const auto lane = static_cast<unsigned>(WarpLanes::rank());
  return lane < kItemsOfAWarp ? kItemsOfAWarp * warp_index() + lane : ~0U;
}

/// Calls f(lane) on all lanes for one lane after the other for which `wanted`.
template <class F>
__device__ void for_each_item_of_warp(bool wanted, F&& f) {
  for (unsigned left = __ballot_sync(kWholeWarp, wanted); left != 0; left &= left - 1) f(__ffs(left) - 1);
}

/// The grid for n items of lanes.
inline cuda::Grid grid_of_lanes(long long n) {
  return grid_of_warps((n + kItemsOfAWarp - 1) / kItemsOfAWarp);
}

}  // namespace ndt
