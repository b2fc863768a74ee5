// The search for a lost pose: around the prediction, wider with every failure.
#pragma once

#include <vector>

#include "ndt/initial_pose/search.hpp"
#include "ndt/localization/beside.hpp"
#include "ndt/localization/localizer_options.hpp"

namespace ndt::localization {

/// The attempt to find a lost pose.
struct Recovered {
  int attempt = 0;                                ///< 1 for the first since the pose was lost
  initial_pose::PosePrior prior;                  ///< where it looked
  std::vector<initial_pose::Particle> particles;  ///< in the order they were proposed
  double nvtl = 0, runner_up_ratio = 0;           ///< as in initial_pose::Evidence
  Stop stop = Stop::no_overlap;                   ///< of the best particle
  bool ambiguous = false;                         ///< the scan fits elsewhere, too
  std::optional<bool> reliable;                   ///< nothing if all that is missing is a threshold
  std::optional<Stop> interrupted;                ///< why the search ended early
  double moved_m = 0;                             ///< from the prior's mean to the best particle
  bool found = false;  ///< reliable, or it would be with a threshold, and not rejected for its spread
  AlignResult result;  ///< the best particle's
  std::optional<Spread> spread;  ///< of what was found; nothing if it was not looked at
};

/// Searches for a lost pose, wider each time.
class Recovery {
 public:
  /// Nothing is lost yet.
  explicit Recovery(const LocalizerOptions& options) : options_(options) {}

  /// Whether the options allow a search.
  bool on() const { return options_.recovery_particles > 0; }
  /// The pose is known again: the next search is a first one.
  void reset() {
    attempts_ = 0;
    first_.reset();
  }
  /// The searches until one finds the pose begin with the prior's deviations instead of the options'.
  void begin_with(const initial_pose::PosePrior& prior);
  /// Searches once; reset() tells that the pose was found. Every attempt draws other particles. Throws what
  /// initial_pose::search throws.
  Recovered search(Aligner& aligner, const PointCloud& scan, const Transform& prediction,
                   const PerScan& per_scan);

 private:
  initial_pose::PosePrior prior_around(const Transform& prediction) const;

  LocalizerOptions options_;
  std::optional<initial_pose::PosePrior> first_;
  int attempts_ = 0;
};

}  // namespace ndt::localization
