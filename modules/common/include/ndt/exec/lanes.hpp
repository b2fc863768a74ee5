// How a worker's lanes map to points. Either lanes share one point (lane r of w takes every w-th of its candidates), or each
// lane has a point of its own.
#pragma once

#include "ndt/core/simd.hpp"

namespace ndt {

/// One lane, one point: unit tests and debuggers. A CUDA tile has the same members with a compile-time width and shuffles.
struct SingleLane {
  using Real = float;
  static constexpr int kPoints = 1;
  NDT_HD static constexpr int rank() { return 0; }
  NDT_HD static constexpr int width() { return 1; }
  /// Largest value over the lanes, on every lane.
  template <class T>
  NDT_HD static T max(T value) {
    return value;
  }
};

#if !defined(__CUDACC__)
/// Four points side by side in a CPU worker's vector registers.
struct SimdLanes {
  using Real = Float4;
  static constexpr int kPoints = 4;
};
#endif

}  // namespace ndt
