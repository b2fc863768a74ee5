// The sums of one chunk of points by one block of threads.
#pragma once

#include "ndt/exec/chunks.hpp"
#include "ndt/exec/warp.cuh"
#include "ndt/score/derivative_sums.hpp"

namespace ndt {

/// Columns of a sum's counts, which follow its real numbers; all columns are doubles.
enum : int { kPairsColumn = kDerivativeSums, kPointsColumn, kSumColumns };

/// Sums the threads' shares over the block into out[kSumColumns], in global memory: float within a warp,
/// double across warps, in a fixed order. All threads must call it. A block has at most 32 warps, all of them
/// full.
__device__ inline void sum_block(const DerivativeSums<float>& mine, double* out) {
  constexpr int kRest = kDerivativeSums - 32;
  __shared__ float shared[32][kDerivativeSums];
  __shared__ unsigned long long counts[32];
  const unsigned lane = threadIdx.x % 32U, warp = threadIdx.x / 32U, warps = blockDim.x / 32U;
  float all[kDerivativeSums], first[32];
  to_array(mine, all);
#pragma unroll
  for (int i = 0; i < 32; ++i) first[i] = all[i];
  shared[warp][lane] = warp_transposed_sum(first);
#pragma unroll
  for (int i = 0; i < kRest; ++i) {
    const float sum = warp_sum(all[32 + i]);
    if (lane == 0) shared[warp][32 + i] = sum;
  }
  // A chunk has at most 2^20 points (Limits::kPoints) of at most 125 pairs: both counts fit one word.
  const auto packed = warp_sum(static_cast<unsigned long long>(mine.pairs) |
                               static_cast<unsigned long long>(mine.points) << 32);
  if (lane == 0) counts[warp] = packed;
  __syncthreads();
  if (threadIdx.x < kDerivativeSums) {
    double sum = 0;
    for (unsigned w = 0; w < warps; ++w) sum += static_cast<double>(shared[w][threadIdx.x]);
    out[threadIdx.x] = sum;
  } else if (threadIdx.x == 63) {
    unsigned long long sum = 0;
    for (unsigned w = 0; w < warps; ++w) sum += counts[w];
    out[kPairsColumn] = static_cast<double>(sum & 0xFFFFFFFFULL);
    out[kPointsColumn] = static_cast<double>(sum >> 32);
  }
}

/// Sums this thread's share of items [begin, end), which tiles of W threads take in turn.
template <int W, class F>
__device__ inline DerivativeSums<float> sum_tiles(int begin, int end, const F& f) {
  const int tiles = static_cast<int>(blockDim.x) / W, tile = static_cast<int>(threadIdx.x) / W;
  DerivativeSums<float> mine;
  for (int first = begin; first < end; first += tiles) {  // all lanes run all rounds, for the shuffles
    const bool there = first + tile < end;
    f(there ? first + tile : begin, there ? 1 : 0, WarpTile<W>{}, mine);
  }
  return mine;
}

}  // namespace ndt
