// Where the poses of a batch start: a set that grows with the batch, so that a larger one holds every smaller one.
#pragma once

#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// `first` itself and count - 1 more, level with it, within kBatchReachM on a spiral that fills the disc evenly [Vogel 1979].
inline constexpr double kBatchReachM = 0.5;
std::vector<Transform> batch_guesses(const Transform& first, int count);

}  // namespace ndt::harness
