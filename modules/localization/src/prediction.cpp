#include "ndt/localization/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {

void Predictor::add_twist(const StampedTwist& twist) {
  const Vec3<double>&v = twist.twist.linear, &w = twist.twist.angular;
  for (const double number : {twist.stamp_s, v.x, v.y, v.z, w.x, w.y, w.z})
    if (!std::isfinite(number))
      throw std::invalid_argument(formatted("twist of time {}: {} is not finite", twist.stamp_s, number));
  if (!twists_.empty() && twist.stamp_s < twists_.back().stamp_s) twists_.clear();
  twists_.push_back(twist);
}

void Predictor::start_at(const Transform& map_from_scan) {
  last_ = map_from_scan;
  last_stamp_s_.reset();
  velocity_.reset();
  last_measured_ = false;
}

void Predictor::follow(double stamp_s, const Transform& map_from_scan) {
  if (last_measured_ && stamp_s - *last_stamp_s_ <= options_.longest_gap_s)
    velocity_ = twist_between(*last_, map_from_scan, stamp_s - *last_stamp_s_);
  assume(stamp_s, map_from_scan);
  last_measured_ = true;
}

void Predictor::jump_to(double stamp_s, const Transform& map_from_scan) {
  velocity_.reset();
  assume(stamp_s, map_from_scan);
  last_measured_ = true;
}

void Predictor::assume(double stamp_s, const Transform& map_from_scan) {
  if (last_stamp_s_ && stamp_s - *last_stamp_s_ > options_.longest_gap_s) velocity_.reset();
  last_ = map_from_scan;
  last_stamp_s_ = stamp_s;
  last_measured_ = false;
  odometry_.forget_before(stamp_s);
  while (twists_.size() > 1 && twists_[1].stamp_s <= stamp_s) twists_.pop_front();
}

Predicted Predictor::at(double stamp_s) const {
  if (!last_) throw std::logic_error("localize: there is no start; call start_at or start_by_search before");
  if (!last_stamp_s_ || options_.prediction == Prediction::none) return {.map_from_scan = *last_};
  Predicted predicted{.map_from_scan = *last_};
  if (options_.prediction == Prediction::odometry) {
    const Motion motion = odometry_.size() > 0 ? odometry_since_last(stamp_s) : twists_since_last(stamp_s);
    if (motion.last_from_now) return {*last_ * *motion.last_from_now, Prediction::odometry, Miss::none};
    predicted.odometry_miss = motion.miss;
  }
  const double gap_s = stamp_s - *last_stamp_s_;
  if (!velocity_ || gap_s > options_.longest_gap_s) return predicted;
  predicted.map_from_scan = *last_ * moved_by(*velocity_, gap_s);
  predicted.by = Prediction::constant_velocity;
  return predicted;
}

Predictor::Motion Predictor::odometry_since_last(double stamp_s) const {
  const PoseBuffer::Found last = odometry_.at(*last_stamp_s_), now = odometry_.at(stamp_s);
  if (!last.pose || !now.pose) return {std::nullopt, last.pose ? now.miss : last.miss};
  return {inverse(*last.pose) * *now.pose, Miss::none};
}

Predictor::Motion Predictor::twists_since_last(double stamp_s) const {
  if (twists_.empty()) return {std::nullopt, Miss::too_few};
  if (*last_stamp_s_ < twists_.front().stamp_s) return {std::nullopt, Miss::before_first};
  Transform last_from_now;
  for (auto twist = twists_.begin(); twist != twists_.end() && twist->stamp_s < stamp_s; ++twist) {
    const double until_s = twist + 1 == twists_.end() ? stamp_s : std::min(stamp_s, (twist + 1)->stamp_s);
    const double from_s = std::max(*last_stamp_s_, twist->stamp_s);
    if (until_s <= from_s) continue;
    if (!(until_s - twist->stamp_s < options_.buffer_age_s)) return {std::nullopt, Miss::too_old};
    last_from_now = last_from_now * moved_by(twist->twist, until_s - from_s);
  }
  return {last_from_now, Miss::none};
}

}  // namespace ndt::localization
