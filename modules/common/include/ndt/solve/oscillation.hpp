// Counts how often an optimisation runs back and forth.
#pragma once

#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// Longest run of consecutive position steps that reverse the one before (cosine below -0.9). A zero-length step ends a run.
class OscillationCounter {
 public:
  NDT_HD void add_step(const Vec3<double>& step) {
    const double along = dot(step, previous_), squared_norms = dot(step, step) * dot(previous_, previous_);
    run_ = along < 0 && along * along > 0.9 * 0.9 * squared_norms ? run_ + 1 : 0;
    if (run_ > longest_) longest_ = run_;
    previous_ = step;
  }
  NDT_HD int longest() const { return longest_; }

 private:
  Vec3<double> previous_;
  int run_ = 0, longest_ = 0;
};

}  // namespace ndt
