// One pass of the graph's WHILE node: the scan summed at the trial poses, and, by the block that finishes last, the loop advanced.
// The loop is solve/newton_loop.hpp's.
#pragma once

#include "ndt/score/block_derivative_sums.cuh"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_outcome.hpp"

namespace ndt::gpu_multikernel {

/// What differs from alignment to alignment: travels in front of guesses and points.
struct alignas(16) GraphHeader {
  const Point* scan = nullptr;
  const Transform* guesses = nullptr;
  LoopTrace* trace = nullptr;               ///< [poses][max_iterations + 1], or null
  const volatile int* interrupt = nullptr;  ///< a LoopEnd in host memory, or null
  int points = 0, poses = 0, tile = 1;
  int max_iterations = 0;
  Regularisation regularisation;
  double mean_range_m = 0;
};

/// How many poses go on, and how far a pass over them has come.
struct GraphProgress {
  unsigned running = 0, arrived = 0, ended = 0;
};

/// What stays as long as map and buffers do. [poses] where it says nothing else.
struct GraphArguments {
  const GraphHeader* header = nullptr;
  VoxelMapView map;
  const VoxelSurface* surfaces = nullptr;
  Gauss<float> gauss;
  LoopOptions options;  ///< less what the header holds
  int candidates = 1;   ///< trial poses of a pass at most
  LoopState* states = nullptr;
  Motion* motions = nullptr;    // [poses][candidates]
  int* trials = nullptr;        // trial poses of this pass
  unsigned* tickets = nullptr;  // blocks that are done with a pose
  double* partials = nullptr;   // [poses][candidates][kMaxChunks][kSumColumns]
  GraphProgress* progress = nullptr;
  LoopOutcome* outcomes = nullptr;
};

inline constexpr unsigned kPassThreads = 512;  // of a block, at most
inline constexpr unsigned kFoldSlot = 64;      // threads that fold one trial's columns

/// Threads that share a point: many where points are few. Depends on the scan and the options only, as every sum's order must.
inline int tile_for(int points, int candidates) {
  const int most = candidates > 1 ? 2 : 16, size = Chunks(points).size;
  int tile = 1;
  while (2 * tile <= most && 2 * tile * size <= static_cast<int>(kPassThreads)) tile *= 2;
  return tile;
}
/// Threads of a block for chunks of that size.
inline unsigned threads_for(int points, int tile) {
  const unsigned wanted = static_cast<unsigned>(Chunks(points).size * tile);
  unsigned threads = 2 * kFoldSlot;
  while (threads < wanted && threads < kPassThreads) threads *= 2;
  return threads;
}

/// Copies a state word by word, all threads of the block together.
__device__ inline void copy_state(const LoopState* from, LoopState* to) {
  static_assert(sizeof(LoopState) % sizeof(double) == 0 && alignof(LoopState) == alignof(double));
  const auto* source = reinterpret_cast<const double*>(from);
  auto* target = reinterpret_cast<double*>(to);
  for (unsigned i = threadIdx.x; i < sizeof(LoopState) / sizeof(double); i += blockDim.x) target[i] = source[i];
}

/// Folds the chunks' partial sums of every trial, in chunk order within a slot of threads; one trial alone has all the slots,
/// which fold every slots-th chunk. Ends with a barrier.
__device__ inline void fold(const double* partials, int candidates, int chunks, double (*totals)[kSumColumns]) {
  __shared__ double slots[kPassThreads / kFoldSlot][kSumColumns];
  const int column = static_cast<int>(threadIdx.x % kFoldSlot), slot = static_cast<int>(threadIdx.x / kFoldSlot);
  const int count = static_cast<int>(blockDim.x / kFoldSlot);
  const auto sum = [&](int trial, int first, int step) {
    const double* from = partials + static_cast<std::size_t>(trial) * kMaxChunks * kSumColumns + column;
    double total = 0;
#pragma unroll 8
    for (int c = first; c < chunks; c += step) total += __ldcg(from + c * kSumColumns);
    return total;
  };
  if (candidates > 1) {
    for (int trial = slot; trial < candidates; trial += count)
      if (column < kSumColumns) totals[trial][column] = sum(trial, 0, 1);
  } else {
    if (column < kSumColumns) slots[slot][column] = sum(0, slot, count);
    __syncthreads();
    if (slot == 0 && column < kSumColumns) {
      double total = 0;
      for (int s = 0; s < count; ++s) total += slots[s][column];
      totals[0][column] = total;
    }
  }
  __syncthreads();
}

/// One thread: takes the trials' sums in order until one of them moves the pose or ends the loop.
__device__ __noinline__ void advance_over(const double (*totals)[kSumColumns], int trials, const GraphArguments& g,
                                          int pose, LoopState& state) {
  LoopOptions options = g.options;
  options.max_iterations = g.header->max_iterations;
  options.regularisation = g.header->regularisation;
  for (int c = 0; c < trials; ++c) {
    DerivativeSums<double> sums;
    from_array(totals[c], sums);
    sums.pairs = static_cast<std::int64_t>(totals[c][kPairsColumn]);
    sums.points = static_cast<std::int64_t>(totals[c][kPointsColumn]);
    advance(sums, options, state);
    if (state.accepted || state.end != LoopEnd::running) break;
  }
  if (state.accepted && g.header->trace != nullptr)
    g.header->trace[static_cast<std::size_t>(pose) * static_cast<std::size_t>(options.max_iterations + 1) +
                    static_cast<std::size_t>(state.iterations)] = {state.here.pose, state.here.at.score,
                                                                   state.here.at.nvtl(), state.step};
}

/// The threads' shares of a chunk at one trial pose.
__device__ inline DerivativeSums<float> chunk_share(const GraphArguments& g, const GraphHeader& h, const Motion& motion,
                                                    int begin, int end) {
  const auto add = [&](int i, int count, const auto& lanes, DerivativeSums<float>& sums) {
    add_scan_points(g.map, g.gauss, motion, h.scan + i, count, lanes, sums);
  };
  switch (h.tile) {
    case 16: return sum_tiles<16>(begin, end, add);
    case 8: return sum_tiles<8>(begin, end, add);
    case 4: return sum_tiles<4>(begin, end, add);
    case 2: return sum_tiles<2>(begin, end, add);
    default: return sum_tiles<1>(begin, end, add);
  }
}

/// True in all threads of the block that arrives last of `expected`. Then everything the others wrote can be read.
__device__ inline bool arrive_last(unsigned* ticket, unsigned expected) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(ticket, 1U) == expected - 1;
    if (last) *ticket = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

/// One thread per pose that took part: the last of them says whether there is another pass.
__device__ inline void report(const GraphArguments& g, bool ended, cudaGraphConditionalHandle loop) {
  GraphProgress& p = *g.progress;
  const unsigned running = p.running;
  if (ended) atomicAdd(&p.ended, 1U);
  __threadfence();
  if (atomicAdd(&p.arrived, 1U) != running - 1) return;
  __threadfence();
  const unsigned left = running - atomicExch(&p.ended, 0U);
  p.arrived = 0;
  p.running = left;
  cudaGraphSetConditional(loop, left > 0 ? 1U : 0U);
}

}  // namespace ndt::gpu_multikernel
