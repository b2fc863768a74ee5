// Lanes of a warp that share a point: lane r of W takes every W-th of its candidates.
#pragma once

namespace ndt {

/// W: 1, 2, 4, 8, 16 or 32 neighbouring threads of a block. All threads of the warp must call max() together: a part of a warp
/// would first have to find out who is there.
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
};

}  // namespace ndt
