// The search for an initial pose: many alignments from places drawn from a prior, of which the best is taken.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/particle.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/initial_pose/search_options.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {

/// What a search found, and how far to trust it.
struct SearchResult {
  /// The proposed ones in their order, then what continued the leaders among them, then those from beside the
  /// answer.
  std::vector<Particle> particles;
  /// The largest NVTL among those that came to rest, the first on ties; of all if none did.
  std::size_t best = 0;
  /// The best that ended in another mode (is_another_mode), at rest or not, by Evidence::runner_up_ratio, and
  /// is not ruled out.
  std::optional<std::size_t> runner_up;
  /// The reason if particles are missing or unfinished: Stop::cancelled or Stop::timeout.
  std::optional<Stop> interrupted;
  Evidence evidence;             ///< what the verdict follows from
  Judgement judgement;           ///< of the evidence
  std::optional<bool> reliable;  ///< whether the verdict is so; nothing if it is unknown

  /// The answer.
  const Particle& best_particle() const { return particles.at(best); }
  /// Number of particles that the method proposed.
  std::size_t proposed() const;
};

/// Called with the particles so far after every call of the aligner.
using SearchObserver = std::function<void(const std::vector<Particle>& particles)>;

/// Aligns the scan from places that options.method (any but `anywhere`) proposes, and tells the method the
/// transform probability of each result. Before it judges, it continues the best particles of every mode
/// until they rest, looks from beside the answer, and scores the answer once more. With `sight_lines`, of the
/// aligner's map, the scan is held against what the map has in its way, at the answer and, where that is
/// clear, at the ends that would cast doubt on it: 16 at most elsewhere. The same input gives the same bits,
/// and a strategy without rounds gives those of `sequential` on the same aligner. per_scan holds for every
/// alignment. Its deadline and stop request hold for the search too, which then ends with the particles it
/// has, at least those of the first call. Throws std::invalid_argument for options or a prior out of range,
/// and what align throws.
SearchResult search(Aligner& aligner, const PointCloud& scan, const PosePrior& prior,
                    const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan = {},
                    const SearchObserver& observer = {}, const SightLines* sight_lines = nullptr);

/// The same from given places, at least one: options.method and options.particles are not used.
SearchResult search_places(Aligner& aligner, const PointCloud& scan, const std::vector<Pose>& places,
                           const Strategy& strategy, const SearchOptions& options,
                           const PerScan& per_scan = {}, const SearchObserver& observer = {},
                           const SightLines* sight_lines = nullptr);

}  // namespace ndt::initial_pose
