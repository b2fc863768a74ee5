// Kernels of the search for places by levels.
#pragma once

#include "anywhere/place_view.hpp"
#include "ndt/exec/warp.cuh"
#include "ndt/initial_pose/scan_sketch.hpp"

namespace ndt::initial_pose {

inline constexpr int kLevelThreads = 256;

/// The counts that kernels tell the host, zero at first.
struct LevelCounts {
  unsigned long long poses;  ///< of roots with bound 0, or of a slice's
  unsigned roots;            ///< with a bound above 0
  int next_bound;
  unsigned boxes[PooledView::kMostLevels + 1];  ///< of each level, also those without room
};

/// Roots by falling bound.
struct RootsView {
  const unsigned *bounds, *numbers;  ///< number: heading times boxes plus box
  const Box* boxes;
  unsigned box_count;

  __device__ Node node(unsigned k) const {
    const unsigned number = numbers[k];
    return {static_cast<int>(bounds[k]), static_cast<int>(number / box_count),
            boxes[number % box_count].from};
  }
};

/// The lanes of a warp, which sum together.
struct WarpLanes {
  __device__ static int rank() { return static_cast<int>(threadIdx.x % 32U); }
  __device__ static constexpr int width() { return 32; }
  __device__ static int sum(int value) { return warp_sum(value); }
};

__device__ inline unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// A column of blocks for each heading; neighbouring threads take neighbouring boxes and read the same cell.
__global__ void bound_roots_kernel(const __grid_constant__ PlaceView view, const Box* boxes,
                                   unsigned box_count, int first_heading, unsigned* bounds, unsigned* numbers,
                                   LevelCounts* counts) {
  __shared__ int shared[3 * ScanSketch::kMostPoints];
  const int heading = first_heading + static_cast<int>(blockIdx.y);
  const int* given = &view.cells_at(heading)->x;
  static_assert(sizeof(Step) == 3 * sizeof(int));
  for (unsigned i = threadIdx.x; i < 3U * static_cast<unsigned>(view.points); i += blockDim.x)
    shared[i] = given[i];
  __syncthreads();
  const unsigned b = thread_number();
  unsigned kept = 0;
  unsigned long long excluded = 0;
  if (b < box_count) {
    const int bound = sum_at(OneLane{}, view.values[view.levels], reinterpret_cast<const Step*>(shared),
                             view.points, boxes[b].from, 1);
    const unsigned number = static_cast<unsigned>(heading) * box_count + b;
    bounds[number] = static_cast<unsigned>(bound);
    numbers[number] = number;
    kept = bound > 0 ? 1 : 0;
    excluded = bound > 0 ? 0 : boxes[b].poses;
  }
  kept = warp_sum(kept);
  excluded = warp_sum(excluded);
  if (WarpLanes::rank() != 0) return;
  atomicAdd(&counts->roots, kept);
  atomicAdd(&counts->poses, excluded);
}

__global__ void next_bound_kernel(const unsigned* sorted_bounds, unsigned k, unsigned count,
                                  LevelCounts* counts) {
  if (threadIdx.x == 0) counts->next_bound = k < count ? static_cast<int>(sorted_bounds[k]) : 0;
}

/// A warp for each root.
__global__ void dive_kernel(const __grid_constant__ PlaceView view, const RootsView roots, unsigned count,
                            Node* poses) {
  const unsigned k = thread_number() / 32U;
  if (k >= count) return;
  const Node pose = dive(WarpLanes{}, view, roots.node(k));
  if (WarpLanes::rank() == 0) poses[k] = pose;
}

/// Makes boxes of the roots [first, first + count) that reach `least`, and counts the poses of all of them.
__global__ void roots_kernel(const RootsView roots, unsigned first, unsigned count, int least, Node* to,
                             LevelCounts* counts, int level) {
  const unsigned k = thread_number();
  unsigned long long poses = 0;
  if (k < count) {
    const Node root = roots.node(first + k);
    poses = roots.boxes[roots.numbers[first + k] % roots.box_count].poses;
    if (root.bound >= least) to[atomicAdd(&counts->boxes[level], 1U)] = root;
  }
  poses = warp_sum(poses);
  if (WarpLanes::rank() == 0) atomicAdd(&counts->poses, poses);
}

/// A warp for each quarter of the boxes of a level; after an overflow there is nothing more to do.
__global__ void __launch_bounds__(kLevelThreads)
    quarters_kernel(const __grid_constant__ PlaceView view, int level, int least, unsigned room,
                    const Node* from, Node* to, LevelCounts* counts) {
  const unsigned boxes = counts->boxes[level];
  if (boxes > room) return;
  for (unsigned i = thread_number() / 32U; i < 4 * boxes; i += gridDim.x * blockDim.x / 32U) {
    const Node child = quarter(WarpLanes{}, view, level, from[i / 4], static_cast<int>(i % 4), least);
    if (WarpLanes::rank() != 0 || child.bound < least) continue;
    const unsigned at = atomicAdd(&counts->boxes[level - 1], 1U);
    if (at < room) to[at] = child;
  }
}

}  // namespace ndt::initial_pose
