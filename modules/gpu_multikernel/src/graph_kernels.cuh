// The kernels of the graph: begin, in a trust region the choice of the first level, pass and conclude. The
// parts of a pass are in graph_pass.cuh. Steps: ClampedSteps or TrustRegion.
#pragma once

#include "graph_pass.cuh"
#include "ndt/edge/device_ending.cuh"
#include "ndt/exec/block_team.cuh"
#include "ndt/exec/cluster_team.cuh"

namespace ndt::gpu_multikernel {
namespace {

template <class Steps>
__global__ void begin_kernel(const __grid_constant__ GraphArguments g) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k == 0) *g.progress = {static_cast<unsigned>(g.header->poses), 0, 0};
  if (k >= g.header->poses) return;
  g.states[k] = {};
  Steps::begin(loop_start(g.header->guesses[k]), options_for(g, *g.header), g.states[k]);
  for (int i = 0; i <= g.trials; ++i) g.tickets[k * (g.trials + 1) + i] = 0;
}

/// Evaluates the trial poses and advances the loops. The grid has kMaxChunks x trials blocks along x for
/// each pose along y.
template <class Steps>
__global__ void __launch_bounds__(kPassThreads)
    pass_kernel(const __grid_constant__ GraphArguments g, cudaGraphConditionalHandle loop) {
  __shared__ double shared_totals[StepSearch::kBatchedTrials * kSumColumns];
  __shared__ alignas(16) unsigned char state_bytes[sizeof(LoopState)];
  __shared__ LoopOptions options;
  __shared__ int interrupt;
  const int k = static_cast<int>(blockIdx.y), chunk = static_cast<int>(blockIdx.x % kMaxChunks),
            trial = static_cast<int>(blockIdx.x / kMaxChunks);
  const GraphHeader h = *g.header;
  LoopState& state = *reinterpret_cast<LoopState*>(state_bytes);
  copy_state(g.states + k, &state);
  if (threadIdx.x == 0) options = options_for(g, h);
  __syncthreads();
  if (state.status != LoopStatus::running) return;

  const int chunks = h.chunks > 0 ? h.chunks : 1, trials = trials_of(g, state);
  const auto trial_index =
      static_cast<std::size_t>(k) * static_cast<std::size_t>(g.trials) + static_cast<std::size_t>(trial);
  double* partials = g.partials + trial_index * kMaxChunks * kSumColumns;
  const bool takes_part = trial < trials;
  if (takes_part && chunk < chunks) {
    const Motion motion = trial == 0 ? state.at.motion : g.motions[trial_index];
    const PassMap map = map_of_pass(Steps{}, g, state);
    const int points = (h.points + map.stride - 1) / map.stride;
    const int begin = chunk * h.chunk_size, end = begin + h.chunk_size;
    sum_block(chunk_share(map, h, motion, begin, end < points ? end : points),
              partials + chunk * kSumColumns);
  }
  // Blocks with nothing to sum arrive too. Because every block reads its state and motion before it arrives,
  // the block that arrives last may overwrite them for the next pass.
  unsigned* tickets = g.tickets + static_cast<std::size_t>(k) * static_cast<std::size_t>(g.trials + 1);
  if (!arrive_last(tickets + trial, kMaxChunks)) return;
  const double* totals = shared_totals;
  if (threadIdx.x == blockDim.x - 1) interrupt = h.interrupt == nullptr ? 0 : *h.interrupt;
  if (g.trials == 1) {
    fold(partials, chunks, shared_totals);
  } else {
    double* all = g.totals + static_cast<std::size_t>(k) * static_cast<std::size_t>(g.trials) * kSumColumns;
    if (takes_part) fold(partials, chunks, all + trial * kSumColumns);
    if (!arrive_last(tickets + g.trials, static_cast<unsigned>(g.trials))) return;
    for (int i = static_cast<int>(threadIdx.x); i < trials * kSumColumns; i += static_cast<int>(blockDim.x))
      shared_totals[i] = __ldcg(all + i);
    __syncthreads();
  }
  if (threadIdx.x < 32)
    advance_over<Steps>(totals, trials, h.trace, options, static_cast<LoopStatus>(interrupt), k, state);
  if (threadIdx.x == 0) report(g, state.status != LoopStatus::running, loop);
  __syncthreads();
  copy_state(&state, g.states + k);
  const int ahead = static_cast<int>(threadIdx.x);
  if (ahead > 0 && ahead < trials_of(g, state) && state.status == LoopStatus::running)
    g.motions[static_cast<std::size_t>(k) * static_cast<std::size_t>(g.trials) +
              static_cast<std::size_t>(ahead)] =
        PoseMotion(moved(state.here.pose, state.direction, state.search.trial_ahead(ahead))).motion;
}
static_assert(static_cast<int>(LoopStatus::running) == 0, "no interruption");

constexpr unsigned kConcludeThreads = 512;

/// One block per pose: begins on the coarsest level whose surfaces fix the pose.
__global__ void __launch_bounds__(kConcludeThreads) choose_kernel(const __grid_constant__ GraphArguments g) {
  start_clock();
  __shared__ TeamMemory memory;
  const int k = static_cast<int>(blockIdx.x);
  const GraphHeader& h = *g.header;
  if (k >= h.poses || h.max_iterations == 0) return;
  BlockTeam team(memory, g.ending);
  LoopState& state = g.states[k];
  const RegionOptions& region = g.options.region;
  for (int level = 0; level < region.last; ++level) {
    const SurfacePose at(shifted(state.trial, region.levels[level].shift), h.per_metre);
    if (fixes_the_pose(sum_few_surfaces(team, {h.scan, h.points}, g.levels[level], at))) return;
    if (threadIdx.x == 0) TrustRegion::begin_on(level + 1, g.options, state);
  }
}

/// Writes the outcome of pose k. The team's blocks keep the loop's state in shared memory.
template <class Steps, class T>
__device__ void conclude_pose(T& team, const GraphArguments& g, int k) {
  __shared__ alignas(16) unsigned char state_bytes[sizeof(LoopState)];
  __shared__ LoopOptions options;
  LoopState& state = *reinterpret_cast<LoopState*>(state_bytes);
  const GraphHeader& h = *g.header;
  copy_state(g.states + k, &state);
  if (threadIdx.x == 0) options = options_for(g, h);
  __syncthreads();
  conclude(team, {h.scan, h.points}, g.levels[Steps::last_level(g.options)], options, h.per_metre, state,
           g.outcomes[k]);
}

/// One block per pose.
template <class Steps>
__global__ void __launch_bounds__(kConcludeThreads)
    conclude_kernel(const __grid_constant__ GraphArguments g) {
  start_clock();
  __shared__ TeamMemory memory;
  BlockTeam team(memory, g.ending);
  conclude_pose<Steps>(team, g, static_cast<int>(blockIdx.x));
}

/// One cluster per pose.
template <class Steps>
__global__ void __launch_bounds__(kConcludeThreads)
    conclude_cluster_kernel(const __grid_constant__ GraphArguments g) {
#if __CUDA_ARCH__ >= 900
  start_clock();
  __shared__ TeamMemory memory;
  ClusterTeam team(memory, g.ending);
  conclude_pose<Steps>(team, g, static_cast<int>(blockIdx.x) / team.blocks());
#endif
}

}  // namespace
}  // namespace ndt::gpu_multikernel
