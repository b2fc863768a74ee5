// The search for an initial pose: many alignments from places drawn from a prior, of which the best is taken.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/initial_pose/search_options.hpp"

namespace ndt::initial_pose {

/// One alignment of a search.
struct Particle {
  Pose start;
  AlignResult result;
  bool guided = false;  ///< proposed with the help of earlier trials
};

struct SearchResult {
  /// In the order they were proposed. If the one with the largest NVTL, the first on ties, ended at the
  /// iteration limit, it is continued by particles that start where it ended: three at most.
  std::vector<Particle> particles;
  std::size_t best = 0;  ///< the one with the largest NVTL, or the last that continued it
  /// It converged, its NVTL is above SearchOptions::reliable_nvtl, and no place is alike. Nothing if all that
  /// is missing is a threshold.
  std::optional<bool> reliable;
  /// Largest NVTL among the proposed particles that ended in another mode (is_another_mode), at rest or not.
  std::optional<std::size_t> runner_up;
  /// The reason if particles are missing or unfinished: Stop::cancelled or Stop::timeout.
  std::optional<Stop> interrupted;

  const Particle& best_particle() const { return particles.at(best); }
  /// NVTL of the runner-up over that of the best; 0 without one.
  double runner_up_ratio() const;
  /// The runner-up is nearly as good: another place looks the same, or too little is at rest to tell.
  bool ambiguous() const { return runner_up_ratio() >= kAmbiguousRatio; }

  /// Two of three wrong answers had such a runner-up, one of four right ones
  /// (reports/2026-11-22-cpu-initial-pose).
  static constexpr double kAmbiguousRatio = 0.9;
};

/// Farther apart than two poses can be that are both within 0.5 m and 2.5 degrees of one truth.
bool is_another_mode(const Transform& a, const Transform& b);

/// Called with the particles so far after every call of the aligner.
using SearchObserver = std::function<void(const std::vector<Particle>& particles)>;

/// Aligns the scan from places that options.method proposes, and tells the method the transform probability
/// of each result. The same input gives the same bits, and a strategy without rounds gives those of
/// `sequential` on the same aligner. per_scan holds for every alignment. Its deadline and stop request hold
/// for the search too, which then ends with the particles it has, at least those of the first call. Throws
/// std::invalid_argument for options or a prior out of range, and what align throws.
SearchResult search(Aligner& aligner, const PointCloud& scan, const PosePrior& prior,
                    const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan = {},
                    const SearchObserver& observer = {});

}  // namespace ndt::initial_pose
