#include "ndt/localization/deskew.hpp"

#include <algorithm>
#include <cmath>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {
Sweep sweep_of(const PointCloud& scan) {
  Sweep sweep;
  if (scan.times.size() != scan.size()) {
    sweep.fault = formatted("{} times for {} points", scan.times.size(), scan.size());
    return sweep;
  }
  const auto [first, last] = std::ranges::minmax_element(scan.times);
  sweep.first_s = static_cast<double>(*first), sweep.last_s = static_cast<double>(*last);
  const bool known = std::ranges::all_of(scan.times, [](float t) { return std::isfinite(t); });
  if (!known)
    sweep.fault = "some times are not finite";
  else if (sweep.first_s == sweep.last_s)
    sweep.fault = formatted("all times are {:g} s", sweep.first_s);
  else if (!(std::max(-sweep.first_s, sweep.last_s) <= Sweep::kLongestS))
    sweep.fault = formatted("times from {:g} to {:g} s after the stamp, expected within {:g} s",
                            sweep.first_s, sweep.last_s, Sweep::kLongestS);
  return sweep;
}

SweepMotion in_steps(const Sweep& sweep, const MotionAfterStamp& motion) {
  SweepMotion steps;
  steps.first_s = sweep.first_s, steps.last_s = sweep.last_s;
  for (int k = 0; k <= SweepMotion::kSteps; ++k) {
    const double share = static_cast<double>(k) / SweepMotion::kSteps;
    const Transform at = motion(sweep.first_s + share * (sweep.last_s - sweep.first_s));
    steps.rotations[k] = rotation_of(at), steps.translations[k] = translation_of(at);
  }
  return steps;
}

std::optional<SweepMotion> motion_of(const PointCloud& scan, const std::optional<MotionAfterStamp>& motion,
                                     Deskew& done) {
  const Sweep sweep = sweep_of(scan);
  done = {.fault = sweep.fault};
  if (sweep.fault.empty()) done.sweep_s = sweep.last_s - sweep.first_s;
  if (!done.timed() || !motion) return std::nullopt;
  const Transform first = (*motion)(sweep.first_s), last = (*motion)(sweep.last_s);
  done.done = true;
  done.moved_m = translation_error_m(first, last), done.turned_rad = rotation_error_rad(first, last);
  return in_steps(sweep, *motion);
}

}  // namespace ndt::localization
