// The persistent body on CUDA teams: a grid for one alignment or a part of it for each of a few, a cluster,
// or a block for each of many.
#pragma once

#include <cuda/atomic>
#include <new>
#include <type_traits>

#include "kernels.cuh"
#include "ndt/exec/block_team.cuh"
#include "ndt/exec/cluster_team.cuh"

namespace ndt::gpu_persistent {

/// Passes news of a scan from one block to the others, which wait for the scan.
class ScanRelay {
 public:
  /// tag: the first of the launch, by which words of other launches are told apart.
  __device__ ScanRelay(GridExchange& exchange, unsigned tag)
      : exchange_(exchange), tag_(std::uint64_t{tag} << 32U) {}

  /// Publishes the number of points that are there.
  __device__ void say(std::int64_t points) const {
    Word(exchange_.scan_points)
        .store(tag_ | static_cast<std::uint64_t>(points), ::cuda::memory_order_release);
  }
  /// All points are there, or the scan will not come. per_metre: as ScanArrival's.
  __device__ void end(double per_metre) const {
    exchange_.scan_per_metre = per_metre;
    Word(exchange_.scan_points).store(tag_ | kEnd, ::cuda::memory_order_release);
  }
  /// Waits for the points before `end`. No bound, because the block that relays has one.
  __device__ void wait_for(int end) const {
    while (said() < static_cast<std::uint64_t>(end)) continue;
  }
  /// Waits for the end, and gives what it told.
  __device__ double wait_for_mean_range() const {
    while (said() < kEnd) continue;
    return exchange_.scan_per_metre;
  }

 private:
  using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  static constexpr std::uint64_t kEnd = 0xFFFFFFFF;

  /// 0 before anything was said in this launch.
  __device__ std::uint64_t said() const {
    const std::uint64_t now = Word(exchange_.scan_points).load(::cuda::memory_order_acquire);
    return (now & ~kEnd) == tag_ ? now & kEnd : 0;
  }

  GridExchange& exchange_;
  std::uint64_t tag_;
};

/// The watch on a device: reads the host's word.
struct HostWord {
  const volatile int* word;
  __device__ LoopStatus operator()() const {
    return word == nullptr ? LoopStatus::running : static_cast<LoopStatus>(*word);
  }
};

/// Begins on the coarsest level whose surfaces fix the pose.
template <class T>
__device__ void choose_level(ClampedSteps, T&, const PersistentArguments&, LoopState&) {}
template <class T>
__device__ void choose_level(TrustRegion, T& team, const PersistentArguments& a, LoopState& state) {
  const RegionOptions& region = a.input.options.region;
  for (int level = state.region.level; level < region.last; ++level) {
    const SurfacePose at(state.at.exact, shifted(state.trial, region.levels[level].shift), region.per_metre);
    const SurfaceInformation& information = sum_few_surfaces(team, a.input.scan, a.input.levels[level], at);
    team.replicated([&](const auto& crew) {
      const bool fixes = fixes_the_pose(information);
      crew.one([&] {
        if (!fixes) TrustRegion::begin_on(level + 1, a.input.options, state);
      });
    });
    if (state.region.level == level) return;
  }
}

/// One thread: the start of a loop from a guess. Not inlined, so that kernels keep their registers.
__device__ __noinline__ inline void start_at(const Transform& guess, LoopStart& out) {
  out = loop_start(guess);
}

template <class Steps>
__device__ void begin(const PersistentArguments& a, int k, LoopState& state) {
  if (a.fetch.points != nullptr) return Steps::begin(a.fetch.start, a.input.options, state);
  if (a.starts != nullptr) return Steps::begin(a.starts[k], a.input.options, state);
  LoopStart start;
  start_at(a.guesses[k], start);
  Steps::begin(start, a.input.options, state);
}

/// How long a kernel waits for a scan: the host checks and copies it meanwhile, so only one that is halted,
/// or that a tool lets go on when the kernel has ended, takes longer.
__device__ inline long long scan_patience_ns(int points) { return 1'000'000'000 + 100LL * points; }

/// One thread of the grid: hands on what the host says of a scan until all of it is there or will not be. One
/// thread, because a device reads a line of the host's memory for one multiprocessor after the other.
__device__ inline void relay_arrival(const PersistentArguments& a) {
  constexpr int kLooksPerClock = 1024;
  using Count = ::cuda::atomic_ref<std::int64_t, ::cuda::thread_scope_system>;
  using Real = ::cuda::atomic_ref<double, ::cuda::thread_scope_system>;
  using Flag = ::cuda::atomic_ref<std::int32_t, ::cuda::thread_scope_system>;
  ScanArrival& arrival = *a.fetch.arrival;
  const ScanRelay relay(*a.exchanges, a.first_tag);
  long long first_ns = 0;
  std::int64_t said = 0;
  for (int looks = 1;; ++looks) {
    const double per_metre = Real(arrival.per_metre).load(::cuda::memory_order_relaxed);
    const std::int64_t there = Count(arrival.points).load(::cuda::memory_order_acquire);
    if (per_metre != 0) {
      ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_system);
      return relay.end(per_metre);
    }
    if (there != said) relay.say(said = there);
    if (looks % kLooksPerClock != 0) continue;
    if (first_ns == 0) first_ns = nanoseconds();
    if (nanoseconds() - first_ns < scan_patience_ns(a.input.scan.size)) continue;
    Flag(arrival.given_up).store(1, ::cuda::memory_order_release);
    return relay.end(-1);
  }
}

/// Copies the points of a block's one chunk to where kernels read them. The block sees them after a barrier.
__device__ inline void fetch_points(const PersistentArguments& a, int chunk) {
  const Chunks& cut = a.plan.groups.cut;
  const auto* from = reinterpret_cast<const float*>(a.fetch.points);
  auto* to = reinterpret_cast<float*>(const_cast<Point*>(a.input.scan.points));
  constexpr int kFloats = sizeof(Point) / sizeof(float);
  const int end = kFloats * cut.end(chunk);
  for (int i = kFloats * cut.begin(chunk) + static_cast<int>(threadIdx.x); i < end;
       i += static_cast<int>(blockDim.x))
    to[i] = from[i];
}

/// Fetches the points of an alignment alone. False in a block that has nothing else to do, or waits in vain.
template <class Steps, class T>
__device__ bool fetch(T& team, const PersistentArguments& a) {
  if constexpr (std::is_same_v<T, GridTeam>) {
    if (a.fetch.points == nullptr) return true;
    if (blockIdx.x >= a.team_blocks) return false;  // there are no points for it
    const int chunk = static_cast<int>(blockIdx.x);
    if (a.fetch.arrival != nullptr) {
      if (threadIdx.x == 0) {
        if (chunk == 0)
          relay_arrival(a);
        else
          ScanRelay(*a.exchanges, a.first_tag).wait_for(a.plan.groups.cut.end(chunk));
      }
      __syncthreads();
    }
    fetch_points(a, chunk);
    // With clamped steps a block reads points of its own chunk only.
    if constexpr (std::is_same_v<Steps, TrustRegion>) {
      __threadfence();
      team.sync();
    }
    return !std::is_same_v<Steps, TrustRegion> || !team.broken();
  }
  return true;
}

/// Runs the loop of alignment k, and concludes it.
template <class Steps, class T>
__device__ void run_loop(T& team, const PersistentArguments& a, int k, double per_metre, LoopState& state) {
  const AlignInput& input = a.input;
  const LevelMap& last = input.levels[Steps::last_level(input.options)];
  LoopTrace* const trace = a.traces == nullptr
                               ? nullptr
                               : a.traces + static_cast<std::int64_t>(k) * (input.options.max_iterations + 1);
  const HostWord watch{a.interrupt};
  if constexpr (std::is_same_v<T, GridTeam> && std::is_same_v<Steps, ClampedSteps>) {
    EndingBeside ending(input.scan, last, input.options, per_metre, a.ending_beside);
    persistent_align<Steps>(team, input, watch, state, trace, ending);
    ending.conclude(team, state, a.outcomes[k]);
  } else {
    persistent_align<Steps>(team, input, watch, state, trace);
    // Waits until the crew has completed the state, because commit() runs after the body's last barrier.
    block_barrier();
    conclude(team, input.scan, last, input.options, per_metre, state, a.outcomes[k]);
  }
}

/// Runs alignment k on all threads of its team.
template <class Steps, class T>
__device__ void run_alignment(T& team, const PersistentArguments& a, int k) {
  __shared__ alignas(16) unsigned char bytes[sizeof(LoopState)];
  __shared__ double per_metre;
  LoopState& state = *reinterpret_cast<LoopState*>(bytes);
  // The crew's thread begins while the others wait for points.
  const bool begins = threadIdx.x == blockDim.x - 32;
  if (begins) begin<Steps>(a, k, *new (bytes) LoopState);
  if (!fetch<Steps>(team, a)) return;
  if (begins)
    per_metre = a.fetch.arrival == nullptr ? a.input.options.region.per_metre
                                           : ScanRelay(*a.exchanges, a.first_tag).wait_for_mean_range();
  block_barrier();
  if (per_metre <= 0) return;  // the host has withdrawn the scan
  choose_level(Steps{}, team, a, state);
  enter(Section::loop);
  run_loop<Steps>(team, a, k, per_metre, state);
  stop_clock(a.stages);
}

template <class Steps>
__global__ void __launch_bounds__(kMostBlockThreads)
    grid_kernel(const __grid_constant__ PersistentArguments a) {
  start_clock();
  __shared__ GridTeamMemory memory;
  GridTeam team(memory, a.plan, a.team_blocks, a.exchanges, a.first_tag);
  run_alignment<Steps>(team, a, team.team());
}

template <class Steps>
__global__ void __launch_bounds__(kMostBlockThreads)
    block_kernel(const __grid_constant__ PersistentArguments a) {
  start_clock();
  __shared__ TeamMemory memory;
  BlockTeam team(memory, a.plan);
  run_alignment<Steps>(team, a, static_cast<int>(blockIdx.x));
}

/// Under a plan for throughput. Threads: most of a block. Blocks: of a multiprocessor.
template <class Steps, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    warp_block_kernel(const __grid_constant__ PersistentArguments a) {
  start_clock();
  __shared__ WarpTeamMemory memory;
  WarpBlockTeam team(memory, a.plan);
  run_alignment<Steps>(team, a, static_cast<int>(blockIdx.x));
}

template <class Steps>
__global__ void __launch_bounds__(kMostBlockThreads)
    cluster_kernel(const __grid_constant__ PersistentArguments a) {
#if __CUDA_ARCH__ >= 900
  start_clock();
  __shared__ TeamMemory memory;
  ClusterTeam team(memory, a.plan);
  run_alignment<Steps>(team, a, static_cast<int>(blockIdx.x) / team.blocks());
#endif
}

}  // namespace ndt::gpu_persistent
