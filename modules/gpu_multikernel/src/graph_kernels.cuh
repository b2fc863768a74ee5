// The three kernels of the graph: begin, pass, conclude. graph_pass.cuh has the parts of a pass.
#pragma once

#include "graph_pass.cuh"

namespace ndt::gpu_multikernel {
namespace {

__global__ void begin_kernel(const __grid_constant__ GraphArguments g) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k == 0) *g.progress = {static_cast<unsigned>(g.header->poses), 0, 0};
  if (k >= g.header->poses) return;
  LoopState state;
  begin_loop(g.header->starts[k], state);
  g.states[k] = state;
  for (int i = 0; i <= g.candidates; ++i) g.tickets[k * (g.candidates + 1) + i] = 0;
}

/// grid: kMaxChunks x candidates blocks, a row of them per pose.
__global__ void __launch_bounds__(kPassThreads)
    pass_kernel(const __grid_constant__ GraphArguments g, cudaGraphConditionalHandle loop) {
  __shared__ TeamMemory memory;
  __shared__ alignas(16) unsigned char total_bytes[StepSearch::kCandidates * sizeof(ScanTotal)];
  __shared__ alignas(16) unsigned char state_bytes[sizeof(LoopState)];
  __shared__ LoopOptions options;
  const int k = static_cast<int>(blockIdx.y), chunk = static_cast<int>(blockIdx.x % kMaxChunks),
            trial = static_cast<int>(blockIdx.x / kMaxChunks);
  const GraphHeader h = *g.header;
  LoopState& state = *reinterpret_cast<LoopState*>(state_bytes);
  copy_words(g.states + k, &state);
  if (threadIdx.x == 0) {
    options = g.options;
    options.max_iterations = h.max_iterations;
    options.regularisation = h.regularisation;
  }
  __syncthreads();
  if (state.end != LoopEnd::running) return;

  PassTeam team(memory, h.plan);
  const int trials = trials_of(state);
  const auto trial_index =
      static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates) + static_cast<std::size_t>(trial);
  double* partials = g.partials + trial_index * kMaxChunks * kMostColumns;
  const bool takes_part = trial < trials;
  if (takes_part && chunk < h.plan.groups.chunks) {
    const Motion motion = trial == 0 ? state.at.motion : g.motions[trial_index];
    team.sum_chunk(
        chunk,
        [&](int i, int count, const auto& lanes, auto& part) {
          add_scan_points(g.map, g.gauss, motion, h.scan + i, count, lanes, part);
        },
        [&] { return chunk > 0 || trial > 0 || h.interrupt == nullptr ? 0 : *h.interrupt; }, partials);
  }
  // Blocks with nothing to sum arrive too: when the last one has, all have read what is now written for the next pass.
  unsigned* tickets = g.tickets + static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates + 1);
  if (!arrive_last(tickets + trial, kMaxChunks)) return;
  const ScanTotal* totals = reinterpret_cast<const ScanTotal*>(total_bytes);
  if (g.candidates == 1) {
    totals = &team.fold(partials);
  } else {
    ScanTotal* all = g.totals + static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates);
    if (takes_part) copy_words(&team.fold(partials), all + trial);
    if (!arrive_last(tickets + g.candidates, static_cast<unsigned>(g.candidates))) return;
    for (int t = 0; t < trials; ++t) copy_words(all + t, reinterpret_cast<ScanTotal*>(total_bytes) + t);
    __syncthreads();
  }
  if (threadIdx.x < 32) advance_over(totals, trials, g, options, k, state);
  if (threadIdx.x == 0) {
    if (state.end == LoopEnd::running) state.end = static_cast<LoopEnd>(totals[0].answer);
    report(g, state.end != LoopEnd::running, loop);
  }
  __syncthreads();
  copy_words(&state, g.states + k);
  const int ahead = static_cast<int>(threadIdx.x);
  if (ahead > 0 && ahead < state.search.trials_ahead() && state.end == LoopEnd::running)
    g.motions[static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates) + static_cast<std::size_t>(ahead)] =
        PoseMotion(moved(state.here.pose, state.direction, state.search.trial_ahead(ahead))).motion;
}
static_assert(static_cast<int>(LoopEnd::running) == 0, "no interruption");

/// One block per pose: what the matched surfaces say, and the result.
__global__ void __launch_bounds__(kPassThreads) conclude_kernel(const __grid_constant__ GraphArguments g) {
  __shared__ TeamMemory memory;
  __shared__ alignas(16) unsigned char state_bytes[sizeof(LoopState)];
  const int k = static_cast<int>(blockIdx.x);
  const GraphHeader h = *g.header;
  if (k >= h.poses) return;
  LoopState& state = *reinterpret_cast<LoopState*>(state_bytes);
  copy_words(g.states + k, &state);
  __syncthreads();
  BlockTeam team(memory, h.plan);
  conclude(team, {{h.scan, h.points}, g.map, g.surfaces, h.mean_range_m}, h.max_iterations, state, g.outcomes[k]);
}

}  // namespace
}  // namespace ndt::gpu_multikernel
