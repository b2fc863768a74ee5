// The persistent body on CUDA teams: a grid for one alignment, a cluster or a block for each of many.
#pragma once

#include <new>

#include "conclude.cuh"
#include "ndt/exec/block_team.cuh"
#include "ndt/exec/chunks.hpp"
#include "ndt/exec/cluster_team.cuh"
#include "ndt/exec/grid_team.cuh"
#include "persistent_align.hpp"

namespace ndt::gpu_persistent {

/// The input of a launch. Arrays hold [poses] elements unless noted.
struct PersistentArguments {
  AlignInput input;
  const VoxelSurface* surfaces = nullptr;
  double mean_range_m = 0;
  const LoopStart* starts = nullptr;
  LoopOutcome* outcomes = nullptr;          ///< in host memory; the host waits until each `status` is set
  LoopTrace* traces = nullptr;              ///< [poses][max_iterations + 1], or null
  const volatile int* interrupt = nullptr;  ///< a LoopStatus in host memory, or null
  ChunkPlan plan;
  GridExchange* exchange = nullptr;
  unsigned first_tag = 0;
};

inline constexpr int kMostBlockThreads = 512;

/// The watch on a device: reads the host's word.
struct HostWord {
  const volatile int* word;
  __device__ LoopStatus operator()() const {
    return word == nullptr ? LoopStatus::running : static_cast<LoopStatus>(*word);
  }
};

/// Runs alignment k on all threads of its team.
template <class T>
__device__ void run_alignment(T& team, const PersistentArguments& a, int k) {
  __shared__ alignas(16) unsigned char bytes[sizeof(LoopState)];
  LoopState& state = *reinterpret_cast<LoopState*>(bytes);
  if (threadIdx.x == 0) begin_loop(a.starts[k], *new (bytes) LoopState);
  __syncthreads();
  const int lines = a.input.options.max_iterations + 1;
  persistent_align<ClampedSteps>(
      team, a.input, HostWord{a.interrupt}, state,
      a.traces == nullptr ? nullptr : a.traces + static_cast<std::int64_t>(k) * lines);
  // Waits until the crew has completed the state, because commit() runs after the body's last barrier.
  __syncthreads();
  conclude(team, {a.input.scan, a.input.map, a.surfaces, a.mean_range_m}, a.input.options.max_iterations,
           state, a.outcomes[k]);
}

__global__ void __launch_bounds__(kMostBlockThreads)
    grid_kernel(const __grid_constant__ PersistentArguments a) {
  __shared__ TeamMemory memory;
  GridTeam team(memory, a.plan, *a.exchange, a.first_tag);
  run_alignment(team, a, 0);
}

__global__ void __launch_bounds__(kMostBlockThreads)
    block_kernel(const __grid_constant__ PersistentArguments a) {
  __shared__ TeamMemory memory;
  BlockTeam team(memory, a.plan);
  run_alignment(team, a, static_cast<int>(blockIdx.x));
}

__global__ void __launch_bounds__(kMostBlockThreads)
    cluster_kernel(const __grid_constant__ PersistentArguments a) {
#if __CUDA_ARCH__ >= 900
  __shared__ TeamMemory memory;
  ClusterTeam team(memory, a.plan);
  run_alignment(team, a, static_cast<int>(blockIdx.x) / team.blocks());
#endif
}

}  // namespace ndt::gpu_persistent
