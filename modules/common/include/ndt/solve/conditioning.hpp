// How well a Hessian fixes a pose. Host only: once per alignment.
#pragma once

#include "ndt/align/align_result.hpp"

namespace ndt {

/// Eigenvalues of -H with rotations scaled by the scan's mean range [m], so that every entry is per metre.
Conditioning conditioning_of(const Mat6& hessian, double mean_range_m);

}  // namespace ndt
