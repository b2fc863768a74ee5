#include "localize/localize_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "localize/records.hpp"
#include "localize/sensor_times.hpp"
#include "ndt/core/error.hpp"
#include "ndt/localization/deskew.hpp"

namespace ndt::harness {
namespace {

using localization::Level;
using localization::ScanReport;
using localization::Verdict;

/// Hands over measurements up to a time and the first one after it, which a lookup at that time needs. Hands
/// over two at first: a single one is never used and does not tell that the time is before it.
template <class Stamped>
class Feed {
 public:
  explicit Feed(const std::vector<Stamped>& measured) : measured_(measured) {}
  template <class Take>
  void until(double stamp_s, Take&& take) {
    while (next_ < measured_.size() && (next_ < 2 || time_of(measured_[next_ - 1]) < stamp_s))
      take(measured_[next_++]);
  }

 private:
  const std::vector<Stamped>& measured_;
  std::size_t next_ = 0;
};

localization::StampedPose stamped(const StampedTransform& pose) {
  return {pose.time_s, pose.map_from_body, pose.covariance};
}

/// All sensors but the scanner.
class Feeds {
 public:
  explicit Feeds(const LocalizeInput& input)
      : odometry_(input.odometry), gnss_(input.gnss), imu_(input.imu), twists_(input.twists) {}

  /// The motion is known up to the end of the sweep, GNSS up to the stamp.
  void give(localization::Localizer& localizer, double stamp_s, double sweep_end_s) {
    odometry_.until(sweep_end_s, [&](const auto& pose) { localizer.add_odometry(stamped(pose)); });
    imu_.until(sweep_end_s, [&](const auto& imu) { localizer.add_imu(imu); });
    twists_.until(sweep_end_s, [&](const auto& twist) { localizer.add_twist(twist); });
    gnss_.until(stamp_s, [&](const auto& pose) { localizer.add_gnss(stamped(pose)); });
  }

 private:
  Feed<StampedTransform> odometry_, gnss_;
  Feed<localization::StampedImu> imu_;
  Feed<localization::StampedTwist> twists_;
};

/// The time after the stamp at which the last point was measured.
double sweep_end_s(const PointCloud& cloud) {
  double end_s = 0;
  for (const float t : cloud.times)
    if (t <= localization::Sweep::kLongestS) end_s = std::max(end_s, static_cast<double>(t));
  return end_s;
}

class Errors {
 public:
  void add(const Transform& truth, const Transform& pose) {
    const PoseDifference difference = pose_difference(truth, pose);
    const double m = difference.translation_m, deg = difference.rotation_deg;
    ++error_.poses;
    error_.mean_m += m;
    error_.rmse_m += m * m;
    error_.rmse_deg += deg * deg;
    error_.max_m = std::max(error_.max_m, m);
    error_.max_deg = std::max(error_.max_deg, deg);
  }
  std::optional<TrajectoryError> result() const {
    if (error_.poses == 0) return std::nullopt;
    TrajectoryError result = error_;
    const auto count = static_cast<double>(error_.poses);
    result.mean_m /= count;
    result.rmse_m = std::sqrt(error_.rmse_m / count);
    result.rmse_deg = std::sqrt(error_.rmse_deg / count);
    return result;
  }

 private:
  TrajectoryError error_;  // sums, but for the largest
};

void count(SensorUse& sensor, bool used, localization::Miss miss) {
  if (miss != localization::Miss::none)
    ++sensor.missed[miss];
  else
    sensor.used += used;
}

void count_times(LocalizeSummary& summary, const LocalizedScan& scan) {
  summary.filter_ms.push_back(scan.times.filter_ms);
  summary.execution_ms.push_back(scan.execution_ms);
  summary.diagnostics_ms.push_back(scan.times.diagnostics_ms);
  summary.frame_ms.push_back(frame_ms(scan));
  for (std::size_t stage = 0; stage < kStages; ++stage)
    if (const auto& ms = scan.times.stage_ms[stage]) summary.stage_ms[stage].push_back(*ms);
}

/// The largest part of a direction.
std::size_t largest_axis(const Vec6& direction) {
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(std::max_element(direction.v, direction.v + 6, larger) - direction.v);
}

void count_reasons(LocalizeSummary& summary, const ScanReport& report) {
  if (!report.aligned) return;
  summary.low_though_converged +=
      report.judgement.reason == localization::Reason::score && report.aligned->stop == Stop::converged;
  if (report.reason == localization::Reason::degenerate)
    ++summary.weak_axes[largest_axis(report.aligned->conditioning.weak_direction)];
}

void count(LocalizeSummary& summary, const localization::Deskew& deskew) {
  summary.timed += deskew.timed() || !deskew.fault.empty();
  summary.deskewed += deskew.done;
  summary.most_moved_m = std::max(summary.most_moved_m, deskew.moved_m);
  summary.most_turned_rad = std::max(summary.most_turned_rad, deskew.turned_rad);
  if (summary.first_sweep_fault.empty()) summary.first_sweep_fault = deskew.fault;
}

void count(LocalizeSummary& summary, const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  ++summary.frames;
  summary.dropped += scan.dropped;
  count_times(summary, scan);
  const localization::Prediction by = report.prediction.by;
  const bool sensed = by == localization::Prediction::odometry || by == localization::Prediction::imu;
  if (sensed) summary.moved_by = by;
  count(summary.moved, sensed, report.prediction.odometry_miss);
  count(summary.gnss, report.regularisation.has_value(), report.gnss_miss);
  if (report.gnss_miss == localization::Miss::contradicts)
    summary.gnss_beside_m.push_back(report.gnss_beside_m);
  summary.frozen += report.reason == localization::Reason::scan_frozen;
  count(summary, report.deskew);
  summary.ok += report.verdict == Verdict::ok;
  count_reasons(summary, report);
  if (report.verdict == Verdict::doubtful) {
    ++summary.doubtful;
    ++summary.doubtful_by[report.reason];
  }
  if (report.verdict == Verdict::lost) {
    ++summary.lost;
    ++summary.lost_by[report.reason];
    if (!summary.lost_since) summary.lost_since = scan.frame;
  } else {
    summary.lost_since.reset();
  }
  if (report.recovery)
    summary.searches.add(
        *report.recovery,
        scan.times.stage_ms[static_cast<std::size_t>(localization::Stage::search)].value_or(0));
}

/// A scan as it was read.
struct RawScan {
  PointCloud cloud;
  std::int64_t points = 0;
  std::string error;  ///< why it cannot be read; empty if it can
};

/// One bad file is one doubtful scan, and the recording goes on.
RawScan read(const LocalizeInput& input, std::size_t frame) {
  RawScan raw;
  try {
    raw.cloud = input.scan(frame);
    set_stamp(raw.cloud, input.stamp_at);
  } catch (const InputError& error) {
    raw.error = error.what();
  }
  raw.points = static_cast<std::int64_t>(raw.cloud.size());
  return raw;
}

/// The scan where a driver would have written it: in the tracker's memory, if that is of use.
Scan lying(const PointCloud& cloud, localization::Localizer& localizer) {
  if (!cloud.times.empty() || cloud.empty()) return cloud;
  const std::span<Point> memory = localizer.scan_memory(cloud.size());
  if (memory.empty()) return cloud;
  std::ranges::copy(cloud.points, memory.begin());
  return DeviceCloud{.points = memory.data(), .size = cloud.size(), .origin = cloud.origin};
}

void count(LeftOutInput& left_out, const RawScan& raw, const NoReturns& no_returns) {
  left_out.points += raw.points;
  left_out.no_returns += no_returns;
  left_out.scans_with_no_returns += no_returns.total() > 0;
  if (raw.error.empty()) return;
  if (left_out.unreadable++ == 0) left_out.first_unreadable = raw.error;
}

void diagnose(ScanReport& report, const RawScan& raw) {
  if (!raw.error.empty()) report.diagnosis.raise(Level::warn, "the scan cannot be read: " + raw.error);
}

std::string around(const localization::MapCircle& map) {
  return fmt::format("{:g} m around ({:.1f}, {:.1f})", map.radius_m, map.centre.x, map.centre.y);
}

void diagnose_map(ScanReport& report, const LocalizedScan& scan, const localization::FollowingMap& map) {
  const bool failed = scan.map_update && !scan.map_update->error.empty(), out = map.out_of_range();
  if (failed)
    report.diagnosis.raise(
        out ? Level::error : Level::warn,
        fmt::format("the map was not updated to {}, and that of {} stays in force: {}",
                    around(scan.map_update->around), around(map.in_force()), scan.map_update->error));
  else if (out)
    report.diagnosis.raise(Level::error,
                           fmt::format("a scan may see beyond the map in force, {}: no update succeeded",
                                       around(map.in_force())));
}

/// Adds what the localizer cannot know, since it has no clock.
void diagnose(ScanReport& report, const LocalizedScan& scan, const LocalizeInput& input) {
  if (scan.dropped > 0)
    report.diagnosis.raise(
        Level::warn,
        fmt::format("{} earlier scans arrived during processing and were dropped", scan.dropped));
  if (scan.delay_s && *scan.delay_s > input.points_timeout_s)
    report.diagnosis.raise(Level::warn, fmt::format("the scan waited {:.3f} s, more than {:g} s",
                                                    *scan.delay_s, input.points_timeout_s));
  if (scan.execution_ms > input.critical_ms)
    report.diagnosis.raise(Level::warn, fmt::format("it took {:.1f} ms, more than {:g} ms", scan.execution_ms,
                                                    input.critical_ms));
}

/// Leaves out the way to another process and back.
void take_own_time(LocalizedScan& scan, const std::optional<double>& own_ms) {
  if (!own_ms || !scan.report->aligned) return;
  scan.execution_ms = *own_ms;
  scan.times.stage_ms[static_cast<std::size_t>(localization::Stage::align)] = own_ms;
}

/// Raises what the localizer cannot know, and writes the diagnostics of the scan.
void complete(ScanReport& report, LocalizedScan& scan, const RawScan& raw, const LocalizeInput& input) {
  diagnose(report, raw);
  diagnose(report, scan, input);
  const Stopwatch diagnosing;
  scan.diagnostics = diagnostics_json(scan);
  scan.times.diagnostics_ms = diagnosing.elapsed_us() / 1000;
}

void count(LocalizeSummary& summary, const LocalizedScan& scan, const RawScan& raw,
           const LocalizeInput& input) {
  count(summary, scan);
  count(summary.left_out, raw, scan.report->no_returns);
  if (summary.long_run)
    summary.long_run->add(scan, input.following ? input.following->device_bytes() : std::nullopt);
}

}  // namespace

LocalizeSummary localize_all(localization::Localizer& localizer, const LocalizeInput& input,
                             const ObserveScan& observe) {
  LocalizeSummary summary;
  Errors errors;
  std::optional<Feeds> sensors(input);
  const std::vector<TimedScan>& scans = input.sequence->scans;
  const std::size_t laps = input.sequence->laps, lap_scans = scans.size() / laps;
  if (input.following || laps > 1) summary.long_run.emplace(scans.size(), laps);
  std::size_t lap = 0;
  Arrivals arrivals(scans, input.real_time);
  while (const auto arrival = arrivals.next()) {
    const TimedScan& timed = scans[arrival->frame];
    RawScan raw;
    if (input.following) input.following->wait_for_due();
    std::optional<Scan> given;
    arrivals.outside_time([&] {
      raw = read(input, arrival->frame);
      localizer.expect_scan();  // as a driver announces a scan whose first packets are there
      given = lying(raw.cloud, localizer);
    });
    const ThreadStopwatch own;
    if (arrival->frame / lap_scans != lap) {
      lap = arrival->frame / lap_scans;
      sensors.emplace(input);
      input.begin_lap();
    }
    // The localizer has the times of the first lap in every lap: later ones are rounded otherwise.
    const double stamp_s = scans[arrival->frame % lap_scans].stamp_s;
    sensors->give(localizer, stamp_s, stamp_s + sweep_end_s(raw.cloud));
    std::optional<localization::MapUpdate> map_update;
    bool building = false;
    if (input.following) {
      map_update = input.following->before_scan();
      building = input.following->building();
    }
    const Stopwatch filtering;
    const localization::PreparedScan prepared = localizer.prepare(stamp_s, *given, input.filters);
    const double filter_ms = filtering.elapsed_us() / 1000;
    StageClock clock;
    ScanReport report = localizer.localize_prepared(stamp_s, prepared, input.limits(),
                                                    [&](localization::Stage stage) { clock.ended(stage); });
    report.stamp_s = timed.stamp_s;
    LocalizedScan scan{arrival->frame,   &timed,           &report, clock.elapsed_ms(),
                       arrival->dropped, arrival->delay_s, 0,       &prepared.scan.prepared.cloud};
    scan.times = {filter_ms, 0, clock.stage_ms()};
    take_own_time(scan, input.own_ms());
    if (input.following) {
      scan.map_tiles = input.following->tiles(), scan.map_update = std::move(map_update);
      scan.map_building = building;
      diagnose_map(report, scan, *input.following);
      input.following->after_scan(report.map_from_scan);
    }
    complete(report, scan, raw, input);
    scan.cpu_ms = own.elapsed_us() / 1000;
    arrivals.outside_time([&] {
      count(summary, scan, raw, input);
      if (timed.truth) errors.add(*timed.truth, report.map_from_scan);
      observe(scan);
    });
  }
  summary.error = errors.result();
  if (input.following) summary.map = input.following->use();
  return summary;
}

double Arrivals::arrival_s(std::size_t frame) const {
  return *began_s_ + (scans_[frame].stamp_s - scans_[0].stamp_s) / real_time_->speed;
}

std::optional<Arrival> Arrivals::next() {
  if (next_ == scans_.size()) return std::nullopt;
  if (!real_time_) return Arrival{next_++, 0, std::nullopt};
  Clock& clock = *real_time_->clock;
  double now_s = clock.now_s();
  if (!began_s_) began_s_ = now_s;
  if (now_s < arrival_s(next_)) {
    clock.wait_until(arrival_s(next_));
    now_s = std::max(clock.now_s(), arrival_s(next_));  // a clock may wake up too early by a hair
  }
  const std::size_t first = next_;
  while (next_ + 1 < scans_.size() && arrival_s(next_ + 1) <= now_s) ++next_;
  const std::size_t frame = next_++;
  return Arrival{frame, frame - first, now_s - arrival_s(frame)};
}

void Arrivals::outside_time(const std::function<void()>& work) {
  const double before_s = began_s_ ? real_time_->clock->now_s() : 0;
  work();
  if (began_s_) *began_s_ += real_time_->clock->now_s() - before_s;
}

}  // namespace ndt::harness
