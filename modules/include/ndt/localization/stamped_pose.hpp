// Poses, velocities and inertial measurements of other sensors, with their times.
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
  Twist twist;         ///< of the scanner, in its own frame
};

/// A measurement of an inertial unit, turned into the axes of the scanner.
struct StampedImu {
  double stamp_s = 0;             ///< [s]
  Vec3<double> angular_velocity;  ///< [rad/s]
  Vec3<double> acceleration;      ///< with the reaction to gravity: +9.81 m/s² upwards at rest
};

}  // namespace ndt::localization
