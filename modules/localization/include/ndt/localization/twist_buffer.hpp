// Velocities of the scanner by their times, as wheels tell them.
#pragma once

#include <deque>
#include <optional>

#include "ndt/localization/integrated.hpp"

namespace ndt::localization {

/// Twists in the order of their times.
class TwistBuffer {
 public:
  /// A twist does not hold for `age_s` and longer.
  explicit TwistBuffer(double age_s) : age_s_(age_s) {}

  /// Adds the newest. One older than the last forgets those before it. Throws std::invalid_argument for
  /// numbers that are not finite.
  void push(const StampedTwist& twist);
  /// The twist that holds at that time; nothing: there is none, or it is too old.
  std::optional<Twist> at(double stamp_s) const;
  /// The motion between two times, either of which may come first.
  SensedMotion motion(double from_s, double to_s) const;
  /// Drops what later times do not need.
  void forget_before(double stamp_s);
  /// Whether there is none.
  bool empty() const { return twists_.empty(); }

 private:
  double age_s_;
  std::deque<StampedTwist> twists_;
};

}  // namespace ndt::localization
