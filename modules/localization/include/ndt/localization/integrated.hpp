// Motions from velocities: every sample's twist holds until the next sample.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>

#include "ndt/localization/rigid_motion.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// The motion that a sensor tells between two times, or why it tells none.
struct SensedMotion {
  std::optional<Transform> motion;  ///< the later pose in the frame of the earlier one
  Miss miss = Miss::none;           ///< why there is none
};

/// Integrates from one time to another, either of which may come first. `twist_of(k)` is the velocity from
/// sample k on. A sample that is `age_s` old holds no longer.
template <class Stamped, class TwistOf>
SensedMotion integrated(const std::deque<Stamped>& samples, double from_s, double to_s, double age_s,
                        TwistOf&& twist_of) {
  if (to_s < from_s) {
    SensedMotion back = integrated(samples, to_s, from_s, age_s, twist_of);
    if (back.motion) back.motion = inverse(*back.motion);
    return back;
  }
  if (samples.empty()) return {std::nullopt, Miss::too_few};
  if (from_s < samples.front().stamp_s) return {std::nullopt, Miss::before_first};
  Transform motion;
  for (std::size_t k = 0; k < samples.size() && samples[k].stamp_s < to_s; ++k) {
    const double until_s = k + 1 == samples.size() ? to_s : std::min(to_s, samples[k + 1].stamp_s);
    const double begin_s = std::max(from_s, samples[k].stamp_s);
    if (until_s <= begin_s) continue;
    if (!(until_s - samples[k].stamp_s < age_s)) return {std::nullopt, Miss::too_old};
    motion = motion * moved_by(twist_of(k), until_s - begin_s);
  }
  return {motion, Miss::none};
}

}  // namespace ndt::localization
