// The result of a search for the initial pose.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ndt/initial_pose/particle.hpp"
#include "ndt/initial_pose/search_times.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {

/// The result of a search, and how far to trust it.
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
  SearchTimes times;             ///< none of a peer's search

  /// The answer.
  const Particle& best_particle() const { return particles.at(best); }
  /// Number of particles that the method proposed.
  std::size_t proposed() const;
};

/// Called with the particles so far after every call of the aligner.
using SearchObserver = std::function<void(const std::vector<Particle>& particles)>;

}  // namespace ndt::initial_pose
