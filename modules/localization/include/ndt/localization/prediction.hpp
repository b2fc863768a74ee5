// The guess of a scan: where the vehicle should be by now.
#pragma once

#include <optional>

#include "ndt/localization/deskew.hpp"
#include "ndt/localization/imu_buffer.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/pose_buffer.hpp"
#include "ndt/localization/rigid_motion.hpp"
#include "ndt/localization/twist_buffer.hpp"

namespace ndt::localization {

/// Keeps the last pose, the velocity, and what other sensors say.
class Predictor {
 public:
  /// Begins without a pose; start_at() gives one.
  explicit Predictor(const LocalizerOptions& options)
      : options_(options),
        odometry_(options.buffer_age_s, options.buffer_jump_m),
        twists_(options.buffer_age_s),
        imu_(options.buffer_age_s) {}

  /// odometry_from_scan in a frame of its own, which may drift. Throws as PoseBuffer::push does.
  void add_odometry(const StampedPose& pose) { odometry_.push(pose); }
  /// Used where no odometry poses are given. Throws as TwistBuffer::push does.
  void add_twist(const StampedTwist& twist) { twists_.push(twist); }
  /// Throws as ImuBuffer::push does.
  void add_imu(const StampedImu& imu) { imu_.push(imu); }

  /// Begins anew: the next scan is expected here, at whatever time. A pose without roll and pitch gets those
  /// of gravity, where an IMU at rest tells it.
  void start_at(const Transform& map_from_scan);
  /// The pose of a scan, which a measurement gave: teaches the velocity, between the middles of sweeps. There
  /// a pose is right even if the sweep was moved by a wrong velocity. A sweep that was not moved may lie
  /// elsewhere, so the way from it to one that was is no velocity.
  void follow(double stamp_s, const Transform& map_from_scan, const Deskew& deskew = {});
  /// The pose of a scan that no measurement confirms. The velocity decays with the time since the scan
  /// before.
  void assume(double stamp_s, const Transform& map_from_scan);
  /// The pose of a scan that was found anew: no velocity leads there.
  void jump_to(double stamp_s, const Transform& map_from_scan, const Deskew& deskew = {});
  /// The velocity that holds where the next pose tells none.
  void learn(const Twist& velocity) { velocity_ = velocity; }
  /// Stands still from now on, but for odometry.
  void forget_velocity() { velocity_.reset(); }

  /// The expected pose at a time after the last. Throws std::logic_error before a start.
  Predicted at(double stamp_s) const;
  /// The motion of the sensor around that time, by other sensors or the velocity; nothing: unknown. Valid
  /// until the predictor changes.
  std::optional<MotionAfterStamp> motion_at(double stamp_s) const { return motion_at(stamp_s, velocity_); }
  /// Returns it with another velocity than the known one.
  std::optional<MotionAfterStamp> motion_at(double stamp_s, const std::optional<Twist>& velocity) const;
  /// The velocity that a pose of the next scan tells, or else the known one.
  std::optional<Twist> velocity_to(double stamp_s, const Transform& map_from_scan,
                                   const Deskew& deskew) const;
  /// Whether the scans after a rejected one would be rejected, too. The last measured pose is half a second
  /// old then, or a velocity has turned the prediction by more than alignments correct.
  bool is_beyond_reach(double stamp_s, const Predicted& predicted) const;

 private:
  void measure(double stamp_s, const Transform& map_from_scan, const Deskew& deskew);
  void keep(double stamp_s, const Transform& map_from_scan);
  void notice_rest(double stamp_s, const Transform& map_from_scan);
  bool uses_sensors() const;
  SensedMotion sensed(double from_s, double to_s, const std::optional<Twist>& velocity) const;
  std::optional<Transform> known_motion(double from_s, double to_s,
                                        const std::optional<Twist>& velocity) const;
  Transform start(double stamp_s) const;

  LocalizerOptions options_;
  PoseBuffer odometry_;
  TwistBuffer twists_;
  ImuBuffer imu_;
  std::optional<Transform> last_, measured_;
  std::optional<double> last_stamp_s_, measured_stamp_s_;  ///< nothing until a scan has come
  std::optional<Twist> velocity_;
  std::optional<StampedPose> rest_;  ///< the first of the poses that lie together
  StampedPose middle_;               ///< of the last sweep, where it was measured
  bool last_measured_ = false, last_deskewed_ = false;
};

}  // namespace ndt::localization
