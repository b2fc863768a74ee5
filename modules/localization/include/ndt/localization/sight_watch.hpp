// Compares what scans see with the map, now and then: scores judge points, and not the free space before
// them.
#pragma once

#include <memory>

#include "ndt/initial_pose/sight_lines.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// Looks along the scans of a vehicle.
class SightWatch {
 public:
  /// Never looks, until it gets sight lines.
  explicit SightWatch(const LocalizerOptions& options)
      : every_(options.sight_every), bound_(options.sight_bound) {}

  /// Takes the sight lines of the map in force; null: it never looks.
  void use(std::shared_ptr<const initial_pose::SightLines> lines) { lines_ = std::move(lines); }
  /// The next ok pose is looked at.
  void reset() { wait_ = 0; }
  /// Makes an ok pose doubtful if scan and map contradict each other there. Looks at every sight_every-th ok
  /// pose and at those that a search found. After a contradiction it looks at all, until one is clear.
  void judge(const PointCloud& scan, ScanReport& report);

 private:
  std::shared_ptr<const initial_pose::SightLines> lines_;
  int every_, wait_ = 0;
  double bound_;
};

}  // namespace ndt::localization
