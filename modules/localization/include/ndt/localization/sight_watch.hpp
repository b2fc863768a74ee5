// Compares what scans see with the map, now and then: scores judge points, and not the free space before
// them.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "ndt/initial_pose/sight_lines.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// A thread that looks along one scan at a time. It waits between two, because starting one takes as long as
/// an alignment.
class SightThread {
 public:
  using Look = std::packaged_task<initial_pose::Sight()>;
  /// Throws std::system_error if the system has no thread to spare.
  SightThread();
  /// Begins a look when the one before has ended. One that has not begun is dropped.
  std::future<initial_pose::Sight> begin(Look look);

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Look> look_;
  std::jthread thread_;  ///< the last member, because it uses the others
};

/// Looks along the scans of a vehicle. A look takes as long as everything else that a scan needs. So where
/// nothing is suspicious it is made beside the next scans, and tells of its own with the second after it.
class SightWatch {
 public:
  /// Never looks, until it gets sight lines.
  explicit SightWatch(const LocalizerOptions& options)
      : every_(options.sight_every), bound_(options.sight_bound) {}

  /// Takes the sight lines of the map in force; null: it never looks.
  void use(std::shared_ptr<const initial_pose::SightLines> lines) { lines_ = std::move(lines); }
  /// The next ok pose is looked at before it is told.
  void reset();
  /// Makes an ok pose doubtful if scan and map contradict each other there. Looks at every sight_every-th ok
  /// pose and at those that a search found. After a contradiction it looks at all, until one is clear. Tells
  /// whether it looked, began to look or waited for a look.
  bool judge(const PointCloud& scan, ScanReport& report);

 private:
  /// Scans after which a look beside them tells.
  static constexpr int kScansOfALook = 2;

  /// Waits for the look beside, if it is due, and writes what it saw to the report. False if none is.
  bool take_due(ScanReport& report);
  /// Begins a look beside the next scans. False if the system has no thread to spare.
  bool look_beside(const PointCloud& scan, const Transform& map_from_scan);

  std::shared_ptr<const initial_pose::SightLines> lines_;
  std::unique_ptr<SightThread> thread_;  ///< made for the first look beside
  std::future<initial_pose::Sight> beside_;
  int every_, wait_ = 0, due_ = 0;  ///< scans until the next look, and until that beside tells
  bool suspicious_ = true;
  double bound_;
};

}  // namespace ndt::localization
