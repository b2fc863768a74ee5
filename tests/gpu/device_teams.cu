#include <algorithm>

#include "device_teams.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/cuda/device.hpp"
#include "ndt/exec/block_team.cuh"
#include "ndt/exec/cluster_team.cuh"
#include "ndt/exec/grid_team.cuh"

namespace ndt {
namespace {

constexpr int kMostThreads = 512, kGatheringThreads = 320;

struct SumsArguments {
  ChunkPlan plan;
  GridExchange* exchange = nullptr;
  unsigned first_tag = 0;
  unsigned missing = 0;  ///< blocks that a grid waits for and that are not launched
  int sums = 0;
  const int* items = nullptr;
  const DerivativeTotal* expected = nullptr;  ///< or null
  DerivativeTotal* totals = nullptr;
  int* asked = nullptr;
  unsigned long long* mismatches = nullptr;

  /// No barrier but those of the sums: the next must not disturb who still reads the last.
  template <class T>
  __device__ void run(T& team) const {
    for (int s = 0; s < sums; ++s) {
      const DerivativeTotal& total = team.template sum<DerivativeSums>(
          items[s],
          [](int i, int count, const auto& lanes, auto& part) {
            if (count > 0 && lanes.rank() == 0) add_test_item(i, part);
          },
          [&] {
            atomicAdd(&asked[s], 1);
            return test_answer(s);
          });
      if (total.answer != test_answer(s) ||
          (expected != nullptr && !same_words(total.sums, expected[s].sums)))
        atomicAdd(mismatches, 1ULL);
      team.once([&] { totals[s] = total; });
    }
  }

  __device__ static bool same_words(const DerivativeSums<double>& a, const DerivativeSums<double>& b) {
    const auto *x = reinterpret_cast<const long long*>(&a), *y = reinterpret_cast<const long long*>(&b);
    bool same = true;
    for (std::size_t i = 0; i < sizeof a / sizeof *x; ++i) same = same && x[i] == y[i];
    return same;
  }
};

struct SampleArguments {
  ChunkPlan plan;
  GridExchange* exchange = nullptr;
  unsigned first_tag = 0;
  unsigned missing = 0;
  Sample sample;
  SampleRun* run_of = nullptr;

  static constexpr int kWidth = 8;
  struct Item {
    template <class Lanes, class Part>
    __device__ void operator()(int i, int count, const Lanes& lanes, Part& part) const {
      if (count == 0 || lanes.rank() != i % kWidth) return;
      for (int k = 0; k < SurfaceInformation::kEntries; ++k) part.entries[k] += test_entry(i, k);
    }
  };
  struct All {
    template <class Lanes, class Part>
    __device__ void operator()(int i, int count, const Lanes& lanes, Part& part) const {
      if (count > 0 && lanes.rank() == 0) add_test_item(i, part);
    }
  };
  struct NoQuestion {
    __device__ int operator()() const { return 0; }
  };

  template <class T>
  __device__ void run(T& team) const {
    for (int s = 0; s < 2; ++s) team.template sum<DerivativeSums>(sample.of, All{}, NoQuestion{});
    const SurfaceInformation& total = last_sums(team);
    const SurfaceInformation mine = total;
    team.template sum<DerivativeSums>(sample.of, All{}, NoQuestion{});  // which writes over it
    __shared__ SurfaceInformation of_the_block;
    if (threadIdx.x == 0) of_the_block = mine;
    __syncthreads();
    bool same = true;
    for (int k = 0; k < SurfaceInformation::kEntries; ++k)
      same = same && mine.entries[k] == of_the_block.entries[k];
    if (!same) atomicAdd(&run_of->mismatches, 1ULL);
    team.once([&] { run_of->total = mine; });
  }
  template <class T>
  __device__ const SurfaceInformation& last_sums(T& team) const {
    team.template sum<DerivativeSums>(sample.of, All{}, NoQuestion{});
    return team.template sum<SurfaceSums, kWidth>(sample, Item{}, NoQuestion{}).sums;
  }
  __device__ const SurfaceInformation& last_sums(GridTeam& team) const {
    const bool beside = team.has_side_sum<kWidth>(sample);
    team.once([&] { run_of->beside = beside; });
    team.sum<DerivativeSums>(sample.of, All{}, NoQuestion{}, [&] {
      if (beside) GridTeam::sum_side_part<SurfaceSums, kWidth>(team.side_part(), sample, Item{});
    });
    team.replicated([](const auto&) { return 0; }, [](const auto&, int) {},
                    [&] {
                      if (beside) team.gather_side_sum<SurfaceSums>();
                    });
    if (!beside) return team.sum<SurfaceSums, kWidth>(sample, Item{}, NoQuestion{}).sums;
    __shared__ SurfaceInformation of_a_crew;
    if (team.is_crew() || team.is_second_crew()) {
      const SurfaceInformation& total = team.side_sum<SurfaceSums>();
      if (threadIdx.x == blockDim.x - 1) of_a_crew = total;
    }
    __syncthreads();
    return of_a_crew;
  }
};

struct CollectivesArguments {
  ChunkPlan plan;
  GridExchange* exchange = nullptr;
  unsigned first_tag = 0;
  unsigned missing = 0;
  CollectiveCounts* counts = nullptr;
  int* ranks = nullptr;
  int* items = nullptr;
  int* slots = nullptr;  ///< one for each thread

  template <class T>
  __device__ void run(T& team) const {
    __shared__ int by_each[kCrewItems], by_crew, by_then;
    int wrong = 0;
    atomicAdd(&ranks[team.rank()], 1);
    for (int round = 1; round <= kCollectiveRounds; ++round) {
      team.once([&] { atomicAdd(&counts->once, 1); });
      team.replicated(
          [&](const auto& crew) {
            crew.each(kCrewItems, [&](int i) {
              atomicAdd(&items[static_cast<int>(blockIdx.x) * kCrewItems + i], 1);
              by_each[i] = round + i;
            });
            for (int i = 0; i < kCrewItems; ++i) wrong += by_each[i] == round + i ? 0 : 1;
            crew.one([&] { by_crew = round, atomicAdd(&counts->crews, 1); });
            wrong += by_crew == round ? 0 : 1;
            wrong += crew.all(true) ? 0 : 1;
            wrong += crew.all(threadIdx.x % 32 != 5) ? 1 : 0;
            return round + static_cast<int>(threadIdx.x);
          },
          [&](const auto& crew, int left) {
            wrong += left == round + static_cast<int>(threadIdx.x) ? 0 : 1;
            wrong += by_crew == round ? 0 : 1;
            crew.one([&] {
              by_then = round, atomicAdd(&counts->thens, 1);
              if (team.leads()) atomicAdd(&counts->leaders, 1);
            });
          });
      wrong += by_crew == round ? 0 : 1;  // every thread of the block sees what the crew wrote
      slots[team.rank()] = round;
      team.sync();
      wrong += by_then == round ? 0 : 1;
      wrong += slots[(team.rank() + team.size() / 2 + round) % team.size()] == round ? 0 : 1;
      team.sync();
    }
    if (wrong != 0) atomicAdd(&counts->wrong, wrong);
  }
};

template <class Work>
__global__ void __launch_bounds__(kMostThreads) grid_kernel(const __grid_constant__ Work work) {
  __shared__ GridTeamMemory memory;
  GridTeam team(memory, work.plan, gridDim.x + work.missing, work.exchange, work.first_tag);
  work.run(team);
}

template <class Work>
__global__ void __launch_bounds__(kMostThreads) block_kernel(const __grid_constant__ Work work) {
  __shared__ TeamMemory memory;
  BlockTeam team(memory, work.plan);
  work.run(team);
}

template <class Work>
__global__ void __launch_bounds__(kMostThreads) warp_block_kernel(const __grid_constant__ Work work) {
  __shared__ WarpTeamMemory memory;
  WarpBlockTeam team(memory, work.plan);
  work.run(team);
}

template <class Work>
__global__ void __launch_bounds__(kMostThreads) cluster_kernel(const __grid_constant__ Work work) {
#if __CUDA_ARCH__ >= 900
  __shared__ TeamMemory memory;
  ClusterTeam team(memory, work.plan);
  work.run(team);
#endif
}

template <class T>
cuda::DeviceBuffer<T> zeros(cuda::Context& context, std::size_t n) {
  cuda::DeviceBuffer<T> out(context, n);
  context.fill_bytes(out.data(), 0, n * sizeof(T));
  return out;
}

template <class T>
cuda::DeviceBuffer<T> uploaded(cuda::Context& context, const std::vector<T>& host) {
  cuda::DeviceBuffer<T> out(context, host.size());
  if (!host.empty()) context.upload(out.data(), host.data(), host.size() * sizeof(T));
  return out;
}

template <class T>
std::vector<T> downloaded(cuda::Context& context, const T* device, std::size_t n) {
  std::vector<T> out(n);
  context.download(out.data(), device, n * sizeof(T));
  context.synchronise();
  return out;
}

/// Blocks of Work's grid kernel that the GPU holds at once.
template <class Work>
int resident_blocks(cuda::Context& context, int threads) {
  int per_multiprocessor = 0;
  context.call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, grid_kernel<Work>, threads, 0);
  });
  return per_multiprocessor * cuda_state().devices.front().multiprocessors;
}

/// chunks: of the sum that has the fewest.
template <class Work>
cuda::Grid grid_of(cuda::Context& context, const TeamShape& shape, const ChunkPlan& plan, int chunks) {
  const int chunk_threads = 32 * plan.chunk_warps;
  cuda::Grid grid;
  if (shape.kind == TeamKind::grid) {
    const int threads = std::max(chunk_threads, kGatheringThreads);
    grid.threads = static_cast<unsigned>(threads);
    grid.blocks =
        static_cast<unsigned>(std::min({chunks, shape.blocks, resident_blocks<Work>(context, threads)}));
    grid.cooperative = true;
  } else {
    grid.threads =
        std::max(static_cast<unsigned>(chunk_threads * std::min(shape.slots, kMostThreads / chunk_threads)),
                 kLeastBlockThreads);
    grid.blocks = static_cast<unsigned>(shape.blocks);
    grid.cluster = shape.kind == TeamKind::cluster ? grid.blocks : 1;
  }
  return grid;
}

template <class Work>
void launch(cuda::Context& context, const TeamShape& shape, const cuda::Grid& grid, const Work& work) {
  switch (shape.kind) {
    case TeamKind::grid: return context.launch(grid_kernel<Work>, grid, work);
    case TeamKind::cluster: return context.launch(cluster_kernel<Work>, grid, work);
    case TeamKind::block: return context.launch(block_kernel<Work>, grid, work);
    case TeamKind::warp_block: return context.launch(warp_block_kernel<Work>, grid, work);
  }
}

ChunkPlan plan_for(int items, const TeamShape& shape) {
  return shape.throughput ? ChunkPlan::throughput(items) : ChunkPlan(items);
}

/// The fewest chunks of any sum in a launch planned for the first. A block without a chunk delays no other,
/// so others could get two sums ahead and overwrite words that this block waits for.
int fewest_chunks(const std::vector<int>& items, const ChunkPlan& plan) {
  int fewest = plan.groups.chunks;
  for (const int n : items)
    if (n > items.front()) fewest = std::min(fewest, ChunkGroups(n).chunks);
  return fewest;
}

}  // namespace

struct DeviceTeams::Impl {
  cuda::Context context;
  cuda::DeviceBuffer<GridExchange> exchange = zeros<GridExchange>(context, 1);
  unsigned next_tag = 1;
};

DeviceTeams::DeviceTeams() : impl_(std::make_unique<Impl>()) {}
DeviceTeams::~DeviceTeams() = default;

std::string DeviceTeams::unavailable_reason(const TeamShape& shape) {
  const CudaState& state = cuda_state();
  if (!state.unavailable.empty()) return state.unavailable;
  int cooperative = 0;
  if (shape.kind == TeamKind::grid &&
      (cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0) != cudaSuccess ||
       cooperative == 0))
    return state.devices.front().name + " cannot launch cooperative kernels";
  if (shape.kind != TeamKind::cluster) return {};
  if (state.devices.front().major < 9) return state.devices.front().name + " has no thread-block clusters";
  cudaFuncAttributes attributes{};
  if (const cudaError_t code = cudaFuncGetAttributes(&attributes, cluster_kernel<SumsArguments>);
      code != cudaSuccess)
    return std::string("cudaFuncGetAttributes: ") + cudaGetErrorString(code);
  if (attributes.ptxVersion < 90) return "built for a compute capability without thread-block clusters";
  return {};
}

unsigned DeviceTeams::next_tag() const { return impl_->next_tag; }

MissingBlock DeviceTeams::missing_block() {
  cuda::Context& context = impl_->context;
  const WaitInVain wait = WaitInVain::of(downloaded(context, &impl_->exchange.data()->in_vain, 1).front(), 1);
  return {wait.tag, wait.block};
}

void DeviceTeams::restart_tags(unsigned first_tag) {
  impl_->context.fill_bytes(impl_->exchange.data(), 0, sizeof(GridExchange));
  impl_->next_tag = first_tag;
}

SumsRun DeviceTeams::sum(const TeamShape& shape, const std::vector<int>& items,
                         const std::vector<DerivativeTotal>& expected) {
  cuda::Context& context = impl_->context;
  const std::size_t n = items.size();
  const auto device_items = uploaded(context, items);
  const auto device_expected = uploaded(context, expected);
  const auto totals = zeros<DerivativeTotal>(context, n);
  const auto asked = zeros<int>(context, n);
  const auto mismatches = zeros<unsigned long long>(context, 1);
  SumsArguments a;
  a.plan = plan_for(items.front(), shape);
  a.exchange = impl_->exchange.data();
  a.first_tag = impl_->next_tag;
  a.sums = static_cast<int>(n);
  a.items = device_items.data();
  a.expected = expected.empty() ? nullptr : device_expected.data();
  a.totals = totals.data();
  a.asked = asked.data();
  a.mismatches = mismatches.data();
  cuda::Grid grid = grid_of<SumsArguments>(context, shape, a.plan, fewest_chunks(items, a.plan));
  if (shape.kind == TeamKind::grid) {
    impl_->next_tag += static_cast<unsigned>(n);
    grid.blocks -= a.missing = shape.missing;
  }
  launch(context, shape, grid, a);
  SumsRun run;
  run.totals = downloaded(context, totals.data(), n);
  run.asked = downloaded(context, asked.data(), n);
  run.mismatches = downloaded(context, mismatches.data(), 1).front();
  return run;
}

SampleRun DeviceTeams::sum_sample(const TeamShape& shape, int of, int items) {
  cuda::Context& context = impl_->context;
  const auto run = zeros<SampleRun>(context, 1);
  SampleArguments a;
  a.plan = plan_for(of, shape);
  a.sample = {items, of};
  a.run_of = run.data();
  a.exchange = impl_->exchange.data();
  a.first_tag = impl_->next_tag;
  if (shape.kind == TeamKind::grid) impl_->next_tag += 5;
  launch(context, shape, grid_of<SampleArguments>(context, shape, a.plan, a.plan.groups.chunks), a);
  return downloaded(context, run.data(), 1).front();
}

CollectivesRun DeviceTeams::collectives(const TeamShape& shape) {
  cuda::Context& context = impl_->context;
  CollectivesArguments a;
  a.plan = plan_for(5000, shape);
  cuda::Grid grid = grid_of<CollectivesArguments>(context, shape, a.plan, std::min(shape.blocks, kMaxChunks));
  const std::size_t threads = std::size_t{grid.blocks} * grid.threads,
                    items = std::size_t{grid.blocks} * kCrewItems;
  grid.blocks -= a.missing = shape.missing;
  const auto counts = zeros<CollectiveCounts>(context, 1);
  const auto ranks = zeros<int>(context, threads);
  const auto covered = zeros<int>(context, items);
  const auto slots = zeros<int>(context, threads);
  a.exchange = impl_->exchange.data();
  a.first_tag = impl_->next_tag;
  a.counts = counts.data();
  a.ranks = ranks.data();
  a.items = covered.data();
  a.slots = slots.data();
  if (shape.kind == TeamKind::grid) impl_->next_tag += 2 * kCollectiveRounds;
  launch(context, shape, grid, a);
  CollectivesRun run;
  run.counts = downloaded(context, counts.data(), 1).front();
  run.counts.blocks = static_cast<int>(grid.blocks);
  run.ranks = downloaded(context, ranks.data(), threads);
  run.items = downloaded(context, covered.data(), items);
  return run;
}

}  // namespace ndt
