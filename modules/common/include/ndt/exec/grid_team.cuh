// The blocks of a cooperative launch as a team, or as several teams of as many blocks each. Each block sums
// some of its team's chunks and folds all of them.
#pragma once

#include <cooperative_groups.h>

#include <cuda/atomic>

#include "ndt/exec/block_team.cuh"

namespace ndt {

/// The words through which blocks exchange partial sums, in device memory, zero at first. A launch is told
/// which tags are its own.
struct GridExchange {
  std::uint64_t words[2][kMaxChunks][kMostColumns];
};

/// Two conditions on a launch:
/// - All blocks must be resident at once, because each waits for words of the others: launch cooperatively.
/// - Every block must own a chunk in every sum: a team has no more blocks than the plan has chunks. (Fewer
/// items
///   are cut into as many chunks, more items have more.) A block without a chunk delays no other, so the
///   others could be two sums ahead and overwrite words that it has not read yet.
class GridTeam : public DeviceTeam<TeamMemory> {
 public:
  /// blocks: of each team. exchanges: one for each team. first_tag: larger than any tag since the exchanges
  /// were zero; a launch uses one for every sum.
  __device__ GridTeam(TeamMemory& memory, const ChunkPlan& plan, unsigned blocks, GridExchange* exchanges,
                      unsigned first_tag)
      : DeviceTeam(memory, plan),
        team_(static_cast<int>(blockIdx.x / blocks)),
        block_(static_cast<int>(blockIdx.x % blocks)),
        blocks_(static_cast<int>(blocks)),
        exchange_(exchanges[team_]),
        tag_(first_tag) {}

  /// Which team of the launch this is.
  __device__ int team() const { return team_; }
  __device__ int rank() const {
    return block_ * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  }
  __device__ bool leads() const { return block_ == 0; }
  __device__ int size() const { return blocks_ * static_cast<int>(blockDim.x); }
  /// Only where the launch is one team.
  __device__ void sync() { cooperative_groups::this_grid().sync(); }
  template <class F>
  __device__ void once(F&& f) {
    if (rank() == 0) f();
  }

  /// Needs no barrier between the blocks: a partial sum carries a tag, and its reader waits for that tag.
  template <template <class> class Sums, int Width = 0, class F, class Ask>
  __device__ const Total<Sums<double>>& sum(int n, F&& f, Ask&& ask) {
    const ChunkGroups groups = groups_of(n);
    const std::uint64_t tag = tag_ & kTagMask;
    // Sum k overwrites the words of sum k-2. This is safe: a block reaches sum k only after every block has
    // published its chunks of sum k-1, and a block publishes those only after it has read all of sum k-2.
    auto& words = exchange_.words[tag_++ & 1U];
    if (block_ == 0) put_question(ask);
    for (int first = block_; first < groups.chunks; first += blocks_ * plan_.together) {
      if (first >= blocks_) __syncthreads();
      sum_chunks<Sums, Width>(groups.cut, first, blocks_, groups.chunks, f,
                              [&](int j, int column, double value) {
                                Word(words[first + j * blocks_][column])
                                    .store(static_cast<std::uint64_t>(__double_as_longlong(value)) | tag,
                                           ::cuda::memory_order_relaxed);
                              });
    }
    // A reader waits for both columns of a pair, so both must be written.
    static_assert(kColumns<Sums<float>> % 2 == 0);
    constexpr int kPairs = kColumns<Sums<float>> / 2;
    for (int i = static_cast<int>(threadIdx.x); i < groups.groups * kPairs;
         i += static_cast<int>(blockDim.x)) {
      const int group = i / kPairs, column = i % kPairs * 2;
      gather(words, groups, group, column, tag, &memory_.groups[0][group][column]);
    }
    __syncthreads();
    return fold_groups<Sums>(memory_.groups[0], groups.groups);
  }

 private:
  static constexpr std::uint64_t kTagMask = TaggedPartial::kTags - 1;
  using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;

  struct alignas(16) WordPair {
    std::uint64_t a, b;
  };
  /// Loads two words. Each arrives whole, but the two may be of different times.
  __device__ static WordPair load(const std::uint64_t* pair) {
    WordPair out;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(out.a), "=l"(out.b)
                 : "l"(pair)
                 : "memory");
    return out;
  }
  __device__ static double value(std::uint64_t word, std::uint64_t tag) {
    return __longlong_as_double(static_cast<long long>(word ^ tag));
  }

  /// Waits until two columns of a group's chunks have arrived, and adds them up; all loads are under way at
  /// once.
  __device__ static void gather(const std::uint64_t (&words)[kMaxChunks][kMostColumns],
                                const ChunkGroups& groups, int group, int column, std::uint64_t tag,
                                double* out) {
    const int first = group * groups.per_group;
    const int count = groups.chunks - first < groups.per_group ? groups.chunks - first : groups.per_group;
    WordPair read[kMostChunksPerGroup] = {};
    std::uint64_t missing;
    do {
      missing = 0;
#pragma unroll
      for (int j = 0; j < kMostChunksPerGroup; ++j)
        if (j == 0 || j < groups.per_group) read[j] = load(&words[first + (j < count ? j : 0)][column]);
#pragma unroll
      for (int j = 0; j < kMostChunksPerGroup; ++j)
        if (j == 0 || j < groups.per_group) missing |= (read[j].a ^ tag) | (read[j].b ^ tag);
    } while ((missing & kTagMask) != 0);
    double a = 0, b = 0;
#pragma unroll
    for (int j = 0; j < kMostChunksPerGroup; ++j)
      if (j < count) a += value(read[j].a, tag), b += value(read[j].b, tag);
    out[0] = a, out[1] = b;
  }

  int team_, block_, blocks_;
  GridExchange& exchange_;
  unsigned tag_;
};

}  // namespace ndt
