// How a sum over n items is cut, the same for every team: the cut depends on n only, so every schedule gives the same bits.
#pragma once

#include "ndt/core/hd.hpp"

namespace ndt {

inline constexpr int kMaxChunks = 128;    // few enough that every worker can fold all of them
inline constexpr int kMinChunkItems = 32;  // a warp's worth

struct Chunks {
  int count = 0;
  int size = 0;  ///< items per chunk; the last may hold fewer
  int items = 0;

  NDT_HD explicit Chunks(int n) : items(n) {
    count = (n + kMinChunkItems - 1) / kMinChunkItems;
    if (count > kMaxChunks) count = kMaxChunks;
    size = count > 0 ? (n + count - 1) / count : 0;
  }
  NDT_HD int begin(int chunk) const {
    const long long first = static_cast<long long>(chunk) * size;
    return first < items ? static_cast<int>(first) : items;
  }
  NDT_HD int end(int chunk) const { return begin(chunk + 1); }
};

}  // namespace ndt
