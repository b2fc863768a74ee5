// Sums over the threads of a block, in an order that never changes.
#pragma once

namespace ndt {

namespace detail {

/// Each lane keeps `Half` of its 2 Half sums and gives the others to the lane `Half` away.
template <int Half>
__device__ inline void exchange(float (&v)[32]) {
  const bool upper = (threadIdx.x & static_cast<unsigned>(Half)) != 0;
#pragma unroll
  for (int i = 0; i < Half; ++i) {
    const float given = upper ? v[i] : v[i + Half];
    const float kept = upper ? v[i + Half] : v[i];
    v[i] = kept + __shfl_xor_sync(~0U, given, Half);
  }
}

}  // namespace detail

/// Sum of v[lane] over the warp, for 32 sums at once: every exchange halves how many sums a lane still works on, 31 shuffles in
/// all where 32 butterflies would take 160. v is used up.
__device__ inline float warp_transposed_sum(float (&v)[32]) {
  detail::exchange<16>(v);
  detail::exchange<8>(v);
  detail::exchange<4>(v);
  detail::exchange<2>(v);
  detail::exchange<1>(v);
  return v[0];
}

template <class T>
__device__ inline T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0U, value, offset);
  return value;
}

}  // namespace ndt
