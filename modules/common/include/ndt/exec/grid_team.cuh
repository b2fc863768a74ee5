// The blocks of a cooperative launch as a team, or as several teams of as many blocks each. Each block sums
// some of its team's chunks and folds all of them.
#pragma once

#include <cuda/atomic>

#include "ndt/exec/block_team.cuh"
#include "ndt/exec/device_clock.cuh"

namespace ndt {

struct NoWorkBeside {
  __device__ void operator()() const {}
};

/// Columns of a side sum, at most.
inline constexpr int kSideColumns = 24;

/// The words through which blocks exchange partial sums, in device memory, zero at first. A launch is told
/// which tags are its own.
struct alignas(16) GridExchange {
  std::uint64_t words[2][kMaxChunks][kMostColumns];
  std::uint64_t side_words[kMaxChunks][kSideColumns];
  /// The words of relay_arrival() in gpu_persistent.
  std::uint64_t scan_points;
  double scan_per_metre;
  /// The first wait of a launch that was in vain: its tag times 2^32, plus the block that did not arrive,
  /// plus one. 0, or a tag of an earlier launch: none.
  unsigned long long in_vain;
};

/// A wait for another block that GridExchange::in_vain tells of.
struct WaitInVain {
  unsigned tag = 0;
  int block = -1;  ///< that did not arrive; -1: all did

  /// first_tag: that of the launch.
  static WaitInVain of(unsigned long long word, unsigned first_tag) {
    const auto tag = static_cast<unsigned>(word >> 32U);
    return {tag, tag < first_tag ? -1 : static_cast<int>(word & 0xFFFFFFFFU) - 1};
  }
};

/// How long a block waits for another: a thousand times as long as the longest sums take, and far less than
/// a person waits.
inline constexpr unsigned kBlockPatienceMs = 500;

struct GridTeamMemory : TeamMemory {
  double side_totals[2][kSideColumns];  ///< as the crew and the second crew have it
  int broken;                           ///< not 0: the block waited in vain
  unsigned first_tag;
  /// The last that took long: its tag times 2^32, plus 2^32 - 1 less the time at which that was seen [ms].
  unsigned long long long_wait;
};

/// Two conditions on a launch:
/// - All blocks must be resident at once, because each waits for words of the others: launch cooperatively.
/// - Every block must own a chunk in every sum: a team has no more blocks than the plan has chunks. (Fewer
/// items
///   are cut into as many chunks, more items have more.) A block without a chunk delays no other, so the
///   others could be two sums ahead and overwrite words that it has not read yet.
///
/// A block that waits in vain for kBlockPatienceMs is broken() from then on, waits no more, and says whom it
/// waited for. The others are soon broken too, because each waits for all.
class GridTeam : public DeviceTeam<GridTeamMemory> {
 public:
  /// blocks: of each team. exchanges: one for each team. first_tag: larger than any tag since the exchanges
  /// were zero; a launch uses one for every sum.
  __device__ GridTeam(GridTeamMemory& memory, const ChunkPlan& plan, unsigned blocks, GridExchange* exchanges,
                      unsigned first_tag)
      : DeviceTeam(memory, plan),
        team_(static_cast<int>(blockIdx.x / blocks)),
        block_(static_cast<int>(blockIdx.x % blocks)),
        blocks_(static_cast<int>(blocks)),
        exchange_(exchanges[team_]),
        tag_(first_tag) {
    // Used after the first barrier of a sum() or sync().
    if (threadIdx.x == 0) memory.broken = 0, memory.first_tag = first_tag, memory.long_wait = 0;
  }

  /// The number of this team in the launch.
  __device__ int team() const { return team_; }
  __device__ int rank() const {
    return block_ * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  }
  __device__ bool leads() const { return block_ == 0; }
  __device__ int size() const { return blocks_ * static_cast<int>(blockDim.x); }
  /// Takes a tag, as a sum does.
  __device__ void sync() {
    const std::uint64_t tag = tag_ & kTagMask;
    auto& words = exchange_.words[tag_++ & 1U];  // safe as in sum()
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      Word(words[block_][0]).store(tag, ::cuda::memory_order_relaxed);
    }
    for (int block = static_cast<int>(threadIdx.x); block < blocks_; block += static_cast<int>(blockDim.x))
      for (int looks = 1; !has(words[block][0], tag); ++looks)
        if (looks % kLooksPerClock == 0 && is_in_vain(wait_for(words, block, 1, 0, tag), looks)) break;
    if (static_cast<int>(threadIdx.x) < blocks_) __threadfence();
    __syncthreads();
    count_meeting(Meeting::team_barrier);
  }
  /// Whether a wait of this block was in vain: its sums are of no use then. The same in all threads of a
  /// block after a sum() or sync(). A sum's answer is kBlockMissing then.
  __device__ bool broken() const { return memory_.broken != 0; }
  template <class F>
  __device__ void once(F&& f) {
    if (rank() == 0) f();
  }

  /// Needs no barrier between the blocks: a partial sum carries a tag, and its reader waits for that tag. The
  /// second crew runs beside() first: where its warp has no items, while the others have.
  template <template <class> class Sums, int Width = 0, class Items, class F, class Ask,
            class Beside = NoWorkBeside>
  __device__ const Total<Sums<double>>& sum(const Items& n, F&& f, Ask&& ask, Beside&& beside = {}) {
    const auto& groups = groups_of(n);
    const auto& cut = cut_of(groups, n);
    const std::uint64_t tag = tag_ & kTagMask;
    // Sum k overwrites the words of sum k-2. This is safe: a block reaches sum k only after every block has
    // published its chunks of sum k-1, and a block publishes those only after it has read all of sum k-2.
    auto& words = exchange_.words[tag_++ & 1U];
    if (block_ == 0) put_question(ask);
    if (is_second_crew()) beside();
    for (int first = block_; first < groups.chunks; first += blocks_ * plan_.together) {
      if (first >= blocks_) block_barrier();
      sum_chunks<Sums, Width>(cut, first, blocks_, groups.chunks, f, [&](int j, int column, double value) {
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
      gather(wait_for_group(words, groups, group, column, tag), groups.per_group,
             &memory_.groups[0][group][column]);
    }
    block_barrier();
    count_meeting(Meeting::exchange);
    return fold_groups<Sums>(memory_.groups[0], groups.groups,
                             [&](int answer) { return broken() ? kBlockMissing : answer; });
  }

  // A side sum is of a few of the items, and made beside the last sum of a loop, so that no block waits for
  // it. A launch has one at most, because its words have one place. It has the bits of sum<Sums, Width>(n,
  // f).

  /// Whether side sums are made: where every block has one chunk, and a warp sums its items at once.
  template <int Width>
  __device__ bool has_side_sum(const Sample& n) const {
    // Other chunks have no more items than the first.
    return blocks_ == plan_.groups.chunks && cut_of(plan_.groups, n).end(0) <= 32 / Width;
  }
  /// A block's part of a side sum, and the place for it.
  struct SidePart {
    const ChunkPlan& plan;
    std::uint64_t* words;
    int block;
    std::uint64_t tag;
  };
  __device__ SidePart side_part() const { return {plan_, exchange_.side_words[block_], block_, side_tag()}; }
  /// For the second crew, in a sum()'s beside(): sums the block's items, and publishes them with that sum's
  /// tag.
  template <template <class> class Sums, int Width, class F>
  __device__ static void sum_side_part(const SidePart& to, const Sample& n, F&& f) {
    constexpr int kReals = Sums<float>::kReals, kAll = kColumns<Sums<float>>;
    static_assert(kAll <= kSideColumns && kReals < 32);
    const SampledChunks cut = cut_of(to.plan.groups, n);
    const int lane = static_cast<int>(threadIdx.x % 32), item = cut.begin(to.block) + lane / Width;
    const bool there = item < cut.end(to.block);
    Sums<float> mine;
    f(there ? item : 0, there ? 1 : 0, WarpTile<Width>{}, mine);
    float columns[kReals];
    to_columns(mine, columns);
    const auto sum = static_cast<double>(warp_column_sums(columns).first);
    const double value = lane < kReals ? leading_bits(sum) : 0;  // the last column is the answer's
    if (lane < kAll)
      Word(to.words[lane])
          .store(static_cast<std::uint64_t>(__double_as_longlong(value)) | to.tag,
                 ::cuda::memory_order_relaxed);
  }
  /// For all but the crew, after that sum(): waits for the words of all blocks.
  template <template <class> class Sums>
  __device__ void gather_side_sum() {
    constexpr int kPairs = kColumns<Sums<float>> / 2;
    static_assert(kColumns<Sums<float>> % 2 == 0);
    for (int i = static_cast<int>(threadIdx.x); i < plan_.groups.groups * kPairs;
         i += static_cast<int>(blockDim.x) - 32) {
      const int group = i / kPairs, column = i % kPairs * 2;
      gather_apart(wait_for_group(exchange_.side_words, plan_.groups, group, column, side_tag()),
                   plan_.groups.per_group, &memory_.groups[1][group][column]);
    }
  }
  /// For either crew by itself, after a barrier of the block.
  template <template <class> class Sums>
  __device__ const Sums<double>& side_sum() {
    static_assert(sizeof(Sums<double>) <= sizeof memory_.side_totals[0]);
    Sums<double>& total = *reinterpret_cast<Sums<double>*>(memory_.side_totals[is_crew() ? 0 : 1]);
    const int column = static_cast<int>(threadIdx.x % 32);
    if (column < Sums<double>::kReals)
      set_column(total, column, sum_of_groups(memory_.groups[1], plan_.groups.groups, column));
    __syncwarp();
    return total;
  }

 private:
  /// The last sum()'s.
  __device__ std::uint64_t side_tag() const { return (tag_ - 1) & kTagMask; }

  static constexpr std::uint64_t kTagMask = TaggedPartial::kTags - 1;
  using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  using Shared = ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device>;

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

  __device__ static bool has(const std::uint64_t& word, std::uint64_t tag) {
    const std::uint64_t now = Word(const_cast<std::uint64_t&>(word)).load(::cuda::memory_order_relaxed);
    return ((now ^ tag) & kTagMask) == 0;
  }

  /// The words of a column of neighbouring chunks that are waited for.
  struct Wait {
    GridTeamMemory& memory;
    GridExchange& exchange;
    const std::uint64_t* words;  ///< the first chunk's
    int stride;                  ///< words between two chunks'
    int first, count;            ///< chunks
    int blocks;
    std::uint64_t tag;
  };
  template <int Columns>
  __device__ Wait wait_for(const std::uint64_t (&words)[kMaxChunks][Columns], int first, int count,
                           int column, std::uint64_t tag) {
    return {memory_, exchange_, &words[first][column], Columns, first, count, blocks_, tag};
  }
  template <int Columns>
  __device__ Wait wait_for_group(const std::uint64_t (&words)[kMaxChunks][Columns], const ChunkGroups& groups,
                                 int group, int column, std::uint64_t tag) {
    const int first = group * groups.per_group;
    const int count = groups.chunks - first < groups.per_group ? groups.chunks - first : groups.per_group;
    return wait_for(words, first, count, column, tag);
  }

  /// Waits until this column and the next of a group's chunks have arrived, and adds them up; all loads are
  /// under way at once.
  __device__ static void gather(const Wait& wait, int per_group, double* out) {
    WordPair read[kMostChunksPerGroup] = {};
    for (int looks = 1;; ++looks) {
      std::uint64_t missing = 0;
#pragma unroll
      for (int j = 0; j < kMostChunksPerGroup; ++j)
        if (j == 0 || j < per_group) read[j] = load(wait.words + (j < wait.count ? j : 0) * wait.stride);
#pragma unroll
      for (int j = 0; j < kMostChunksPerGroup; ++j)
        if (j == 0 || j < per_group) missing |= (read[j].a ^ wait.tag) | (read[j].b ^ wait.tag);
      if ((missing & kTagMask) == 0) break;
      if (looks % kLooksPerClock == 0 && is_in_vain(wait, looks)) return;
    }
    double a = 0, b = 0;
#pragma unroll
    for (int j = 0; j < kMostChunksPerGroup; ++j)
      if (j < wait.count) a += value(read[j].a, wait.tag), b += value(read[j].b, wait.tag);
    out[0] = a, out[1] = b;
  }
  /// Gathers where it is rare, so that a loop's instructions stay close together.
  __device__ __noinline__ static void gather_apart(const Wait wait, int per_group, double* out) {
    gather(wait, per_group, out);
  }

  /// Looks between two at the clock: a millisecond's worth, which hardly a wait takes.
  static constexpr int kLooksPerClock = 4096;
  /// Fewest before a wait is in vain: a device that another process or a debugger holds looks as seldom as it
  /// sums.
  static constexpr int kFewestLooks = 1 << 17;

  /// Tells after so many looks whether the wait is in vain: it, or another, has lasted too long. Then the
  /// block is broken. Neither inlined nor a member, because it is rare and would keep the team in memory.
  __device__ __noinline__ static bool is_in_vain(const Wait wait, int looks) {
    const Shared in_vain(wait.exchange.in_vain);
    // False if the word is left from an earlier launch, which had its result anyway.
    const auto is_of_this_launch = [&](unsigned long long word) {
      return word >> 32U >= wait.memory.first_tag;
    };
    unsigned long long before = in_vain.load(::cuda::memory_order_relaxed);
    if (!is_of_this_launch(before)) {
      const auto now = static_cast<unsigned>(nanoseconds() / 1000000);
      const ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_block> seen(wait.memory.long_wait);
      // The first look of a wait gives the largest word, because later looks have less time left.
      const unsigned long long first = seen.fetch_max(wait.tag << 32U | ~now, ::cuda::memory_order_relaxed);
      if (first >> 32U != wait.tag || looks < kFewestLooks ||
          now - ~static_cast<unsigned>(first) < kBlockPatienceMs)
        return false;
    }
    wait.memory.broken = 1;
    // Says which of the chunks has not arrived, unless another wait was in vain before.
    NDT_ROLLED
    for (int chunk = 0; chunk < wait.count; ++chunk) {
      before = in_vain.load(::cuda::memory_order_relaxed);
      const int block = (wait.first + chunk) % wait.blocks;
      if (!has(wait.words[chunk * wait.stride], wait.tag) && !is_of_this_launch(before))
        in_vain.compare_exchange_strong(before, wait.tag << 32U | static_cast<unsigned>(block + 1),
                                        ::cuda::memory_order_relaxed);
    }
    return true;
  }

  int team_, block_, blocks_;
  GridExchange& exchange_;
  unsigned tag_;
};

}  // namespace ndt
