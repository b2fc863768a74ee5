// One pass of the graph's WHILE node: the scan summed at the trial poses, and, by the block that finishes last, the loop advanced.
// The loop is solve/newton_loop.hpp's, the sums are those of the teams (exec/block_team.cuh).
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/exec/block_team.cuh"
#include "ndt/solve/device_outcome.cuh"
#include "ndt/solve/newton_loop.hpp"

namespace ndt::gpu_multikernel {

using ScanTotal = Total<DerivativeSums<double>>;

/// What differs from alignment to alignment: travels between starts and points.
struct alignas(16) GraphHeader {
  const Point* scan = nullptr;
  const LoopStart* starts = nullptr;
  LoopTrace* trace = nullptr;               ///< [poses][max_iterations + 1], or null
  const volatile int* interrupt = nullptr;  ///< a LoopEnd in host memory, or null
  int points = 0, poses = 0;
  ChunkPlan plan;  ///< of the points
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
  bool plain = false;   ///< no WHILE node: as many passes as the graph has
  LoopState* states = nullptr;
  Motion* motions = nullptr;    // [poses][candidates], but for the first of each, which the state has
  unsigned* tickets = nullptr;  // [poses][candidates + 1]: blocks that are done with a trial, trials that are folded
  double* partials = nullptr;   // [poses][candidates][kMaxChunks][kMostColumns]
  ScanTotal* totals = nullptr;  // [poses][candidates]
  GraphProgress* progress = nullptr;
  LoopOutcome* outcomes = nullptr;
};

inline constexpr unsigned kPassThreads = 512;  // of a block, at most

/// Trial poses that a pass evaluates: the guess alone, then what the search wants evaluated together.
__device__ inline int trials_of(const LoopState& state) {
  return state.evaluations == 0 ? 1 : state.search.trials_ahead();
}

/// Copies a value word by word, all threads of the block together: from device memory that another block wrote, or to it.
template <class T>
__device__ inline void copy_words(const T* from, T* to) {
  static_assert(sizeof(T) % sizeof(double) == 0 && alignof(T) % alignof(double) == 0);
  const auto* source = reinterpret_cast<const volatile double*>(from);
  auto* target = reinterpret_cast<double*>(to);
  for (unsigned i = threadIdx.x; i < sizeof(T) / sizeof(double); i += blockDim.x) target[i] = source[i];
}

/// The blocks of a pass: each sums a chunk at a trial pose, and the one that is done last folds all chunks.
class PassTeam : public DeviceTeam {
 public:
  using DeviceTeam::DeviceTeam;

  /// partials: [kMaxChunks][kMostColumns] in device memory.
  template <class F, class Ask>
  __device__ void sum_chunk(int chunk, F&& f, Ask&& ask, double* partials) {
    put_question(ask);
    sum_chunks<DerivativeSums>(plan_.groups.cut, chunk, kMaxChunks, kMaxChunks, f,
                               [&](int, int column, double value) { partials[chunk * kMostColumns + column] = value; });
  }

  /// In the order of the other teams (BlockTeam::sum), so the bits are theirs.
  __device__ const ScanTotal& fold(const double* partials) {
    constexpr int kAll = kColumns<DerivativeSums<float>>;
    const ChunkGroups& groups = plan_.groups;
    for (int i = static_cast<int>(threadIdx.x); i < groups.groups * kAll; i += static_cast<int>(blockDim.x)) {
      const int group = i / kAll, column = i % kAll, first = group * groups.per_group;
      double loaded[kMostChunksPerGroup];
#pragma unroll
      for (int j = 0; j < kMostChunksPerGroup; ++j) {
        const bool there = j < groups.per_group && first + j < groups.chunks;
        loaded[j] = there ? __ldcg(partials + (first + j) * kMostColumns + column) : 0.0;
      }
      double sum = 0;
#pragma unroll
      for (int j = 0; j < kMostChunksPerGroup; ++j) sum += loaded[j];
      memory_.groups[0][group][column] = sum;
    }
    __syncthreads();
    return fold_groups<DerivativeSums>(memory_.groups[0], groups.groups);
  }
};

/// One warp: takes the trials' sums in order until one of them moves the pose or ends the loop.
__device__ __noinline__ void advance_over(const ScanTotal* totals, int trials, const GraphArguments& g,
                                          const LoopOptions& options, int pose, LoopState& state) {
  const WarpCrew crew;
  for (int c = 0; c < trials; ++c) {
    advance(crew, totals[c].sums, options, state);
    if (state.accepted || state.end != LoopEnd::running) break;
  }
  __syncwarp();  // all have looked at state.end, which the caller may set
  if (threadIdx.x == 0 && state.accepted && g.header->trace != nullptr)
    g.header->trace[static_cast<std::size_t>(pose) * static_cast<std::size_t>(options.max_iterations + 1) +
                    static_cast<std::size_t>(state.iterations)] = trace_line(state);
}

/// True in all threads of the block that arrives last of `expected`. Then everything the others wrote can be read.
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

/// One thread per pose that took part: the last of them says whether there is another pass.
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
