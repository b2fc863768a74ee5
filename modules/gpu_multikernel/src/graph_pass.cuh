// One pass of the graph's WHILE node: the blocks sum the scan at the trial poses, and the block that finishes
// last advances the loop of solve/newton_loop.hpp.
#pragma once

#include "ndt/align/align_options.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/exec/chunks.hpp"
#include "ndt/exec/warp.cuh"
#include "ndt/exec/warp_crew.cuh"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/score/level_map.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_outcome.hpp"
#include "ndt/solve/trust_region.hpp"

namespace ndt::gpu_multikernel {

/// Columns of a sum's counts, which follow its real numbers; all columns are doubles.
enum : int { kPairsColumn = kDerivativeSums, kPointsColumn, kSumColumns };

/// Sums the threads' shares over the block into out[kSumColumns], in global memory: float within a warp,
/// double across warps, in a fixed order. All threads must call it. A block has at most 32 warps, all of them
/// full.
__device__ inline void sum_block(const DerivativeSums<float>& mine, double* out) {
  constexpr int kRest = kDerivativeSums - 32;
  __shared__ float shared[32][kDerivativeSums];
  __shared__ unsigned long long counts[32];
  const unsigned lane = threadIdx.x % 32U, warp = threadIdx.x / 32U, warps = blockDim.x / 32U;
  float all[kDerivativeSums], first[32];
  to_array(mine, all);
#pragma unroll
  for (int i = 0; i < 32; ++i) first[i] = all[i];
  shared[warp][lane] = warp_transposed_sum(first);
#pragma unroll
  for (int i = 0; i < kRest; ++i) {
    const float sum = warp_sum(all[32 + i]);
    if (lane == 0) shared[warp][32 + i] = sum;
  }
  // A chunk has at most 2^20 points (Limits::kPoints) of at most 125 pairs: both counts fit one word.
  const auto packed = warp_sum(static_cast<unsigned long long>(mine.pairs) |
                               static_cast<unsigned long long>(mine.points) << 32);
  if (lane == 0) counts[warp] = packed;
  __syncthreads();
  if (threadIdx.x < kDerivativeSums) {
    double sum = 0;
    for (unsigned w = 0; w < warps; ++w) sum += static_cast<double>(shared[w][threadIdx.x]);
    out[threadIdx.x] = sum;
  } else if (threadIdx.x == 63) {
    unsigned long long sum = 0;
    for (unsigned w = 0; w < warps; ++w) sum += counts[w];
    out[kPairsColumn] = static_cast<double>(sum & 0xFFFFFFFFULL);
    out[kPointsColumn] = static_cast<double>(sum >> 32);
  }
}

/// Sums this thread's share of items [begin, end), which tiles of W threads take in turn.
template <int W, class F>
__device__ inline DerivativeSums<float> sum_tiles(int begin, int end, const F& f) {
  const int tiles = static_cast<int>(blockDim.x) / W, tile = static_cast<int>(threadIdx.x) / W;
  DerivativeSums<float> mine;
  for (int first = begin; first < end; first += tiles) {  // all lanes run all rounds, for the shuffles
    const bool there = first + tile < end;
    f(there ? first + tile : begin, there ? 1 : 0, WarpTile<W>{}, mine);
  }
  return mine;
}

/// The arguments that differ from alignment to alignment. They are uploaded between the guesses and the
/// points.
struct alignas(16) GraphHeader {
  const Point* scan = nullptr;
  const Transform* guesses = nullptr;
  LoopTrace* trace = nullptr;               ///< [poses][max_iterations + 1], or null
  const volatile int* interrupt = nullptr;  ///< a LoopStatus in host memory, or null
  int points = 0, poses = 0;
  int chunks = 0, chunk_size = 0;  ///< as Chunks(points), so that no thread has to divide
  int tile = 1;                    ///< threads that share a point
  int max_iterations = 0;
  Regularisation regularisation;
  double per_metre = 1;  ///< one over the scan's mean range
};

/// The number of poses that are still running, and a pass's progress over them.
struct GraphProgress {
  unsigned running = 0, arrived = 0, ended = 0;
};

/// The arguments that stay the same while map and buffers do. Arrays hold [poses] elements unless noted.
struct GraphArguments {
  const GraphHeader* header = nullptr;
  LevelMap levels[kMostMaps];  ///< coarse to fine, and the windows
  int coarse_stride = 1;             ///< every n-th point is used on all but the last
  LoopOptions options;               ///< all but those in the header
  bool trust_region = false;         ///< the steps of the kernels
  int trials = 1;                    ///< most trial poses of a pass
  bool plain = false;                ///< the graph has no WHILE node but a fixed number of passes
  LoopState* states = nullptr;
  Motion* motions = nullptr;    // [poses][trials]; the first of each is unused, as the state has it
  unsigned* tickets = nullptr;  // [poses][trials + 1]: blocks done with each trial, then trials folded
  double* partials = nullptr;   // [poses][trials][kMaxChunks][kSumColumns]
  double* totals = nullptr;     // [poses][trials][kSumColumns]
  GraphProgress* progress = nullptr;
  LoopOutcome* outcomes = nullptr;
  ChunkPlan ending{kPushes * kPushedPoints};  ///< of the sums at the end
};

inline constexpr unsigned kPassThreads = 512;  // most threads of a block
inline constexpr unsigned kFoldSlot = 64;      // threads that fold side by side, one column each
static_assert(kSumColumns <= kFoldSlot);

/// Number of threads that share a point: many if points are few and the device is not busy otherwise. It
/// depends on the scan and the options only, because the order of a sum depends on it.
inline int tile_for(int chunk_size, int trials, Tuning tuning) {
  const int most = tuning == Tuning::throughput ? 1 : trials > 1 ? 2 : 16;
  int tile = 1;
  while (2 * tile <= most && 2 * tile * chunk_size <= static_cast<int>(kPassThreads)) tile *= 2;
  return tile;
}
/// Number of threads of a block for chunks of `chunk_size` points.
inline unsigned threads_for(int chunk_size, int tile) {
  const unsigned wanted = static_cast<unsigned>(chunk_size * tile);
  const unsigned slots = (wanted + kFoldSlot - 1) / kFoldSlot;
  return kFoldSlot * (slots < 2 ? 2 : slots > kPassThreads / kFoldSlot ? kPassThreads / kFoldSlot : slots);
}

/// The loops' options for the scan.
__device__ inline LoopOptions options_for(const GraphArguments& g, const GraphHeader& h) {
  LoopOptions out = g.options;
  out.max_iterations = h.max_iterations;
  out.regularisation = h.regularisation;
  out.region.per_metre = h.per_metre;
  return out;
}

/// Number of trial poses that a pass evaluates: first the guess alone, then those that the line search wants
/// together.
__device__ inline int trials_of(const GraphArguments& g, const LoopState& state) {
  return g.trials == 1 || state.evaluations == 0 ? 1 : state.search.trials_ahead();
}

/// Copies a state word by word. All threads of the block call it together.
__device__ inline void copy_state(const LoopState* from, LoopState* to) {
  static_assert(sizeof(LoopState) % sizeof(double) == 0 && alignof(LoopState) % alignof(double) == 0);
  const auto* source = reinterpret_cast<const double*>(from);
  auto* target = reinterpret_cast<double*>(to);
  for (unsigned i = threadIdx.x; i < sizeof(LoopState) / sizeof(double); i += blockDim.x)
    target[i] = source[i];
}

/// Folds the partial sums of one trial's chunks, [chunks][kSumColumns], into totals. Each slot of threads
/// adds every slots-th chunk in order, then the slots are added in order. Ends with a barrier.
__device__ inline void fold(const double* partials, int chunks, double* totals) {
  constexpr int kAhead = 16;  // loads under way at once
  __shared__ double slots[kPassThreads / kFoldSlot][kSumColumns];
  const int column = static_cast<int>(threadIdx.x % kFoldSlot),
            slot = static_cast<int>(threadIdx.x / kFoldSlot);
  const int count = static_cast<int>(blockDim.x / kFoldSlot);
  if (column < kSumColumns) {
    double total = 0;
    for (int first = slot; first < chunks; first += kAhead * count) {
      double loaded[kAhead];
      NDT_UNROLL
      for (int j = 0; j < kAhead; ++j) {
        const int chunk = first + j * count;
        loaded[j] = chunk < chunks ? __ldcg(partials + chunk * kSumColumns + column) : 0.0;
      }
      NDT_UNROLL
      for (int j = 0; j < kAhead; ++j) total += loaded[j];
    }
    slots[slot][column] = total;
  }
  __syncthreads();
  if (slot == 0 && column < kSumColumns) {
    double total = 0;
    for (int s = 0; s < count; ++s) total += slots[s][column];
    totals[column] = total;
  }
  __syncthreads();
}

/// One warp: advances the loop over the trials' sums in order, until one of them moves the pose or ends the
/// loop. trace: of all poses, or null. interrupted: `running`, or the status with which the caller ends it.
template <class Steps>
__device__ __noinline__ void advance_over(const double* totals, int trials, LoopTrace* trace,
                                          const LoopOptions& options, LoopStatus interrupted, int pose,
                                          LoopState& state) {
  __shared__ DerivativeSums<double> sums;
  const WarpCrew crew;
  for (int c = 0; c < trials; ++c) {
    const double* columns = totals + c * kSumColumns;
    crew.each(kSumColumns, [&](int i) { set_column(sums, i, columns[i]); });
    Steps::commit(crew, Steps::propose(crew, sums, options, state), sums, options, true, state, [] {});
    if (state.accepted || state.status != LoopStatus::running) break;
  }
  if (state.status == LoopStatus::running && interrupted != LoopStatus::running)
    Steps::interrupt(crew, interrupted, options, state);
  __syncwarp();
  if (threadIdx.x == 0 && state.accepted && trace != nullptr)
    trace[static_cast<std::size_t>(pose) * static_cast<std::size_t>(options.max_iterations + 1) +
          static_cast<std::size_t>(state.iterations)] = trace_line(state);
}

/// The map of a pass's sums, its constants, and which points they use.
struct PassMap {
  const VoxelMapView& view;
  Gauss<float> gauss;
  int stride = 1;
};
__device__ inline PassMap map_of_pass(ClampedSteps, const GraphArguments& g, const LoopState&) {
  return {g.levels[0].view, g.levels[0].gauss};
}
__device__ inline PassMap map_of_pass(TrustRegion, const GraphArguments& g, const LoopState& state) {
  const LevelMap& level = g.levels[state.region.level];
  return {level.view, with_curvature(level.gauss, state.region.curvature_share),
          state.region.level >= g.options.region.last ? 1 : g.coarse_stride};
}

/// Sums this thread's share of a chunk, points [begin, end) of those that the pass uses, at one trial pose.
__device__ inline DerivativeSums<float> chunk_share(const PassMap& map, const GraphHeader& h,
                                                    const Motion& motion, int begin, int end) {
  const auto add = [&](int i, int count, const auto& lanes, DerivativeSums<float>& sums) {
    add_scan_points(map.view, map.gauss, motion, h.scan + i * map.stride, count, lanes, sums);
  };
  switch (h.tile) {
    case 16: return sum_tiles<16>(begin, end, add);
    case 8: return sum_tiles<8>(begin, end, add);
    case 4: return sum_tiles<4>(begin, end, add);
    case 2: return sum_tiles<2>(begin, end, add);
    default: return sum_tiles<1>(begin, end, add);
  }
}

/// Returns true in all threads of the block that arrives last of `expected`. That block may read everything
/// the others wrote, because each of them made its writes visible before it took its ticket.
__device__ inline bool arrive_last(unsigned* ticket, unsigned expected) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(ticket, 1U) == expected - 1;
    if (last) *ticket = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

/// Called by one thread for every pose that took part in the pass. The last caller decides whether another
/// pass follows.
__device__ inline void report(const GraphArguments& g, bool ended, cudaGraphConditionalHandle loop) {
  if (g.plain) return;
  if (gridDim.y == 1) {
    if (ended) cudaGraphSetConditional(loop, 0U);
    return;
  }
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
