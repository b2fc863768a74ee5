// Where am I? Many alignments from places all over a prior, the best of which is taken.
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
  bool guided = false;  ///< proposed by what was found before
};

struct SearchResult {
  std::vector<Particle> particles;  ///< in the order they were proposed
  std::size_t best = 0;             ///< largest NVTL, the first on ties
  bool reliable = false;            ///< its NVTL is above SearchOptions::reliable_nvtl
  /// Largest NVTL among the particles that came to rest in another mode (is_another_mode): converged or, if the best is, degenerate.
  std::optional<std::size_t> runner_up;
  /// Why not all particles are there or are finished: Stop::cancelled or Stop::timeout.
  std::optional<Stop> interrupted;

  const Particle& best_particle() const { return particles.at(best); }
  /// NVTL of the runner-up over that of the best; 0 without one.
  double runner_up_ratio() const;
  /// The runner-up is nearly as good: another place looks the same.
  bool ambiguous() const { return runner_up_ratio() >= kAmbiguousRatio; }

  /// Two of three wrong answers had such a runner-up, one of four right ones (reports/2026-11-22-cpu-initial-pose).
  static constexpr double kAmbiguousRatio = 0.9;
};

/// Farther apart than two poses can be that are both within 0.5 m and 2.5 degrees of one truth.
bool is_another_mode(const Transform& a, const Transform& b);

/// After every call of the aligner: the particles so far.
using SearchObserver = std::function<void(const std::vector<Particle>& particles)>;

/// Aligns the scan from places that options.method proposes and tells it the transform probability where each led. Same
/// input, same bits; a strategy without rounds gives those of `sequential` on the same aligner. per_scan holds for every
/// alignment, its deadline and stop request also for the search: it ends with what it has, at least the particles of the
/// first call.
/// Throws std::invalid_argument for options or a prior out of range, and what align throws.
SearchResult search(Aligner& aligner, const PointCloud& scan, const PosePrior& prior, const Strategy& strategy,
                    const SearchOptions& options, const PerScan& per_scan = {}, const SearchObserver& observer = {});

}  // namespace ndt::initial_pose
