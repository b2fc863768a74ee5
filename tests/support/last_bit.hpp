// Alignments that the last bit decides: there the oracle itself gives another answer when its guess moves by
// a float32 step.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare.hpp"
#include "ndt/align/aligner.hpp"

namespace ndt::last_bit {

constexpr double kMetres = 1e-3, kDegrees = 0.01;

inline bool same_answer(const AlignResult& a, const AlignResult& b) {
  return a.iterations == b.iterations && a.stop == b.stop &&
         translation_error_m(a.map_from_scan, b.map_from_scan) <= kMetres &&
         compare::degrees(rotation_error_rad(a.map_from_scan, b.map_from_scan)) <= kDegrees;
}

/// The float32 step of the map's coordinates: at a point 50 m away, or at the guess if that step is larger.
inline double float_step(double coordinate) {
  constexpr double kFloatStepAt50M = 4e-6;
  const float at = std::fabs(static_cast<float>(coordinate));
  return std::max(kFloatStepAt50M,
                  static_cast<double>(std::nextafter(at, std::numeric_limits<float>::max()) - at));
}

/// Whether a push costs about as much as it must for `converged`. The oracle takes eigenvectors for weak
/// directions and the core an iteration, so pushes differ where eigenvalues are close: by a quarter at most
/// in the golden clouds.
inline bool nearly_held(const AlignResult& result) {
  return std::fabs(result.conditioning.push_sigmas / kLeastPushSigmas - 1) < 0.25;
}

/// Whether the oracle itself gives another answer when its guess moves by one float32 step of the map's
/// coordinates along some axis. Such a case says nothing about an implementation: it was decided by the last
/// bit.
inline bool decides(Aligner& oracle, const PointCloud& scan, const Transform& guess,
                    const AlignResult& expected, const PerScan& per_scan = {}) {
  if (nearly_held(expected)) return true;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      Transform moved = guess;
      moved(axis, 3) += sign * float_step(guess(axis, 3));
      if (!same_answer(oracle.align(scan, moved, per_scan), expected)) return true;
    }
  return false;
}

}  // namespace ndt::last_bit
