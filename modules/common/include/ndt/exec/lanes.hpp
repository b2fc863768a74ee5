// A tile of lanes that share one point: lane r of w takes every w-th of the point's candidates.
#pragma once

#include "ndt/core/hd.hpp"

namespace ndt {

/// One lane: what a CPU worker is. A CUDA tile has the same members with a compile-time width and shuffles.
struct SingleLane {
  NDT_HD static constexpr int rank() { return 0; }
  NDT_HD static constexpr int width() { return 1; }
  /// Largest value over the lanes, on every lane.
  template <class T>
  NDT_HD static T max(T value) {
    return value;
  }
};

}  // namespace ndt
