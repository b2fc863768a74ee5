// The body on CUDA teams: a grid for one alignment, a cluster or a block for each of many.
#pragma once

#include <new>

#include "ndt/exec/block_team.cuh"
#include "ndt/exec/chunks.hpp"
#include "ndt/exec/cluster_team.cuh"
#include "ndt/exec/grid_team.cuh"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_outcome.hpp"
#include "persistent_align.hpp"

namespace ndt::gpu_persistent {

/// Everything a launch is told. [poses] where it says nothing else.
struct PersistentArguments {
  Problem problem;
  const VoxelSurface* surfaces = nullptr;
  double mean_range_m = 0;
  const LoopStart* starts = nullptr;
  LoopOutcome* outcomes = nullptr;          ///< in host memory, which waits for `end` to be set
  LoopTrace* traces = nullptr;              ///< [poses][max_iterations + 1], or null
  const volatile int* interrupt = nullptr;  ///< a LoopEnd in host memory, or null
  ChunkPlan plan;
  GridExchange* exchange = nullptr;
  unsigned first_tag = 0;
};

inline constexpr int kMostBlockThreads = 512;

/// Looks at the host's word, once per evaluation.
struct HostWord {
  const volatile int* word;
  __device__ LoopEnd operator()() const { return word == nullptr ? LoopEnd::running : static_cast<LoopEnd>(*word); }
};

/// What the surfaces say of the pose the loop ended at.
template <class T>
__device__ const SurfaceInformation& sum_surfaces(T& team, const PersistentArguments& a, LoopState& state) {
  const Problem& p = a.problem;
  team.replicated(
      [&](const auto& crew) {
        crew.each(3, [&](int i) { state.at.set_angle(i, coordinate(state.here.pose, 3 + i)); });
      },
      [](const auto&) {});
  const SurfacePose at(state.at.exact, state.here.pose, a.mean_range_m);
  const int count = surface_points(p.scan.size);
  return team
      .template sum<SurfaceSums>(
          count,
          [&](int i, int there, const auto& lanes, auto& part) {
            const auto point = static_cast<int>(static_cast<std::int64_t>(i) * p.scan.size / count);
            add_surface(p.map, a.surfaces, at, p.scan.points[point], there > 0, lanes, part);
          },
          [] { return 0; })
      .sums;
}

/// One thread. The host looks at `end` until it is set. surfaces: null where they do not matter.
__device__ __noinline__ void write_outcome(const LoopState& state, const SurfaceInformation* surfaces,
                                           LoopOutcome& out) {
  fill_outcome(state, out);
  for (int i = 0; i < SurfaceInformation::kEntries; ++i)
    out.surfaces[i] = surfaces != nullptr ? static_cast<float>(surfaces->entries[i]) : 0.0F;
  __threadfence_system();
  *const_cast<volatile LoopEnd*>(&out.end) = state.end;
}

/// Alignment k, by all threads of its team.
template <class T>
__device__ void run_alignment(T& team, const PersistentArguments& a, int k) {
  __shared__ alignas(16) unsigned char bytes[sizeof(LoopState)];
  LoopState& state = *reinterpret_cast<LoopState*>(bytes);
  if (threadIdx.x == 0) begin_loop(a.starts[k], *new (bytes) LoopState);
  __syncthreads();
  const int lines = a.problem.options.max_iterations + 1;
  persistent_align(team, a.problem, HostWord{a.interrupt}, state,
                   a.traces == nullptr ? nullptr : a.traces + static_cast<std::int64_t>(k) * lines);
  __syncthreads();  // the crew has written everything down
  // An evaluation alone has no ending to be judged.
  const bool judged = a.problem.options.max_iterations > 0 && surfaces_matter(state.end);
  if (judged) {
    const SurfaceInformation& surfaces = sum_surfaces(team, a, state);
    team.once([&] { write_outcome(state, &surfaces, a.outcomes[k]); });
  } else {
    team.once([&] { write_outcome(state, nullptr, a.outcomes[k]); });
  }
}

__global__ void __launch_bounds__(kMostBlockThreads) grid_kernel(const __grid_constant__ PersistentArguments a) {
  __shared__ TeamMemory memory;
  GridTeam team(memory, a.plan, *a.exchange, a.first_tag);
  run_alignment(team, a, 0);
}

__global__ void __launch_bounds__(kMostBlockThreads) block_kernel(const __grid_constant__ PersistentArguments a) {
  __shared__ TeamMemory memory;
  BlockTeam team(memory, a.plan);
  run_alignment(team, a, static_cast<int>(blockIdx.x));
}

__global__ void __launch_bounds__(kMostBlockThreads) cluster_kernel(const __grid_constant__ PersistentArguments a) {
#if __CUDA_ARCH__ >= 900
  __shared__ TeamMemory memory;
  ClusterTeam team(memory, a.plan);
  run_alignment(team, a, static_cast<int>(blockIdx.x) / team.blocks());
#endif
}

}  // namespace ndt::gpu_persistent
