// How well a Hessian fixes a pose, and how far the pose may be off. Host only: once per alignment.
#pragma once

#include "ndt/align/align_result.hpp"

namespace ndt {

/// Eigenvalues of -H with rotations scaled by the scan's mean range [m], so that every entry is per metre.
Conditioning conditioning_of(const Mat6& hessian, double mean_range_m);

/// -(H_xy)^-1 of the 2x2 block of x and y on its own: the curvature of the score read as a Gaussian's, as Autoware's Laplace
/// approximation does. Nothing if the block is not negative definite.
std::optional<PositionCovariance> laplace_covariance(const Mat6& hessian);

}  // namespace ndt
