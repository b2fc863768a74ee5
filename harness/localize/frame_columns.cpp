#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "base/metrics.hpp"
#include "localize/records.hpp"

namespace ndt::harness {
namespace {

using localization::ScanReport;

constexpr double kDegrees = 180 / kPi;

/// In quotes, because a file may have commas in its name.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// Names and cells side by side. Every row has the same names.
class Row {
 public:
  template <class T>
  void add(std::string name, const T& value) {
    names_.push_back(std::move(name));
    if constexpr (NamedEnum<T>)
      cells_.emplace_back(to_string(value));
    else if constexpr (requires { to_string(value); })
      cells_.emplace_back(to_string(value));
    else
      cells_.push_back(fmt::format("{}", value));
  }
  template <class T>
  void add(std::string name, const std::optional<T>& value) {
    if (value)
      add(std::move(name), *value);
    else
      add(std::move(name), "");
  }
  void add_ms(std::string name, const std::optional<double>& ms) {
    add(std::move(name), ms ? fmt::format("{:.4f}", *ms) : "");
  }

  std::string names() const { return fmt::format("{}", fmt::join(names_, ",")); }
  std::string cells() const { return fmt::format("{}", fmt::join(cells_, ",")); }

 private:
  std::vector<std::string> names_, cells_;
};

/// f(*value), or nothing.
template <class T, class F>
auto of(const std::optional<T>& value, F&& f) -> std::optional<std::decay_t<decltype(f(*value))>> {
  if (!value) return std::nullopt;
  return f(*value);
}

void put_pose(Row& row, const ScanReport& report) {
  constexpr const char* kNames[] = {"x_m", "y_m", "z_m", "roll_rad", "pitch_rad", "yaw_rad"};
  const Pose pose = principal(derivative_pose(report.map_from_scan));
  for (int i = 0; i < 6; ++i) row.add(kNames[i], coordinate(pose, i));
  row.add("predicted_by", report.prediction.by);
  const localization::Deskew& deskew = report.deskew;
  const auto swept = [&](auto value) { return deskew.timed() ? std::optional(value) : std::nullopt; };
  row.add("sweep_s", swept(deskew.sweep_s));
  row.add("sweep_moved_m", deskew.done ? std::optional(deskew.moved_m) : std::nullopt);
  row.add("sweep_turned_deg", deskew.done ? std::optional(deskew.turned_rad * kDegrees) : std::nullopt);
  row.add("sweep_again", swept(deskew.again));
}

void put_detectors(Row& row, const ScanReport& report) {
  // A peer from outside gives no scores.
  const auto aligned = report.aligned && !std::isnan(report.aligned->nvtl) ? report.aligned : std::nullopt;
  const auto result = [&](const char* name, auto member) {
    row.add(name, of(aligned, [&](const AlignResult& r) { return r.*member; }));
  };
  const auto counted = [&](int AlignResult::*member) -> std::optional<int> {
    if (!report.aligned || (*report.aligned).*member == kNotCounted) return std::nullopt;
    return (*report.aligned).*member;
  };
  const auto conditioning = [&](const char* name, auto member) {
    row.add(name, of(aligned, [&](const AlignResult& r) { return r.conditioning.*member; }));
  };
  const auto finish = [&](const char* name, auto member) {
    row.add(name,
            of(aligned ? aligned->finish : std::nullopt, [&](const FinishStep& f) { return f.*member; }));
  };
  const auto score = [&](const char* name, const std::optional<Score>& from, auto member) {
    row.add(name, of(from, [&](const Score& s) { return s.*member; }));
  };
  const auto spread = [&](auto member, double unit) -> std::optional<double> {
    if (!report.spread || !report.spread->known) return std::nullopt;
    return unit * (*report.spread).*member;
  };
  row.add("stop", of(report.aligned, [](const AlignResult& r) { return r.stop; }));
  row.add("iterations", counted(&AlignResult::iterations));
  row.add("oscillations", counted(&AlignResult::oscillation_count));
  result("nvtl", &AlignResult::nvtl);
  result("transform_probability", &AlignResult::transform_probability);
  score("nvtl_before", report.before, &Score::nvtl);
  score("transform_probability_before", report.before, &Score::transform_probability);
  row.add("moved_m", of(aligned, [&](const AlignResult&) { return report.moved_m; }));
  conditioning("condition_number", &Conditioning::condition_number);
  conditioning("surface_condition_number", &Conditioning::surface_condition_number);
  conditioning("push_sigmas", &Conditioning::push_sigmas);
  finish("finish_step_m", &FinishStep::step_m);
  finish("finish_score", &FinishStep::score);
  row.add("spread_m", spread(&localization::Spread::distance_m, 1));
  row.add("spread_deg", spread(&localization::Spread::rotation_rad, kDegrees));
  row.add("seen_through", of(report.sight, [](const auto& sight) { return sight.seen_through; }));
  row.add("unmapped", of(report.sight, [](const auto& sight) { return sight.unmapped; }));
  score("no_ground_nvtl", report.no_ground, &Score::nvtl);
  score("no_ground_transform_probability", report.no_ground, &Score::transform_probability);
}

void put_search(Row& row, const ScanReport& report) {
  const auto& recovery = report.recovery;
  row.add("search_attempt", of(recovery, [](const auto& r) { return r.attempt; }));
  row.add("search_found", of(recovery, [](const auto& r) { return r.found; }));
  row.add("search_nvtl", of(recovery, [](const auto& r) { return r.nvtl; }));
}

void put_covariance(Row& row, const ScanReport& report) {
  const auto entry = [&](const char* name, int i, int j) {
    row.add(name, of(report.covariance, [&](const Mat6& c) { return c(i, j); }));
  };
  row.add("covariance_by", of(report.covariance, [&](const Mat6&) { return report.covariance_by; }));
  entry("variance_x_m2", 0, 0);
  entry("covariance_xy_m2", 0, 1);
  entry("variance_y_m2", 1, 1);
  entry("variance_z_m2", 2, 2);
  entry("variance_roll_rad2", 3, 3);
  entry("variance_pitch_rad2", 4, 4);
  entry("variance_yaw_rad2", 5, 5);
}

void put_times(Row& row, const LocalizedScan& scan) {
  row.add_ms("filter_ms", scan.times.filter_ms);
  for (std::size_t stage = 0; stage < kStages; ++stage)
    row.add_ms(fmt::format("{}_ms", to_string(static_cast<localization::Stage>(stage))),
               scan.times.stage_ms[stage]);
  row.add_ms("execution_ms", scan.execution_ms);
  row.add_ms("diagnostics_ms", scan.times.diagnostics_ms);
  row.add_ms("frame_ms", frame_ms(scan));
}

void put_map(Row& row, const LocalizedScan& scan) {
  const auto& update = scan.map_update;
  row.add("map_tiles", scan.map_tiles);
  row.add("map_swap_us",
          update && update->swapped ? std::optional(fmt::format("{:.3f}", update->swap_us)) : std::nullopt);
  row.add_ms("map_waited_ms", of(update, [](const localization::MapUpdate& u) { return u.waited_ms; }));
}

void put_errors(Row& row, const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  const std::optional<Transform>& truth = scan.scan->truth;
  const auto against = [&](const char* name, auto&& error) { row.add(name, of(truth, error)); };
  const auto off = of(truth, [&](const Transform& t) { return pose_difference(t, report.map_from_scan); });
  row.add("error_m", of(off, [](const PoseDifference& d) { return d.translation_m; }));
  row.add("error_deg", of(off, [](const PoseDifference& d) { return d.rotation_deg; }));
  constexpr const char *kInMap[] = {"error_x_m", "error_y_m", "error_z_m"},
                       *kOfVehicle[] = {"error_along_m", "error_across_m", "error_up_m"};
  for (int i = 0; i < 3; ++i)
    against(kInMap[i], [&](const Transform& t) { return report.map_from_scan(i, 3) - t(i, 3); });
  const auto here = of(truth, [&](const Transform& t) { return inverse(t) * report.map_from_scan; });
  for (int i = 0; i < 3; ++i) row.add(kOfVehicle[i], of(here, [&](const Transform& t) { return t(i, 3); }));
  row.add("error_yaw_deg",
          of(here, [](const Transform& t) { return kDegrees * principal(derivative_pose(t)).yaw; }));
  std::optional<PoseDifference> aligned;
  if (truth && report.aligned) aligned = pose_difference(*truth, report.aligned->map_from_scan);
  row.add("aligned_error_m", of(aligned, [](const PoseDifference& d) { return d.translation_m; }));
  row.add("aligned_error_deg", of(aligned, [](const PoseDifference& d) { return d.rotation_deg; }));
}

Row row_of(const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  Row row;
  row.add("frame", scan.frame);
  row.add("scan", quoted(scan.scan->name));
  row.add("stamp_s", report.stamp_s);
  row.add("verdict", report.verdict);
  row.add("reason", report.reason);
  row.add("source", report.source);
  put_pose(row, report);
  put_detectors(row, report);
  row.add("rejected", report.rejected);
  put_search(row, report);
  put_covariance(row, report);
  put_times(row, scan);
  put_map(row, scan);
  put_errors(row, scan);
  return row;
}

}  // namespace

std::string frames_heading() {
  const TimedScan scan;
  const ScanReport report;
  return row_of({.scan = &scan, .report = &report}).names();
}

std::string frames_row(const LocalizedScan& scan) { return row_of(scan).cells(); }

}  // namespace ndt::harness
