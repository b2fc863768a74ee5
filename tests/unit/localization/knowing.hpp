// An aligner that knows the truth, for tests of what a localizer makes of its answers.
#pragma once

#include <functional>
#include <optional>

#include "ndt/localization/localizer.hpp"
#include "scripted_aligner.hpp"

namespace ndt::localization {

/// Finds the truth from guesses near it, whatever their heading; elsewhere stays, with a low score.
class Knowing : public ScriptedAligner {
 public:
  Transform truth;
  double basin_m = 2;
  Stop elsewhere = Stop::converged;  ///< how it ends where it stays
  int alignments = 0;
  std::optional<RegularisationTarget> regularisation;
  std::function<void(AlignResult&)> change = [](AlignResult&) {};

  AlignResult align(const Scan&, const Transform& guess, const PerScan& per_scan) override {
    ++alignments;
    regularisation = per_scan.regularisation;
    AlignResult result;
    const bool finds = translation_error_m(guess, truth) < basin_m;
    result.map_from_scan = finds ? truth : guess;
    result.nvtl = finds ? 3 : 1;
    result.stop = finds ? Stop::converged : elsewhere;
    result.iterations = 4;
    change(result);
    return result;
  }
  void score_batch(const Scan&, std::span<const Transform>, std::span<Score> out) override {
    for (Score& score : out) score.nvtl = 2;
  }
};

inline const PointCloud kScan{{}, {{20, 0, 0}, {0, 5, 1}}};

inline LocalizerOptions options(int particles = 50) {
  LocalizerOptions o;
  o.least_score = o.reliable_nvtl = 2.3;
  o.recovery_particles = particles;
  o.recovery_shares = 1;  // one search a scan
  o.frozen_after = 0;  // the scans of these tests are all the same
  return o;
}

inline Transform along(int frame) { return to_transform({1.5 * frame, 0, 0, 0, 0, 0}); }

}  // namespace ndt::localization
