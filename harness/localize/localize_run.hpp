// Drives a localizer through a sequence of scans: feeds the other sensors, takes the time, and counts.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "io/scan_file.hpp"
#include "localize/localized_scan.hpp"
#include "localize/long_run.hpp"
#include "localize/scan_sequence.hpp"
#include "localize/search_use.hpp"
#include "ndt/io/trajectory.hpp"
#include "ndt/localization/following_map.hpp"
#include "ndt/localization/localizer.hpp"

namespace ndt::harness {

/// Scans arrive at their times, `speed` times as fast as they were recorded.
struct RealTime {
  Clock* clock = nullptr;
  double speed = 1;
};

struct Arrival {
  std::size_t frame = 0;
  std::size_t dropped = 0;        ///< scans before it that arrived while another was worked on
  std::optional<double> delay_s;  ///< from its arrival to now, by the clock; nothing without one
};

/// Hands out the scans. In real time a queue holds one. A scan that arrives while another is worked on takes
/// the place of the one that waits, which is dropped. The last scan is never dropped. The first arrives with
/// the first call.
class Arrivals {
 public:
  Arrivals(const std::vector<TimedScan>& scans, const std::optional<RealTime>& real_time)
      : scans_(scans), real_time_(real_time) {}

  /// The next scan, which is waited for; nothing after the last.
  std::optional<Arrival> next();
  /// The scans wait for what is done here: a vehicle has its scans in memory, and reads no file.
  void outside_time(const std::function<void()>& work);

 private:
  double arrival_s(std::size_t frame) const;

  const std::vector<TimedScan>& scans_;
  std::optional<RealTime> real_time_;
  std::size_t next_ = 0;
  std::optional<double> began_s_;  ///< when the first scan arrived, moved on by what was outside of time
};

/// Closed-loop errors of a localisation against the truth, without any alignment of the trajectories.
struct TrajectoryError {
  std::size_t poses = 0;
  double rmse_m = 0, mean_m = 0, max_m = 0, rmse_deg = 0, max_deg = 0;
};

/// How often another sensor was of use.
struct SensorUse {
  std::size_t used = 0;
  std::map<localization::Miss, std::size_t> missed;  ///< scans that it could not serve, by the reason
};

/// Counts what was left out of the scans.
struct LeftOutInput {
  std::int64_t points = 0;  ///< in the scans that were read
  NoReturns no_returns;     ///< of these points
  std::size_t scans_with_no_returns = 0;
  std::size_t unreadable = 0;         ///< scans
  std::string first_unreadable = {};  ///< what was wrong with the first
};

struct LocalizeSummary {
  std::size_t frames = 0, ok = 0, doubtful = 0, lost = 0;  ///< of the scans that were worked on
  std::size_t dropped = 0;                                 ///< late ones, in real time
  std::optional<std::size_t> lost_since;  ///< the frame since which it is lost, if it ends so
  SearchUse searches;
  SensorUse moved, gnss;  ///< of the predictions, and of the alignments; 0 without one
  localization::Prediction moved_by = localization::Prediction::none;  ///< the sensors of the predictions
  std::vector<double> gnss_beside_m;  ///< of the fixes that contradict, from the prediction
  LeftOutInput left_out;
  std::size_t timed = 0, deskewed = 0;           ///< scans whose points have times, and those moved by them
  double most_moved_m = 0, most_turned_rad = 0;  ///< of the sensor in a sweep
  std::string first_sweep_fault = {};            ///< why times of points make no sweep
  std::size_t frozen = 0;                        ///< scans with the bytes of two scans or more before them
  /// Why scans are doubtful or lost.
  std::map<localization::Reason, std::size_t> doubtful_by, lost_by;
  std::size_t low_though_converged = 0;  ///< rejected for the score of an alignment that converged
  /// Counts degenerate scans by the axis that they hold least, x to yaw.
  std::array<std::size_t, 6> weak_axes{};
  /// Times of each frame, and of each stage of those that went through it.
  std::vector<double> execution_ms, filter_ms, diagnostics_ms, frame_ms;
  std::array<std::vector<double>, kStages> stage_ms;
  std::optional<localization::MapUse> map;  ///< of a map that follows the vehicle
  std::optional<LongRun> long_run;          ///< of such a map, or of several laps
  std::optional<TrajectoryError> error;     ///< of the frames with a truth, lost ones too
};

struct LocalizeInput {
  const ScanSequence* sequence = nullptr;
  std::function<PointCloud(std::size_t index)> scan;
  ScanPreparation filters;                 ///< as asked for
  StampAt stamp_at = StampAt::as_written;  ///< the part of a sweep that stamps belong to
  std::vector<StampedTransform> odometry, gnss;
  std::vector<localization::StampedImu> imu;
  std::vector<localization::StampedTwist> twists;
  double critical_ms = 100;           ///< a scan that takes longer is diagnosed
  double points_timeout_s = 1;        ///< and one that waits longer, in real time
  std::optional<RealTime> real_time;  ///< nothing: scan after scan, however long each takes
  std::function<PerScan()> limits;    ///< of a scan's alignments, counted from the call
  /// The time of the last alignment by the aligner's own clock; nothing where it has none.
  std::function<std::optional<double>()> own_ms = [] { return std::nullopt; };
  localization::FollowingMap* following = nullptr;  ///< the localizer's map, if it follows the vehicle
  std::function<void()>
      begin_lap;  ///< brings the localizer back to its start, before the second lap and others
};

/// Called after every scan.
using ObserveScan = std::function<void(const LocalizedScan&)>;

/// Localises every scan of the sequence, or in real time those that are not late. A scan that cannot be read
/// counts as empty. The localizer has been given its start.
LocalizeSummary localize_all(localization::Localizer& localizer, const LocalizeInput& input,
                             const ObserveScan& observe);

}  // namespace ndt::harness
