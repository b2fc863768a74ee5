#include "ndt/localization/deskew.hpp"

#include <algorithm>
#include <cmath>

#include "ndt/align/moved_point.hpp"
#include "ndt/core/formatted.hpp"

namespace ndt::localization {
namespace {

/// Motions that differ by less over a sweep are alike.
constexpr double kAlikeM = 0.03, kAlikeRad = 0.3 * kPi / 180;

void tell(const Sweep& sweep, const MotionAfterStamp& motion, Deskew& done) {
  const Transform first = motion(sweep.first_s), last = motion(sweep.last_s);
  done.done = true;
  done.moved_m = translation_error_m(first, last), done.turned_rad = rotation_error_rad(first, last);
  done.to_middle = motion(done.middle_s);
}

}  // namespace

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
  done = Deskew();
  done.fault = sweep.fault;
  if (sweep.fault.empty())
    done.sweep_s = sweep.last_s - sweep.first_s, done.middle_s = (sweep.first_s + sweep.last_s) / 2;
  if (!done.timed() || !motion) return std::nullopt;
  tell(sweep, *motion, done);
  return in_steps(sweep, *motion);
}

PointCloud deskewed(const PointCloud& scan, const Sweep& sweep, const MotionAfterStamp& motion) {
  const SweepMotion steps = in_steps(sweep, motion);
  PointCloud out = scan;
  for (std::size_t k = 0; k < scan.size(); ++k)
    out.points[k] = moved_point(steps, scan.times[k], scan.points[k], scan.origin);
  return out;
}

std::optional<PointCloud> deskewed_again(const PointCloud& scan,
                                         const std::optional<MotionAfterStamp>& assumed,
                                         const MotionAfterStamp& motion, Deskew& done) {
  const Sweep sweep = sweep_of(scan);
  if (!sweep.fault.empty()) return std::nullopt;
  const auto correction = [&](double seconds) {
    return assumed ? motion(seconds) * inverse((*assumed)(seconds)) : motion(seconds);
  };
  const Transform first = correction(sweep.first_s), last = correction(sweep.last_s);
  if (assumed && translation_error_m(first, last) < kAlikeM && rotation_error_rad(first, last) < kAlikeRad)
    return std::nullopt;
  tell(sweep, motion, done);
  done.again = true;
  return deskewed(scan, sweep, correction);
}

}  // namespace ndt::localization
