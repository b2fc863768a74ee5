#include "ndt/localization/deskew.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {
namespace {

constexpr std::size_t kSteps = 32;
/// Motions that differ by less over a sweep are alike.
constexpr double kAlikeM = 0.03, kAlikeRad = 0.3 * kPi / 180;

/// A rotation and a translation that lie between those of two steps.
struct Step {
  Mat3<double> rotation;
  Vec3<double> translation;
};

std::vector<Step> steps_of(const Sweep& sweep, const MotionAfterStamp& motion) {
  std::vector<Step> steps;
  for (std::size_t k = 0; k <= kSteps; ++k) {
    const double share = static_cast<double>(k) / kSteps;
    const Transform at = motion(sweep.first_s + share * (sweep.last_s - sweep.first_s));
    steps.push_back({rotation_of(at), translation_of(at)});
  }
  return steps;
}

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

PointCloud deskewed(const PointCloud& scan, const Sweep& sweep, const MotionAfterStamp& motion) {
  const std::vector<Step> steps = steps_of(sweep, motion);
  const double per_second = kSteps / (sweep.last_s - sweep.first_s);
  PointCloud out{scan.origin, {}, scan.times};
  out.points.reserve(scan.size());
  for (std::size_t k = 0; k < scan.size(); ++k) {
    const double at = (static_cast<double>(scan.times[k]) - sweep.first_s) * per_second;
    const std::size_t before = std::min(static_cast<std::size_t>(at), kSteps - 1);
    const double share = at - static_cast<double>(before);
    const Vec3<double> p = scan.origin + cast<double>(scan.points[k]);
    const auto moved = [&](const Step& step) { return step.rotation * p + step.translation; };
    const Vec3<double> there = moved(steps[before]), then = moved(steps[before + 1]);
    out.points.push_back(cast<float>(there + share * (then - there) - scan.origin));
  }
  return out;
}

PointCloud at_stamp(PointCloud scan, const std::optional<MotionAfterStamp>& motion, Deskew& done) {
  const Sweep sweep = sweep_of(scan);
  done = {.fault = sweep.fault};
  if (sweep.fault.empty())
    done.sweep_s = sweep.last_s - sweep.first_s, done.middle_s = (sweep.first_s + sweep.last_s) / 2;
  if (!done.timed()) scan.times.clear();
  if (!done.timed() || !motion) return scan;
  tell(sweep, *motion, done);
  return deskewed(scan, sweep, *motion);
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
