// The place of a sweep's point at the scan's stamp, for every schedule.
#pragma once

#include "ndt/align/preparation.hpp"

namespace ndt {

/// Interpolates between the two poses beside the point's time. Times outside the sweep have its ends.
NDT_HD inline Point moved_point(const SweepMotion& motion, float time_s, const Point& point,
                                const Vec3<double>& origin) {
  constexpr double kSteps = SweepMotion::kSteps;
  const double per_second = kSteps / (motion.last_s - motion.first_s);
  double at = (static_cast<double>(time_s) - motion.first_s) * per_second;
  at = at > 0 ? (at < kSteps ? at : kSteps) : 0;
  const int before = at < kSteps - 1 ? static_cast<int>(at) : SweepMotion::kSteps - 1;
  const double share = at - static_cast<double>(before);
  const Vec3<double> p = origin + cast<double>(point);
  const Vec3<double> there = motion.rotations[before] * p + motion.translations[before],
                     then = motion.rotations[before + 1] * p + motion.translations[before + 1];
  return cast<float>(there + share * (then - there) - origin);
}

}  // namespace ndt
