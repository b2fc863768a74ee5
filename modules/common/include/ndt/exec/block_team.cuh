// The common part of the CUDA teams: a block's memory, and the sums of chunks by groups of its warps.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ndt/exec/chunks.hpp"
#include "ndt/exec/device_clock.cuh"
#include "ndt/exec/team.hpp"
#include "ndt/exec/warp.cuh"
#include "ndt/exec/warp_crew.cuh"

namespace ndt {

inline constexpr int kMostColumns = 40;  // a sum's real numbers, its counts, and the answer

/// A block's shared memory for its sums.
struct TeamMemory {
  /// Sums of the warps for the chunks under way. The spare entries may be read and are not used.
  float warp_sums[kWarpSums + kMostChunkWarps][kMostColumns];
  double chunks[kChunksTogether][kMostColumns];
  /// Two, as another block of a cluster may be one sum ahead. A grid's second is its side sum's.
  alignas(16) double groups[2][kChunkGroups][kMostColumns];
  double total[kMostColumns + 1];
  int answer;
};
/// The memory of a WarpBlockTeam, which needs little. The shared memory that is saved is first-level cache.
struct WarpTeamMemory {
  float warp_sums[8][kMostColumns];
  double groups[1][kChunkGroups][kMostColumns];
  double total[kMostColumns + 1];
  int answer;
};
/// Threads that a block needs: one for each column of a sum.
inline constexpr unsigned kLeastBlockThreads = 64;
static_assert(kMostColumns <= kLeastBlockThreads);

/// One block of a team. plan.chunk_warps neighbouring warps sum a chunk. A block has a slot for as many
/// chunks as its warps suffice for. sum<Sums, Width> takes the number of threads that share an item; without
/// it, the plan's. Memory: TeamMemory or WarpTeamMemory.
template <class Memory>
class DeviceTeam {
 public:
  /// plan: made for the size of most of the team's sums. It is kept by reference, so it must be the launch's
  /// parameter.
  __device__ DeviceTeam(Memory& memory, const ChunkPlan& plan)
      : memory_(memory), plan_(plan), slot_(plan.slot_of(threadIdx.x / 32)) {}

  /// The crew is the last warp: in a block with more warps than a chunk needs, that warp has no points to sum
  /// and is early.
  template <class F>
  __device__ void replicated(F&& f) {
    if (is_crew()) f(WarpCrew{});
    block_barrier();
    lap(Step::solve);
  }
  template <class F, class Then>
  __device__ void replicated(F&& f, Then&& then) {
    replicated(f, then, [] {});
  }
  /// The other threads run meanwhile() while the crew runs f.
  template <class F, class Then, class Meanwhile>
  __device__ void replicated(F&& f, Then&& then, Meanwhile&& meanwhile) {
    std::invoke_result_t<F&, WarpCrew> left{};
    if (is_crew())
      left = f(WarpCrew{});
    else
      meanwhile();
    block_barrier();
    lap(Step::solve);
    if (is_crew()) then(WarpCrew{}, left);
  }

  /// Whether a wait for another block was in vain. Blocks of other teams than a grid wait at barriers of the
  /// device, where none is missing.
  __device__ static constexpr bool broken() { return false; }

  /// Whether this thread is of the crew.
  __device__ static bool is_crew() { return threadIdx.x / 32 == blockDim.x / 32 - 1; }
  /// Whether it is of the warp before the crew's, which has work of its own while others sum. A block
  /// has at least two warps.
  __device__ static bool is_second_crew() { return threadIdx.x / 32 == blockDim.x / 32 - 2; }

  static constexpr int kFew = 64;
  /// Sums n <= kFew items in every block by itself, with the same bits in blocks of all sizes.
  template <template <class> class Sums, class F>
  __device__ const Sums<double>& sum_alike(int n, F&& f) {
    constexpr int kWidth = 4, kPerWarp = 32 / kWidth, kWarps = kFew / kPerWarp, kReals = Sums<float>::kReals;
    static_assert(kWarps <= sizeof(Memory::warp_sums) / sizeof(Memory::warp_sums[0]));
    const int warps = static_cast<int>(blockDim.x) / 32;
    for (int warp = static_cast<int>(threadIdx.x) / 32; warp < kWarps; warp += warps) {
      const int item = warp * kPerWarp + static_cast<int>(threadIdx.x % 32) / kWidth;
      Sums<float> mine;
      if (warp * kPerWarp < n) f(item < n ? item : 0, item < n ? 1 : 0, WarpTile<kWidth>{}, mine);
      float columns[kReals];
      to_columns(mine, columns);
      warp_column_sums(columns, memory_.warp_sums[warp]);
    }
    block_barrier();
    Sums<double>& total = *reinterpret_cast<Sums<double>*>(memory_.total);
    if (const int column = static_cast<int>(threadIdx.x); column < kReals) {
      double parts[kWarps];
#pragma unroll
      for (int w = 0; w < kWarps; ++w) parts[w] = static_cast<double>(memory_.warp_sums[w][column]);
      set_column(total, column, tree_sum(parts));
    }
    block_barrier();
    return total;
  }

 protected:
  __device__ int chunk_threads() const { return 32 * plan_.chunk_warps; }
  template <class Sums>
  static constexpr int kColumns = Sums::kReals + Sums::kCounts + 1;

  /// Takes the host's groups for the plan's number of items, because working them out takes divisions. Fewer
  /// items are cut into as many chunks, so that every block of a grid still owns one.
  __device__ ChunkGroups groups_of(int items) const {
    if (items > plan_.groups.cut.items) return ChunkGroups(items);
    ChunkGroups out = plan_.groups;
    if (items < out.cut.items) out.cut = Chunks(items, out.chunks);
    return out;
  }
  /// All items have the plan's chunks.
  __device__ const ChunkGroups& groups_of(const AllItems&) const { return plan_.groups; }
  /// A sample has the plan's chunks: its items are those of the plan's items where it was taken of them.
  __device__ const ChunkGroups& groups_of(const Sample&) const { return plan_.groups; }
  __device__ static const Chunks& cut_of(const ChunkGroups& groups, int) { return groups.cut; }
  __device__ static const Chunks& cut_of(const ChunkGroups& groups, const AllItems&) { return groups.cut; }
  __device__ static SampledChunks cut_of(const ChunkGroups& groups, const Sample& sample) {
    return {groups.cut, sample.items, sample.times};
  }

  /// Lets one thread of the block ask.
  template <class Ask>
  __device__ void put_question(Ask&& ask) {
    if (threadIdx.x == 0) memory_.answer = ask();
  }

  /// Sums chunks first, first + stride, ... below `last`, at most plan_.together of them, and hands every
  /// column of the j-th to keep(j, column, value). There is one barrier, before the first keep(). The caller
  /// must put another before the next call, because that call overwrites warp_sums, from which keep()'s
  /// values are still being made.
  template <template <class> class Sums, int Width, class Cut, class F, class Keep>
  __device__ void sum_chunks(const Cut& chunks, int first, int stride, int last, F&& f, Keep&& keep) {
    constexpr int kAll = kColumns<Sums<float>>;
    const int warps = plan_.chunk_warps, slots = plan_.slot_of(blockDim.x / 32);
    const int left = first + stride < last ? (last - first + stride - 1) / stride : 1;
    const int count = left < plan_.together ? left : plan_.together;
    // The warps of a slot go from chunk to chunk without waiting for other slots.
    for (int j = slot_; j < count && slot_ < slots; j += slots) {
      const int chunk = first + j * stride;
      float columns[kAll - 1];
      to_columns(share<Sums, Width>(chunks.begin(chunk), chunks.end(chunk), f), columns);
      warp_column_sums(columns,
                       memory_.warp_sums[j * warps + static_cast<int>(threadIdx.x) / 32 - slot_ * warps]);
    }
    block_barrier();
    for (int i = static_cast<int>(threadIdx.x); i < count * kAll; i += static_cast<int>(blockDim.x)) {
      const int j = i / kAll, column = i % kAll;
      double sum = 0;
      if (column == kAll - 1)
        sum = first + j * stride == 0 ? memory_.answer : 0;
      else
        sum = warps <= kMostChunkWarps / 2 ? sum_of_warps<kMostChunkWarps / 2>(j * warps, warps, column)
                                           : sum_of_warps<kMostChunkWarps>(j * warps, warps, column);
      keep(j, column, leading_bits(sum));
    }
    lap(Step::sum);
  }
  /// One column of the sums of `count` warps, at most N. N does not matter for the bits.
  template <int N>
  __device__ double sum_of_warps(int first, int count, int column) const {
    double parts[N];
#pragma unroll
    for (int w = 0; w < N; ++w) {
      const float part = memory_.warp_sums[first + w][column];  // within bounds: spare entries follow
      parts[w] = w < count ? static_cast<double>(part) : 0.0;
    }
    return tree_sum(parts);
  }

  __device__ static double sum_of_groups(const double (&groups)[kChunkGroups][kMostColumns], int count,
                                         int column) {
    double parts[kChunkGroups];
#pragma unroll
    for (int g = 0; g < kChunkGroups; ++g) parts[g] = g < count ? groups[g][column] : 0.0;
    return tree_sum(parts);
  }
  struct AsGiven {
    __device__ int operator()(int answer) const { return answer; }
  };
  /// Gives every thread of the block the sum of the groups, which must be visible to the block, and
  /// answered(the answer that was given).
  template <template <class> class Sums, class Answered = AsGiven>
  __device__ const Total<Sums<double>>& fold_groups(const double (&groups)[kChunkGroups][kMostColumns],
                                                    int count, const Answered& answered = {}) {
    using Result = Total<Sums<double>>;
    constexpr int kAnswer = kColumns<Sums<double>> - 1;
    static_assert(sizeof(Result) <= sizeof memory_.total);
    Result& total = *reinterpret_cast<Result*>(memory_.total);
    if (const int column = static_cast<int>(threadIdx.x); column <= kAnswer) {
      const double sum = sum_of_groups(groups, count, column);
      if (column < kAnswer)
        set_column(total.sums, column, sum);
      else
        total.answer = answered(static_cast<int>(sum));
    }
    block_barrier();
    lap(Step::exchange);
    return total;
  }

  /// The leading bits of a chunk's or a group's sum, which travel between the blocks of a grid. Every team
  /// keeps these only, so that all teams give the same bits.
  __device__ static double leading_bits(double value) {
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
    return __longlong_as_double(static_cast<long long>(bits & ~(TaggedPartial::kTags - 1)));
  }

  /// This thread's share of items [begin, end).
  template <template <class> class Sums, int Width, class F>
  __device__ Sums<float> share(int begin, int end, F&& f) {
    if constexpr (Width > 0) {
      return share_of_tile<Sums, Width>(begin, end, f);
    } else {
      switch (plan_.tile) {
        case 4: return share_of_tile<Sums, 4>(begin, end, f);
        case 2: return share_of_tile<Sums, 2>(begin, end, f);
        default: return share_of_tile<Sums, 1>(begin, end, f);
      }
    }
  }
  template <template <class> class Sums, int W, class F>
  __device__ Sums<float> share_of_tile(int begin, int end, F&& f) {
    const int tiles = chunk_threads() / W,
              tile = (static_cast<int>(threadIdx.x) - slot_ * chunk_threads()) / W;
    Sums<float> mine;
    // All lanes run all rounds, because the tiles' shuffles need the full warp.
    for (int first = begin; first < end; first += tiles) {
      const bool there = first + tile < end;
      f(there ? first + tile : begin, there ? 1 : 0, WarpTile<W>{}, mine);
    }
    return mine;
  }

  Memory& memory_;
  const ChunkPlan& plan_;
  int slot_;
};

/// A team of one block, but for its sums.
template <class Memory>
class OneBlock : public DeviceTeam<Memory> {
 public:
  __device__ OneBlock(Memory& memory, const ChunkPlan& plan) : DeviceTeam<Memory>(memory, plan) {}

  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ bool leads() const { return true; }
  __device__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ void sync() { block_barrier(); }
  template <class F>
  __device__ void once(F&& f) {
    if (threadIdx.x == 0) f();
  }
};

/// One block as a team, for one alignment of a batch.
class BlockTeam : public OneBlock<TeamMemory> {
 public:
  __device__ BlockTeam(TeamMemory& memory, const ChunkPlan& plan) : OneBlock(memory, plan) {}

  /// n: int, AllItems or Sample.
  template <template <class> class Sums, int Width = 0, class Items, class F, class Ask>
  __device__ const Total<Sums<double>>& sum(const Items& n, F&& f, Ask&& ask) {
    const auto& groups = groups_of(n);
    put_question(ask);
    sum_groups<Sums, Width>(groups, cut_of(groups, n), 0, groups.groups, f, memory_.groups[0]);
    block_barrier();
    return fold_groups<Sums>(memory_.groups[0], groups.groups);
  }

 protected:
  /// Sums the chunks of groups [first_group, last_group) into the same groups of `out`. The block sees them
  /// after a barrier.
  template <template <class> class Sums, int Width, class Cut, class F>
  __device__ void sum_groups(const ChunkGroups& groups, const Cut& cut, int first_group, int last_group,
                             F&& f, double (&out)[kChunkGroups][kMostColumns]) {
    const int begin = first_group * groups.per_group, behind = last_group * groups.per_group,
              end = behind < groups.chunks ? behind : groups.chunks;
    const int column = static_cast<int>(threadIdx.x);
    double sum = 0;
    for (int first = begin; first < end; first += plan_.together) {
      sum_chunks<Sums, Width>(cut, first, 1, end, f,
                              [&](int j, int at, double value) { memory_.chunks[j][at] = value; });
      block_barrier();
      if (column >= kColumns<Sums<float>>) continue;
      for (int chunk = first; chunk < end && chunk < first + plan_.together; ++chunk) {
        if (chunk % groups.per_group == 0) sum = 0;
        sum += memory_.chunks[chunk - first][column];
        if ((chunk + 1) % groups.per_group == 0 || chunk + 1 == end)
          out[chunk / groups.per_group][column] = sum;
      }
    }
  }
};

/// One block as a team under ChunkPlan::throughput(). A warp sums whole groups of chunks, so the warps wait
/// for one another only once a sum.
class WarpBlockTeam : public OneBlock<WarpTeamMemory> {
 public:
  __device__ WarpBlockTeam(WarpTeamMemory& memory, const ChunkPlan& plan) : OneBlock(memory, plan) {}

  /// n: int, AllItems or Sample.
  template <template <class> class Sums, int Width = 1, class Items, class F, class Ask>
  __device__ const Total<Sums<double>>& sum(const Items& n, F&& f, Ask&& ask) {
    constexpr int kAnswer = kColumns<Sums<float>> - 1, kRest = kAnswer - 32;
    const auto& groups = groups_of(n);
    const auto cut = cut_of(groups, n);
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int group = slot_; group < groups.groups; group += static_cast<int>(blockDim.x / 32)) {
      const int first = group * groups.per_group, next = first + groups.per_group,
                last = next < groups.chunks ? next : groups.chunks;
      double sum = 0, rest = 0;
      for (int chunk = first; chunk < last; ++chunk) {
        float columns[kAnswer];
        to_columns(share<Sums, Width>(cut.begin(chunk), cut.end(chunk), f), columns);
        const ColumnSums sums = warp_column_sums(columns);
        sum += static_cast<double>(sums.first), rest += static_cast<double>(sums.rest);
      }
      double(&out)[kMostColumns] = memory_.groups[0][group];
      if (lane < kAnswer) out[lane] = sum;
      if (lane < kRest) out[32 + lane] = rest;
      if (lane == 0) out[kAnswer] = group == 0 ? ask() : 0;
    }
    block_barrier();
    return fold_groups<Sums>(memory_.groups[0], groups.groups);
  }
};

}  // namespace ndt
