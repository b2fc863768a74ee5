#include "ndt/localization/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {
namespace {

/// The time in which a velocity that no scan confirms falls to 1/e. A car keeps most of its speed over half a
/// second. A hand that turns keeps little of its turn over two.
constexpr double kVelocityLifeS = 1;
/// A turn that alignments begin to miss [rad].
constexpr double kFarTurnRad = 0.35;
/// Five scans at 10 Hz, one at 2 Hz. Sums of stamps end a little before it.
constexpr double kLongS = 0.5 - 1e-3;

}  // namespace

void Predictor::add_twist(const StampedTwist& twist) {
  const Vec3<double>&v = twist.twist.linear, &w = twist.twist.angular;
  for (const double number : {twist.stamp_s, v.x, v.y, v.z, w.x, w.y, w.z})
    if (!std::isfinite(number))
      throw std::invalid_argument(formatted("twist of time {}: {} is not finite", twist.stamp_s, number));
  if (!twists_.empty() && twist.stamp_s < twists_.back().stamp_s) twists_.clear();
  twists_.push_back(twist);
}

void Predictor::start_at(const Transform& map_from_scan) {
  last_ = measured_ = map_from_scan;
  last_stamp_s_.reset(), measured_stamp_s_.reset();
  velocity_.reset();
  last_measured_ = false;
}

void Predictor::follow(double stamp_s, const Transform& map_from_scan) {
  if (last_measured_ && stamp_s - *last_stamp_s_ <= options_.longest_gap_s)
    velocity_ = twist_between(*last_, map_from_scan, stamp_s - *last_stamp_s_);
  keep(stamp_s, map_from_scan);
  measured_ = map_from_scan, measured_stamp_s_ = stamp_s;
  last_measured_ = true;
}

void Predictor::jump_to(double stamp_s, const Transform& map_from_scan) {
  velocity_.reset();
  keep(stamp_s, map_from_scan);
  measured_ = map_from_scan, measured_stamp_s_ = stamp_s;
  last_measured_ = true;
}

void Predictor::assume(double stamp_s, const Transform& map_from_scan) {
  if (velocity_ && last_stamp_s_) {
    const double left = std::exp((*last_stamp_s_ - stamp_s) / kVelocityLifeS);
    velocity_ = Twist{left * velocity_->linear, left * velocity_->angular};
  }
  keep(stamp_s, map_from_scan);
}

void Predictor::keep(double stamp_s, const Transform& map_from_scan) {
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

std::optional<MotionAfterStamp> Predictor::motion_at(double stamp_s) const {
  std::optional<Twist> twist;
  if (options_.prediction == Prediction::odometry)
    twist = odometry_.size() > 0 ? odometry_.velocity_at(stamp_s) : twist_at(stamp_s);
  if (!twist && options_.prediction != Prediction::none) twist = velocity_;
  if (!twist) return std::nullopt;
  return [twist = *twist](double seconds) { return moved_by(twist, seconds); };
}

/// The last one before that time, unless it is too old.
std::optional<Twist> Predictor::twist_at(double stamp_s) const {
  const auto after = std::ranges::upper_bound(twists_, stamp_s, {}, &StampedTwist::stamp_s);
  if (after == twists_.begin() || !(stamp_s - (after - 1)->stamp_s < options_.buffer_age_s))
    return std::nullopt;
  return (after - 1)->twist;
}

bool Predictor::is_beyond_reach(double stamp_s, const Predicted& predicted) const {
  if (predicted.by == Prediction::odometry || !measured_stamp_s_) return false;
  return stamp_s - *measured_stamp_s_ >= kLongS ||
         rotation_error_rad(*measured_, predicted.map_from_scan) > kFarTurnRad;
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
