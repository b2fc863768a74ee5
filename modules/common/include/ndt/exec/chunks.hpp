// The cut of a sum over n items into chunks, their share-out to threads, and the order in which they are
// folded. All of it depends on n only, so every schedule gives the same bits.
#pragma once

#include <cstdint>

#include "ndt/core/hd.hpp"

namespace ndt {

inline constexpr int kMaxChunks = 128;     // few enough that every worker can fold all of them
inline constexpr int kMinChunkItems = 64;  // on fewer, folding costs more than summing
inline constexpr int kChunkMultiple = 4;   // of a chunk's size; another would change last bits

struct Chunks {
  int count = 0;
  int size = 0;  ///< items per chunk; the last may hold fewer
  int items = 0;

  Chunks() = default;
  NDT_HD explicit Chunks(int n) : Chunks(sized(n, kChunkMultiple)) {}
  /// Chunks whose size is a multiple of `multiple`, a divisor of kMinChunkItems.
  NDT_HD static Chunks sized(int n, unsigned multiple) {
    const unsigned all = static_cast<unsigned>(n), even = (all + kMaxChunks - 1) / kMaxChunks;
    const unsigned rounded = (even + multiple - 1) / multiple * multiple;
    Chunks out;
    out.items = n;
    out.size = static_cast<int>(rounded > kMinChunkItems ? rounded : kMinChunkItems);
    out.count =
        static_cast<int>((all + static_cast<unsigned>(out.size) - 1) / static_cast<unsigned>(out.size));
    return out;
  }
  /// Cuts a few items into that many chunks, at least one; the last may be empty.
  NDT_HD Chunks(int n, int chunks) : count(chunks), items(n) {
    const unsigned many = static_cast<unsigned>(chunks), even = (static_cast<unsigned>(n) + many - 1) / many;
    size = static_cast<int>((even + kChunkMultiple - 1) / kChunkMultiple * kChunkMultiple);
  }
  NDT_HD int begin(int chunk) const { return static_cast<int>(static_cast<long long>(chunk) * size); }
  NDT_HD int end(int chunk) const {
    const long long last = static_cast<long long>(chunk + 1) * size;
    return last < items ? static_cast<int>(last) : items;
  }
};

/// floor((a b + c) / d), an int. In 32 bits where they suffice, because 64 take a device several times as
/// long.
NDT_HD inline int scaled(int a, int b, int c, int d) {
  const std::uint64_t product =
      static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) + static_cast<std::uint64_t>(c);
  return (product >> 32U) == 0 ? static_cast<int>(static_cast<unsigned>(product) / static_cast<unsigned>(d))
                               : static_cast<int>(product / static_cast<std::uint64_t>(d));
}

/// All the items that a plan is made for.
struct AllItems {
  int count = 0;
  NDT_HD operator int() const { return count; }
};

/// Items that are taken evenly of more, each so many times: item i is number floor(i / times * of / items) of
/// them.
struct Sample {
  int items = 0, of = 0;
  int times = 1;
  /// The number of item i.
  NDT_HD int number(int i) const { return scaled(i / times, of, 0, items); }
};

/// A sample in the chunks of what it is taken of, so that a block needs no other's chunk for its part of the
/// sample.
struct SampledChunks {
  Chunks whole;
  int items = 0, times = 1;
  NDT_HD int begin(int chunk) const { return before(whole.begin(chunk)); }
  NDT_HD int end(int chunk) const { return before(whole.end(chunk)); }

 private:
  /// Number of sampled items before item `at` of the whole.
  NDT_HD int before(int at) const {
    const int all = whole.items > 0 ? whole.items : 1;
    return times * scaled(at, items, all - 1, all);
  }
};

/// Sums one chunk with the given lanes: f(first item, count, lanes, Sums<Real>&), lanes folded into double at
/// the end.
template <template <class> class Sums, class Lanes, class F>
NDT_BODY inline Sums<double> sum_chunk(const Chunks& chunks, int chunk, const Lanes& lanes, F&& f) {
  Sums<typename Lanes::Real> part;
  const int end = chunks.end(chunk);
  for (int i = chunks.begin(chunk); i < end; i += Lanes::kPoints)
    f(i, end - i < Lanes::kPoints ? end - i : Lanes::kPoints, lanes, part);
  Sums<double> total;
  add_folded(total, part);
  return total;
}

inline constexpr int kChunkGroups = 16;  // one for each block of the largest cluster
inline constexpr int kMostChunkWarps = 16;
inline constexpr int kChunksTogether = 16;  // most chunks that a block sums between two barriers
inline constexpr int kWarpSums = 128;       // most warp sums of those chunks

/// Groups of neighbouring chunks. Chunks are folded in order within their group, then the groups in order.
struct ChunkGroups {
  Chunks cut;
  int chunks = 1;     ///< at least one, because an empty sum has a result too
  int per_group = 1;  ///< chunks of a group; the last may hold fewer
  int groups = 1;

  ChunkGroups() = default;
  NDT_HD explicit ChunkGroups(int items) : ChunkGroups(Chunks(items)) {}
  NDT_HD explicit ChunkGroups(const Chunks& chunks_of)
      : cut(chunks_of), chunks(cut.count > 0 ? cut.count : 1) {
    per_group = (chunks + kChunkGroups - 1) / kChunkGroups;
    groups = (chunks + per_group - 1) / per_group;
  }
};
inline constexpr int kMostChunksPerGroup = kMaxChunks / kChunkGroups;

/// Threads that share an item, and those of a chunk if they share: more threads wait longer for one another
/// than their shares are shorter.
inline constexpr int kMostSharing = 4, kMostChunkThreads = 384;

/// How the blocks of a device share out a sum. It depends on the number of items, and on whether the plan is
/// for the shortest wait or for a busy device. The host makes it, so that kernels need no divisions.
struct ChunkPlan {
  static constexpr unsigned kWarpUnit = 1U << 16;
  /// The size of throughput()'s chunks is a multiple of this number: two items for each lane of a warp.
  static constexpr int kWarpItems = 64;

  ChunkGroups groups;
  int tile = 1;                    ///< threads that share an item; several if items are few: latency counts
  int chunk_warps = 1;             ///< warps that share a chunk
  int together = kChunksTogether;  ///< chunks that a block sums between two barriers
  unsigned inverse_chunk_warps = kWarpUnit;  ///< 1 / chunk_warps in units of 1 / kWarpUnit, rounded up

  ChunkPlan() = default;
  /// most_sharing: threads that share an item, at most.
  explicit ChunkPlan(int items, int most_sharing = kMostSharing) : groups(items) {
    const int size = groups.cut.size;
    while (tile < most_sharing && 2 * tile * size <= kMostChunkThreads) tile *= 2;
    share_chunks_among((size * tile + 31) / 32);
  }
  /// A plan for a device that is busy with many sums: no item is shared, because that repeats work, and one
  /// warp sums a chunk, so that no warp waits for another within it.
  static ChunkPlan throughput(int items) {
    ChunkPlan out;
    out.groups = ChunkGroups(Chunks::sized(items, kWarpItems));
    out.share_chunks_among(1);
    return out;
  }

  /// Whether the plan is throughput()'s. Other chunks are shared by several warps.
  bool for_throughput() const { return chunk_warps == 1; }
  /// warp / chunk_warps, exact for the warps of a block (at most 32).
  NDT_HD int slot_of(unsigned warp) const { return static_cast<int>(warp * inverse_chunk_warps / kWarpUnit); }

 private:
  void share_chunks_among(int warps) {
    chunk_warps = warps < kMostChunkWarps ? warps : kMostChunkWarps;
    together = kWarpSums / chunk_warps < kChunksTogether ? kWarpSums / chunk_warps : kChunksTogether;
    inverse_chunk_warps =
        (kWarpUnit + static_cast<unsigned>(chunk_warps) - 1) / static_cast<unsigned>(chunk_warps);
  }
};

/// A partial sum as it travels between blocks: its leading bits (33 significant ones), and in place of the
/// others a tag that tells which sum wrote it. One load gives both, so blocks need no barrier before they
/// read.
struct TaggedPartial {
  static constexpr int kTagBits = 20;
  static constexpr std::uint64_t kTags = std::uint64_t{1} << kTagBits;
};

}  // namespace ndt
