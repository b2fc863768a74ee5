// Alignments that the last bit decides: there the oracle itself gives another answer when its guess moves by
// a float32 step.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "compare.hpp"
#include "ndt/align/aligner.hpp"

namespace ndt::last_bit {

constexpr double kMetres = 1e-3, kDegrees = 0.01;

inline bool same_answer(const AlignResult& a, const AlignResult& b) {
  return a.iterations == b.iterations && a.stop == b.stop &&
         translation_error_m(a.map_from_scan, b.map_from_scan) <= kMetres &&
         compare::degrees(rotation_error_rad(a.map_from_scan, b.map_from_scan)) <= kDegrees;
}

constexpr float kFloatStepAt50M = 4e-6F;
/// The float32 step of the map's coordinates: at a point 50 m away, or at the guess if that step is larger.
inline double float_step(double coordinate) {
  const float at = std::fabs(static_cast<float>(coordinate));
  return std::max(static_cast<double>(kFloatStepAt50M),
                  static_cast<double>(std::nextafter(at, std::numeric_limits<float>::max()) - at));
}

/// Whether a push costs about as much as it must for `converged`. The oracle takes eigenvectors for weak
/// directions and the core an iteration, so pushes differ where eigenvalues are close: by a quarter at most
/// in the golden clouds.
inline bool nearly_held(const AlignResult& result) {
  return std::fabs(result.conditioning.push_sigmas / kLeastPushSigmas - 1) < 0.25;
}

/// The scan as another rounding of its moved points would have it: every coordinate moves by up to half a
/// float32 step.
inline PointCloud rounded_otherwise(const PointCloud& scan, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> half_step(-0.5F * kFloatStepAt50M, 0.5F * kFloatStepAt50M);
  PointCloud out = scan;
  for (Point& p : out.points) p.x += half_step(random), p.y += half_step(random), p.z += half_step(random);
  return out;
}

/// Whether the oracle itself gives another answer when its guess moves by one float32 step of the map's
/// coordinates along some axis. Such a case says nothing about an implementation: it was decided by the last
/// bit. The oracle of a trust region moves points in float64 and the core in float32, so there the points'
/// own rounding may decide, too.
inline bool decides(Aligner& oracle, const PointCloud& scan, const Transform& guess,
                    const AlignResult& expected, const PerScan& per_scan = {},
                    StepControl control = StepControl::clamped) {
  if (nearly_held(expected)) return true;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      Transform moved = guess;
      moved(axis, 3) += sign * float_step(guess(axis, 3));
      if (!same_answer(oracle.align(scan, moved, per_scan), expected)) return true;
    }
  if (control == StepControl::clamped) return false;
  for (unsigned seed = 0; seed < 4; ++seed)
    if (!same_answer(oracle.align(rounded_otherwise(scan, seed), guess, per_scan), expected)) return true;
  return false;
}

}  // namespace ndt::last_bit
