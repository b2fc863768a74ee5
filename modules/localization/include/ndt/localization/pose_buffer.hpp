// Poses of another sensor by their times, looked up at the time of a scan. The rules are those of Autoware's
// pose buffer, which guards the filter's poses and those of a GNSS receiver. There are two exceptions.
// Rotations are interpolated about one axis (slerp), not by roll, pitch and yaw. A pose of the very time
// asked for is used, whatever is beside it.
#pragma once

#include <deque>
#include <optional>

#include "ndt/localization/scan_report.hpp"
#include "ndt/localization/stamped_pose.hpp"

namespace ndt::localization {

/// Poses in the order of their times.
class PoseBuffer {
 public:
  /// Poses `age_s` or more away from the time asked for, and neighbours `jump_m` or more apart, are not used
  /// for a time between them.
  PoseBuffer(double age_s, double jump_m) : age_s_(age_s), jump_m_(jump_m) {}

  /// Adds the newest pose. If it is older than the last, time has run backwards, as where a recording starts
  /// again, and all before it are forgotten. Throws std::invalid_argument for a time that is not finite and
  /// for a pose that is not rigid.
  void push(const StampedPose& pose);

  /// A pose, or why there is none.
  struct Found {
    std::optional<Transform> pose;                   ///< interpolated; nothing: see miss
    Miss miss = Miss::none;                          ///< why there is none
    std::optional<PositionCovariance> covariance{};  ///< the larger of its neighbours'; nothing: unknown
    double moved_m = 0;  ///< how far the body went on since the last pose, at the speed between the last two
    Transform older{}, newer{};  ///< the poses that it lies between; one twice if it is that pose
  };
  /// The pose at that time, interpolated between its neighbours. After the last pose that one holds, until it
  /// is too old.
  Found at(double stamp_s) const;

  /// The motion from one time to another, either of which may come first. Beyond the first and the last pose
  /// the velocity there goes on, until they are too old.
  std::optional<Transform> motion(double from_s, double to_s) const;

  /// Drops what lookups at this time and later do not need.
  void forget_before(double stamp_s);
  /// Number of poses held.
  std::size_t size() const { return poses_.size(); }

 private:
  std::optional<Transform> carried_to(double stamp_s) const;

  double age_s_, jump_m_;
  std::deque<StampedPose> poses_;
};

}  // namespace ndt::localization
