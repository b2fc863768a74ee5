// How a sum over n items is cut, the same for every team: the cut depends on n only, so every schedule gives the same bits.
#pragma once

#include "ndt/core/hd.hpp"

namespace ndt {

inline constexpr int kMaxChunks = 128;     // few enough that every worker can fold all of them
inline constexpr int kMinChunkItems = 64;  // on fewer, folding costs more than summing
inline constexpr int kChunkMultiple = 4;   // no worker's vector is cut in two

struct Chunks {
  int count = 0;
  int size = 0;  ///< items per chunk; the last may hold fewer
  int items = 0;

  Chunks() = default;
  NDT_HD explicit Chunks(int n) : items(n) {
    const unsigned all = static_cast<unsigned>(n), even = (all + kMaxChunks - 1) / kMaxChunks;
    const unsigned rounded = (even + kChunkMultiple - 1) / kChunkMultiple * kChunkMultiple;
    size = static_cast<int>(rounded > kMinChunkItems ? rounded : kMinChunkItems);
    count = static_cast<int>((all + static_cast<unsigned>(size) - 1) / static_cast<unsigned>(size));
  }
  NDT_HD int begin(int chunk) const { return static_cast<int>(static_cast<long long>(chunk) * size); }
  NDT_HD int end(int chunk) const {
    const long long last = static_cast<long long>(chunk + 1) * size;
    return last < items ? static_cast<int>(last) : items;
  }
};

/// Sums one chunk with the given lanes: f(first item, count, lanes, Sums<Real>&), lanes folded into double at the end.
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

}  // namespace ndt
