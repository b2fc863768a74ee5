// The strictest comparison of two results: the same input must give the same bits.
#pragma once

#include "ndt/align/align_result.hpp"

namespace ndt::harness {

/// Pose, outcome, counts, scores, Hessian and conditioning; not the trace.
bool same_bits(const AlignResult& a, const AlignResult& b);

}  // namespace ndt::harness
