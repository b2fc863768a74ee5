#include "ndt/localization/prediction.hpp"

#include <cmath>
#include <stdexcept>

namespace ndt::localization {
namespace {

/// The time in which a velocity that no scan confirms falls to 1/e. A car keeps most of its speed over half a
/// second. A hand that turns keeps little of its turn over two.
constexpr double kVelocityLifeS = 1;
/// A turn that alignments begin to miss [rad].
constexpr double kFarTurnRad = 0.35;
/// Five scans at 10 Hz, one at 2 Hz. Sums of stamps end a little before it.
constexpr double kLongS = 0.5 - 1e-3;
/// Poses of a vehicle at rest lie together like this for so long.
constexpr double kRestM = 0.05, kRestRad = 0.005, kRestS = 1;

/// The pose in the middle of a sweep. Points that were not moved lie as the sensor saw them there.
StampedPose middle_of(double stamp_s, const Transform& map_from_scan, const Deskew& deskew) {
  if (!deskew.done) return {stamp_s + deskew.middle_s, map_from_scan};
  return {stamp_s + deskew.middle_s, map_from_scan * deskew.to_middle};
}

}  // namespace

void Predictor::start_at(const Transform& map_from_scan) {
  last_ = measured_ = map_from_scan;
  last_stamp_s_.reset(), measured_stamp_s_.reset();
  velocity_.reset();
  rest_.reset();
  imu_.forget_bias();
  last_measured_ = last_deskewed_ = false;
}

void Predictor::follow(double stamp_s, const Transform& map_from_scan, const Deskew& deskew) {
  velocity_ = velocity_to(stamp_s, map_from_scan, deskew);
  notice_rest(stamp_s, map_from_scan);
  measure(stamp_s, map_from_scan, deskew);
}

std::optional<Twist> Predictor::velocity_to(double stamp_s, const Transform& map_from_scan,
                                            const Deskew& deskew) const {
  if (!last_measured_ || last_deskewed_ != deskew.done || stamp_s - *last_stamp_s_ > options_.longest_gap_s)
    return velocity_;
  const StampedPose middle = middle_of(stamp_s, map_from_scan, deskew);
  const double gap_s = middle.stamp_s - middle_.stamp_s;
  if (!(gap_s > 0)) return velocity_;  // the sweeps are odd
  return twist_between(middle_.pose, middle.pose, gap_s);
}

void Predictor::measure(double stamp_s, const Transform& map_from_scan, const Deskew& deskew) {
  keep(stamp_s, map_from_scan);
  measured_ = map_from_scan, measured_stamp_s_ = stamp_s;
  middle_ = middle_of(stamp_s, map_from_scan, deskew);
  last_measured_ = true, last_deskewed_ = deskew.done;
}

void Predictor::notice_rest(double stamp_s, const Transform& map_from_scan) {
  const bool rests = rest_ && translation_error_m(rest_->pose, map_from_scan) < kRestM &&
                     rotation_error_rad(rest_->pose, map_from_scan) < kRestRad;
  if (!rests)
    rest_ = StampedPose{stamp_s, map_from_scan};
  else if (stamp_s - rest_->stamp_s >= kRestS)
    imu_.learn_bias(stamp_s);
}

void Predictor::jump_to(double stamp_s, const Transform& map_from_scan, const Deskew& deskew) {
  velocity_.reset();
  measure(stamp_s, map_from_scan, deskew);
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
  twists_.forget_before(stamp_s);
  imu_.forget_before(stamp_s);
}

Transform Predictor::start(double stamp_s) const {
  const Pose pose = principal(derivative_pose(*last_));
  const std::optional<Vec3<double>> up =
      pose.roll == 0 && pose.pitch == 0 ? imu_.up_at(stamp_s) : std::nullopt;
  return up ? *last_ * levelled(*up) : *last_;
}

Predicted Predictor::at(double stamp_s) const {
  if (!last_) throw std::logic_error("localize: there is no start; call start_at or start_by_search before");
  Predicted predicted{.map_from_scan = last_stamp_s_ ? *last_ : start(stamp_s)};
  if (options_.prediction == Prediction::odometry) {
    const PoseBuffer::Found now = odometry_.at(stamp_s);
    if (now.pose) predicted.odometry = {*now.pose, now.older, now.newer};
  }
  if (!last_stamp_s_ || options_.prediction == Prediction::none) return predicted;
  if (uses_sensors()) {
    const SensedMotion sensor = sensed(*last_stamp_s_, stamp_s, velocity_);
    if (sensor.motion) {
      predicted.map_from_scan = *last_ * *sensor.motion;
      predicted.by = options_.prediction;
      return predicted;
    }
    predicted.odometry_miss = sensor.miss;
  }
  const double gap_s = stamp_s - *last_stamp_s_;
  if (!velocity_ || gap_s > options_.longest_gap_s) return predicted;
  predicted.map_from_scan = *last_ * moved_by(*velocity_, gap_s);
  predicted.by = Prediction::constant_velocity;
  return predicted;
}

bool Predictor::uses_sensors() const {
  return options_.prediction == Prediction::odometry || options_.prediction == Prediction::imu;
}

SensedMotion Predictor::sensed(double from_s, double to_s, const std::optional<Twist>& velocity) const {
  if (options_.prediction == Prediction::imu) {
    const bool too_long = std::abs(to_s - from_s) > options_.longest_gap_s;
    const Vec3<double> before = velocity && !too_long ? velocity->linear : Vec3<double>{};
    return imu_.motion(from_s, to_s, [&](double stamp_s) {
      const std::optional<Twist> wheels = twists_.at(stamp_s);
      return wheels ? wheels->linear : before;
    });
  }
  if (odometry_.size() == 0) return twists_.motion(from_s, to_s);
  const PoseBuffer::Found from = odometry_.at(from_s), to = odometry_.at(to_s);
  if (!from.pose || !to.pose) return {std::nullopt, from.pose ? to.miss : from.miss};
  return {inverse(*from.pose) * *to.pose, Miss::none};
}

/// The motion within a sweep. A sensor that has no measurement at its end goes on as it moved before.
std::optional<Transform> Predictor::known_motion(double from_s, double to_s,
                                                 const std::optional<Twist>& velocity) const {
  if (options_.prediction == Prediction::none) return std::nullopt;
  if (uses_sensors()) {
    const bool poses = options_.prediction == Prediction::odometry && odometry_.size() > 0;
    const std::optional<Transform> motion =
        poses ? odometry_.motion(from_s, to_s) : sensed(from_s, to_s, velocity).motion;
    if (motion) return motion;
  }
  if (!velocity) return std::nullopt;
  return moved_by(*velocity, to_s - from_s);
}

std::optional<MotionAfterStamp> Predictor::motion_at(double stamp_s,
                                                     const std::optional<Twist>& velocity) const {
  constexpr double kShortS = 1e-3;
  const std::optional<Transform> step = known_motion(stamp_s, stamp_s + kShortS, velocity);
  if (!step) return std::nullopt;
  // Before the first measurement the velocity at the stamp holds.
  return [this, stamp_s, velocity, here = twist_between({}, *step, kShortS)](double seconds) {
    const std::optional<Transform> known = known_motion(stamp_s, stamp_s + seconds, velocity);
    return known ? *known : moved_by(here, seconds);
  };
}

bool Predictor::is_beyond_reach(double stamp_s, const Predicted& predicted) const {
  const bool tells_place =
      predicted.by == Prediction::odometry || (predicted.by == Prediction::imu && !twists_.empty());
  if (tells_place || !measured_stamp_s_) return false;
  const bool turned = predicted.by != Prediction::imu &&
                      rotation_error_rad(*measured_, predicted.map_from_scan) > kFarTurnRad;
  return stamp_s - *measured_stamp_s_ >= kLongS || turned;
}

}  // namespace ndt::localization
