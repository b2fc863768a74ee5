// Turns by a gyroscope, its bias from standing still, and the direction of gravity.
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "ndt/localization/integrated.hpp"

namespace ndt::localization {

/// Inertial measurements in the order of their times.
class ImuBuffer {
 public:
  /// A measurement does not hold for `age_s` and longer.
  explicit ImuBuffer(double age_s) : age_s_(age_s) {}

  /// Adds the newest. One older than the last forgets those before it. Throws std::invalid_argument for
  /// numbers that are not finite.
  void push(const StampedImu& imu);
  /// The motion between two times, either of which may come first. Between two measurements the mean of
  /// their angular velocities holds. `linear`: velocity of the scanner at a time, in its own frame [m/s].
  SensedMotion motion(double from_s, double to_s,
                      const std::function<Vec3<double>(double stamp_s)>& linear) const;

  /// Takes the mean angular velocity of the second before `until_s` as the bias, if it may be one. It is
  /// less than 0.1 rad/s then, and the same all the time. The caller knows that the scanner stood still.
  void learn_bias(double until_s);
  /// Takes it for 0 again, as at first.
  void forget_bias() { bias_ = {}; }
  /// The angular velocity that is measured at rest [rad/s].
  const Vec3<double>& bias() const { return bias_; }

  /// The upward direction in the scanner's frame, of length 1: the mean acceleration of half a second before
  /// that time. Nothing while it moves: the acceleration changes or is not that of gravity.
  std::optional<Vec3<double>> up_at(double stamp_s) const;

  /// Drops what later times do not need.
  void forget_before(double stamp_s);
  /// Whether there is none.
  bool empty() const { return samples_.empty(); }

 private:
  double age_s_;
  Vec3<double> bias_;
  std::deque<StampedImu> samples_;
};

}  // namespace ndt::localization
