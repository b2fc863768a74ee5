// Work that the threads of a warp do together: they share a point, and sum columns in an order that never
// changes.
#pragma once

namespace ndt {

/// W neighbouring threads of a block: 1, 2, 4, 8, 16 or 32. All threads of the warp must call max() together,
/// because its shuffles name the full warp.
template <int W>
struct WarpTile {
  using Real = float;
  static constexpr int kPoints = 1;
  __device__ static int rank() { return static_cast<int>(threadIdx.x) % W; }
  __device__ static constexpr int width() { return W; }
  template <class T>
  __device__ static T max(T value) {
    for (int offset = W / 2; offset > 0; offset /= 2) {
      const T other = __shfl_xor_sync(~0U, value, offset);
      value = other > value ? other : value;
    }
    return value;
  }

  /// The half of the tile that this thread is in, as a tile; which one, 0 or 1; and the value that the thread
  /// at the same place in the other one has. All threads of the warp must call other() together.
  using Half = WarpTile<W / 2>;
  __device__ static int half() { return rank() / (W / 2); }
  __device__ static float other(float value) { return __shfl_xor_sync(~0U, value, W / 2); }
};

namespace detail {

/// Each lane keeps `Half` of its 2 Half sums and gives the others to the lane `Half` away.
template <int Half>
__device__ inline void exchange(float* v) {
  const bool upper = (threadIdx.x & static_cast<unsigned>(Half)) != 0;
#pragma unroll
  for (int i = 0; i < Half; ++i) {
    const float given = upper ? v[i] : v[i + Half];
    const float kept = upper ? v[i + Half] : v[i];
    v[i] = kept + __shfl_xor_sync(~0U, given, Half);
  }
}

template <int Sums>
__device__ inline void exchange_down(float* v) {
  if constexpr (Sums > 1) {
    exchange<Sums / 2>(v);
    exchange_down<Sums / 2>(v);
  }
}

}  // namespace detail

/// Sum of v[lane % N] over the warp, for N sums at once, N a power of two. Every exchange halves the number
/// of sums that a lane still works on, so 32 sums take 31 shuffles where 32 butterflies would take 160. v is
/// overwritten.
template <int N>
__device__ inline float warp_transposed_sum(float (&v)[N]) {
  detail::exchange_down<N>(v);
#pragma unroll
  for (int offset = N; offset < 32; offset *= 2) v[0] += __shfl_xor_sync(~0U, v[0], offset);
  return v[0];
}

/// The sums of N columns over a warp, as a lane has them: that of column `lane` and that of 32 + lane % 8.
struct ColumnSums {
  float first = 0, rest = 0;
};
template <int N>
__device__ inline ColumnSums warp_column_sums(const float (&columns)[N]) {
  static_assert(N <= 40);
  float first[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) first[i] = i < N ? columns[i] : 0.0F;
  ColumnSums sums{warp_transposed_sum(first)};
  if constexpr (N > 32) {
    float rest[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) rest[i] = 32 + i < N ? columns[32 + i] : 0.0F;
    sums.rest = warp_transposed_sum(rest);
  }
  return sums;
}
/// Has every column written to out by one lane.
template <int N>
__device__ inline void warp_column_sums(const float (&columns)[N], float* out) {
  const unsigned lane = threadIdx.x % 32U;
  const ColumnSums sums = warp_column_sums(columns);
  if (lane < N) out[lane] = sums.first;
  if (N > 32 && lane + 32 < N) out[32 + lane] = sums.rest;
}

/// Sum of a thread's numbers, neighbours first. It takes as many additions as a running sum, but few wait for
/// one another.
template <int N>
__device__ inline double tree_sum(const double (&v)[N]) {
  if constexpr (N == 1) {
    return v[0];
  } else {
    double half[(N + 1) / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) half[i] = v[2 * i] + v[2 * i + 1];
    if constexpr (N % 2 != 0) half[N / 2] = v[N - 1];
    return tree_sum(half);
  }
}

template <class T>
__device__ inline T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0U, value, offset);
  return value;
}

}  // namespace ndt
