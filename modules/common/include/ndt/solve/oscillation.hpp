// Counts how often an optimisation runs back and forth.
#pragma once

#include <cmath>

#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// Longest run of consecutive position steps that reverse the one before (cosine below -0.9). A zero-length step ends a run.
class OscillationCounter {
 public:
  NDT_HD void add_step(const Vec3<double>& step) {
    const double norms = std::sqrt(dot(step, step) * dot(previous_, previous_));
    run_ = norms > 0 && dot(step, previous_) < -0.9 * norms ? run_ + 1 : 0;
    if (run_ > longest_) longest_ = run_;
    previous_ = step;
  }
  NDT_HD int longest() const { return longest_; }

 private:
  Vec3<double> previous_;
  int run_ = 0, longest_ = 0;
};

}  // namespace ndt
