// The score of a pose without its derivatives.
#pragma once

#include <cstdint>

#include "ndt/core/hd.hpp"

namespace ndt {

/// The members of DerivativeSums that are no derivatives.
struct PoseScore {
  double score = 0;    ///< Σ over pairs
  double nearest = 0;  ///< Σ over points of their largest pair score
  std::int64_t pairs = 0;
  std::int64_t points = 0;  ///< points with at least one voxel

  NDT_HD double nvtl() const { return points > 0 ? nearest / static_cast<double>(points) : 0.0; }
};

}  // namespace ndt
