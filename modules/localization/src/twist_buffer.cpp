#include "ndt/localization/twist_buffer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {

void TwistBuffer::push(const StampedTwist& twist) {
  const Vec3<double>&v = twist.twist.linear, &w = twist.twist.angular;
  for (const double number : {twist.stamp_s, v.x, v.y, v.z, w.x, w.y, w.z})
    if (!std::isfinite(number))
      throw std::invalid_argument(formatted("twist of time {}: {} is not finite", twist.stamp_s, number));
  if (!twists_.empty() && twist.stamp_s < twists_.back().stamp_s) twists_.clear();
  twists_.push_back(twist);
}

std::optional<Twist> TwistBuffer::at(double stamp_s) const {
  const auto after = std::ranges::upper_bound(twists_, stamp_s, {}, &StampedTwist::stamp_s);
  if (after == twists_.begin() || !(stamp_s - (after - 1)->stamp_s < age_s_)) return std::nullopt;
  return (after - 1)->twist;
}

SensedMotion TwistBuffer::motion(double from_s, double to_s) const {
  return integrated(twists_, from_s, to_s, age_s_, [&](std::size_t k) { return twists_[k].twist; });
}

void TwistBuffer::forget_before(double stamp_s) {
  while (twists_.size() > 1 && twists_[1].stamp_s <= stamp_s) twists_.pop_front();
}

}  // namespace ndt::localization
