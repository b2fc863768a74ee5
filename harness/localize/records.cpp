#include "localize/records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/errors.hpp"
#include "base/metrics.hpp"
#include "io/trajectory.hpp"
#include "localize/diagnostics_json.hpp"
#include "localize/run_record.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using localization::ScanReport;

/// In quotes, because a file may have commas in its name.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

template <class T>
std::string text(const T& value) {
  return fmt::format("{}", value);
}

constexpr const char *kTum = "poses.tum", *kKitti = "poses_kitti.txt", *kFrames = "frames.csv",
                     *kDiagnostics = "diagnostics.jsonl";

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(fs::symlink_status(file, error));
}

InputError cannot_replace(const fs::path& file, const std::string& why) {
  return refusal(printable_name(file.native()), "", why + "; nothing was written",
                 "give another --out, or move the file away");
}

/// Other programs name files so, too: only those of a localisation are replaced.
void require_replaceable(const fs::path& folder) {
  const bool ours = is_there(folder / kDiagnostics) && !is_there(folder / "dataset.toml");
  std::vector<const char*> names{kTum, kKitti, kFrames, kDiagnostics};
  names.insert(names.end(), kRecordFiles.begin(), kRecordFiles.end());
  for (const char* name : names) {
    const fs::path file = folder / name;
    if (!is_there(file)) continue;
    if (!ours)
      throw cannot_replace(file,
                           std::string("it exists, and its folder is ") +
                               (is_there(folder / kDiagnostics) ? "a dataset" : "not of a localisation"));
    std::error_code error;
    if (fs::symlink_status(file, error).type() == fs::file_type::directory)
      throw cannot_replace(file, "it is a folder");
  }
}

fs::path made(const fs::path& folder) {
  require_replaceable(folder);
  make_folder(folder);
  return folder;
}

std::vector<std::string> alignment_cells(const ScanReport& report) {
  if (!report.aligned) return std::vector<std::string>(5);
  const AlignResult& result = *report.aligned;
  return {std::string(to_string(result.stop)), text(result.iterations), text(result.nvtl),
          text(result.transform_probability), text(report.moved_m)};
}

std::vector<std::string> covariance_cells(const ScanReport& report) {
  if (!report.covariance) return std::vector<std::string>(3);
  const Mat6& c = *report.covariance;
  return {text(c(0, 0)), text(c(0, 1)), text(c(1, 1))};
}

std::vector<std::string> error_cells(const LocalizedScan& scan) {
  if (!scan.scan->truth) return std::vector<std::string>(2);
  const PoseDifference error = pose_difference(*scan.scan->truth, scan.report->map_from_scan);
  return {text(error.translation_m), text(error.rotation_deg)};
}

}  // namespace

std::string frames_heading() {
  return "frame,scan,stamp_s,verdict,reason,source,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad,predicted_by,stop,"
         "iterations,nvtl,transform_probability,moved_m,rejected,variance_x_m2,covariance_xy_m2,variance_y_"
         "m2,"
         "execution_ms,error_m,error_deg";
}

std::string frames_row(const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  const Pose pose = principal(derivative_pose(report.map_from_scan));
  std::vector<std::string> cells{text(scan.frame), quoted(scan.scan->name), text(report.stamp_s)};
  const auto add = [&](const std::vector<std::string>& more) {
    cells.insert(cells.end(), more.begin(), more.end());
  };
  add({std::string(to_string(report.verdict)), std::string(to_string(report.reason)),
       std::string(to_string(report.source))});
  for (int i = 0; i < 6; ++i) cells.push_back(text(coordinate(pose, i)));
  cells.emplace_back(to_string(report.prediction.by));
  add(alignment_cells(report));
  cells.push_back(text(report.rejected));
  add(covariance_cells(report));
  cells.push_back(fmt::format("{:.3f}", scan.execution_ms));
  add(error_cells(scan));
  return fmt::format("{}", fmt::join(cells, ","));
}

LocalizationFiles::LocalizationFiles(const fs::path& folder)
    : tum_(made(folder) / kTum),
      kitti_(folder / kKitti),
      frames_(folder / kFrames),
      diagnostics_(folder / kDiagnostics) {
  tum_.append(fmt::format("{}\n", kTumHeading));
  frames_.append(frames_heading() + "\n");
}

void LocalizationFiles::append(const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  tum_.append(tum_line({report.stamp_s, report.map_from_scan}) + "\n");
  kitti_.append(kitti_line(report.map_from_scan) + "\n");
  frames_.append(frames_row(scan) + "\n");
  diagnostics_.append(diagnostics_json(scan).dump() + "\n");
}

}  // namespace ndt::harness
