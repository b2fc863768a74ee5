// A rolling sweep as one still scan: points are moved to where they are in the sensor's frame at the stamp.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ndt/align/preparation.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// The times of a scan's points.
struct Sweep {
  static constexpr double kLongestS = 0.5;  ///< no sensor takes longer; other times are no sweep
  double first_s = 0, last_s = 0;           ///< after the stamp
  std::string fault;                        ///< why the points cannot be moved by them; empty: they can
};
/// Looks at PointCloud::times, of which there are some.
Sweep sweep_of(const PointCloud& scan);

/// The sensor's pose at a time after the stamp, in the frame that it has at the stamp.
using MotionAfterStamp = std::function<Transform(double seconds)>;

/// The motion in steps, between which it is interpolated. Points at 50 m are off by up to 0.6 mm, where a
/// sweep of 0.1 s turns by 18 degrees.
SweepMotion in_steps(const Sweep& sweep, const MotionAfterStamp& motion);

/// The motion of a scan with times, if they make a sweep and a motion is known; `done` tells what follows.
std::optional<SweepMotion> motion_of(const PointCloud& scan, const std::optional<MotionAfterStamp>& motion,
                                     Deskew& done);

/// Moves every point as the sensor moved from its time to the stamp, and keeps the times.
PointCloud deskewed(const PointCloud& scan, const Sweep& sweep, const MotionAfterStamp& motion);

/// Moves points once more that were moved as `assumed` says, or not at all. Nothing if both motions are
/// alike, within 3 cm and 0.3 degrees over the sweep.
std::optional<PointCloud> deskewed_again(const PointCloud& scan,
                                         const std::optional<MotionAfterStamp>& assumed,
                                         const MotionAfterStamp& motion, Deskew& done);

}  // namespace ndt::localization
