// How well a Hessian fixes a pose, and how far the pose may be off. Host only: once per alignment.
#pragma once

#include "ndt/align/align_result.hpp"
#include "ndt/solve/surface_conditioning.hpp"

namespace ndt {

/// Eigenvalues of -H with rotations scaled by the scan's mean range [m], so that every entry is per metre.
Conditioning conditioning_of(const Mat6& hessian, double mean_range_m);
/// With add_surfaces() of surface_conditioning() at the pose, in little more time.
Conditioning conditioning_of(const Mat6& hessian, double mean_range_m, const SurfaceInformation& surfaces,
                             const Pose& pose);

/// -(H_xy)^-1 of the 2x2 block of x and y on its own: the curvature of the score read as a Gaussian's, as Autoware's Laplace
/// approximation does. Nothing if the block is not negative definite.
std::optional<PositionCovariance> laplace_covariance(const Mat6& hessian);

/// Adds what the surfaces say; theirs is the weak direction if they are worse, each measured by its bound.
void add_surfaces(const SurfaceConditioning& surfaces, Conditioning& conditioning);

}  // namespace ndt
