// The search for a lost pose: around the prediction, wider with every failure.
#pragma once

#include <optional>

#include "ndt/initial_pose/anytime_search.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// Searches for a lost pose, wider each time. A scan gets a share of a search, because a vehicle moves: an
/// answer about an old scan would be metres behind. The next share begins from what the search has, moved as
/// the prediction moved.
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
    running_.reset();
  }
  /// The searches until one finds the pose begin with the prior's deviations instead of the options'.
  void begin_with(const initial_pose::PosePrior& prior);
  /// Goes on with the search that is not finished, or begins the next. reset() tells that the pose was found.
  /// Every attempt draws other particles. Throws what initial_pose::search throws.
  Recovered search(Aligner& aligner, const PointCloud& scan, const Transform& prediction,
                   const PerScan& per_scan);

 private:
  initial_pose::PosePrior prior_around(const Transform& prediction) const;
  bool can_grow() const;
  bool is_worth_going_on(const Recovered& recovered) const;

  LocalizerOptions options_;
  std::optional<initial_pose::AnytimeSearch> running_;
  Transform last_prediction_;  ///< of the running search's last scan
  std::optional<initial_pose::PosePrior> first_;
  int attempts_ = 0;
};

}  // namespace ndt::localization
