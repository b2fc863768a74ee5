// Sums over the threads of a block, in an order that never changes.
#pragma once

namespace ndt {

/// Sum of v[lane] over the warp, for 32 sums at once: every exchange halves how many sums a lane still works on, 31 shuffles in
/// all where 32 butterflies would take 160. v is used up.
__device__ inline float warp_transposed_sum(float (&v)[32]) {
  const unsigned lane = threadIdx.x % 32U;
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    const bool upper = (lane & static_cast<unsigned>(half)) != 0;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float given = upper ? v[i] : v[i + half];
      const float kept = upper ? v[i + half] : v[i];
      v[i] = kept + __shfl_xor_sync(~0U, given, half);
    }
  }
  return v[0];
}

template <class T>
__device__ inline T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0U, value, offset);
  return value;
}

}  // namespace ndt
