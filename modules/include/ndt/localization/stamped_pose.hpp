// Poses and velocities of other sensors, with their times.
#pragma once

#include <optional>

#include "ndt/align/align_result.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::localization {

/// A pose of a time.
struct StampedPose {
  double stamp_s = 0;                              ///< [s]
  Transform pose;                                  ///< in the frame of whose buffer it is
  std::optional<PositionCovariance> covariance{};  ///< of x and y [m²]; nothing: unknown
};

/// Velocity in the body's own frame [m/s, rad/s]. Kept constant, it moves the body along a screw.
struct Twist {
  Vec3<double> linear, angular;  ///< [m/s], [rad/s]
};

/// A velocity that holds from its time on until the next.
struct StampedTwist {
  double stamp_s = 0;  ///< [s]
  Twist twist;         ///< in the vehicle's frame
};

}  // namespace ndt::localization
