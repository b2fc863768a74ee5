// The kernels of the graph: begin, in a trust region the choice of the first level, pass and conclude. The
// parts of a pass are in graph_pass.cuh. Steps: ClampedSteps or TrustRegion.
#pragma once

#include "graph_pass.cuh"

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

constexpr unsigned kConcludeThreads = kPushedPoints;
static_assert(kConcludeThreads >= kSurfacePoints);

/// Sums the threads' columns over the block; all threads get the sums.
template <int kColumns>
__device__ inline const double (&sum_columns(const double (&share)[kColumns]))[kColumns] {
  __shared__ double warps[kConcludeThreads / 32][kColumns];
  __shared__ double total[kColumns];
  for (int j = 0; j < kColumns; ++j) {
    const double sum = warp_sum(share[j]);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][j] = sum;
  }
  __syncthreads();
  if (threadIdx.x < kColumns) {
    double sum = 0;
    for (unsigned w = 0; w < kConcludeThreads / 32; ++w) sum += warps[w][threadIdx.x];
    total[threadIdx.x] = sum;
  }
  __syncthreads();
  return total;
}

/// The information of a map's surfaces about a pose, the same in all threads of the block.
__device__ inline SurfaceInformation sum_surfaces(const GraphHeader& h, const LevelMap& map, const Pose& pose,
                                                  int most) {
  SurfaceInformation share, total;
  const int count = surface_points(h.points, most), i = static_cast<int>(threadIdx.x);
  if (i < count)
    add_surface(map.view, map.surfaces, SurfacePose(pose, h.per_metre),
                h.scan[static_cast<std::int64_t>(i) * h.points / count], true, SingleLane{}, share);
  const auto& sums = sum_columns(share.entries);
  for (int j = 0; j < SurfaceInformation::kEntries; ++j) total.entries[j] = sums[j];
  return total;
}

/// What pushes of a pose cost, the same in all threads of the block.
__device__ inline double sum_pushes(const GraphHeader& h, const LevelMap& map, const Pose& pose,
                                    const SurfaceInformation& information, const RegionOptions& region) {
  __shared__ alignas(16) unsigned char bytes[sizeof(PushScratch)];
  PushScratch& scratch = *reinterpret_cast<PushScratch*>(bytes);
  if (threadIdx.x < 32)
    prepare_pushes(WarpCrew{}, information, SurfacePose(pose, h.per_metre), region.push_m, scratch);
  __syncthreads();
  const int count = pushed_points(h.points);
  PushSums<float> share;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kConcludeThreads)
    add_pushed_point(map, scratch.motions, h.scan[static_cast<std::int64_t>(i) * h.points / count], share);
  float columns[PushSums<float>::kReals];
  to_columns(share, columns);
  double shares[PushSums<float>::kReals];
  for (int j = 0; j < PushSums<float>::kReals; ++j) shares[j] = static_cast<double>(columns[j]);
  const auto& sums = sum_columns(shares);
  PushSums<double> total;
  for (int j = 0; j < PushSums<double>::kReals; ++j) set_column(total, j, sums[j]);
  return push_sigmas(total, h.points, region.score_error);
}

/// One block per pose: begins on the coarsest level whose surfaces fix the pose.
__global__ void __launch_bounds__(kConcludeThreads) choose_kernel(const __grid_constant__ GraphArguments g) {
  __shared__ bool fixed;
  const int k = static_cast<int>(blockIdx.x);
  const GraphHeader& h = *g.header;
  if (k >= h.poses || h.max_iterations == 0) return;
  LoopState& state = g.states[k];
  const RegionOptions& region = g.options.region;
  for (int level = 0; level < region.last; ++level) {
    const SurfaceInformation information =
        sum_surfaces(h, g.levels[level], shifted(state.trial, region.levels[level].shift), kFewSurfacePoints);
    if (threadIdx.x == 0) {
      fixed = fixes_the_pose(information);
      if (!fixed) TrustRegion::begin_on(level + 1, g.options, state);
    }
    __syncthreads();
    if (fixed) return;
  }
}

/// One block per pose: sums the matched surfaces' information and what pushes cost, and writes the outcome.
template <class Steps>
__global__ void __launch_bounds__(kConcludeThreads)
    conclude_kernel(const __grid_constant__ GraphArguments g) {
  const int k = static_cast<int>(blockIdx.x);
  const GraphHeader& h = *g.header;
  if (k >= h.poses) return;
  const LoopState& state = g.states[k];
  SurfaceInformation surfaces;
  double pushes = 0;
  // Both tell how far an ending can be trusted, and a mere evaluation (no iterations) has no ending.
  if (h.max_iterations > 0 && surfaces_matter(state.status)) {
    const LevelMap& map = g.levels[Steps::last_level(g.options)];
    const Pose pose = state.here.pose;
    surfaces = sum_surfaces(h, map, pose, kSurfacePoints);
    if (pushes_matter(state.status)) pushes = sum_pushes(h, map, pose, surfaces, g.options.region);
  }
  if (threadIdx.x > 0) return;
  LoopOutcome& out = g.outcomes[k];
  out = outcome_of(state);
  set_surfaces(surfaces, out);
  out.push_sigmas = static_cast<float>(pushes);
}

}  // namespace
}  // namespace ndt::gpu_multikernel
