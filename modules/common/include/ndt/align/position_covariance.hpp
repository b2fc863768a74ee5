// Uncertainty of a returned position in the map's x-y plane.
#pragma once

#include "ndt/core/pose.hpp"

namespace ndt {

/// Symmetric 2x2 covariance of x and y in the map frame [m^2].
struct PositionCovariance {
  double xx = 0, xy = 0, yy = 0;
};

/// Smallest variance that Autoware publishes along the vehicle's axes [m^2]: (0.15 m)^2.
inline constexpr double kPublishedVarianceFloor = 0.0225;

/// The covariance with its variances along the vehicle's own x and y raised to at least `floor` [m^2], as Autoware does before
/// it publishes one.
PositionCovariance with_variance_floor(const PositionCovariance& covariance, const Transform& map_from_scan,
                                       double floor = kPublishedVarianceFloor);

}  // namespace ndt
