// The search for a lost pose: around the prediction, wider with every failure.
#pragma once

#include <optional>

#include "ndt/initial_pose/search.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

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
