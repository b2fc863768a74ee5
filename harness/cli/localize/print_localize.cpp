#include "cli/localize/print_localize.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/metrics.hpp"
#include "base/terminal.hpp"

namespace ndt::harness {
namespace {

/// Fixes that contradict the scans most of the time are not where the map is.
std::string gnss_line(const LocalizeSummary& summary) {
  const std::size_t beside = summary.gnss_beside_m.size();
  if (beside == 0) return "";
  return fmt::format(
      "GNSS             {:.1f} m beside the map in {} of {} scans (median), and not used there: check its "
      "origin, "
      "projection and clock, and --init\n",
      median(summary.gnss_beside_m), beside, summary.frames);
}

std::string left_out_lines(const LeftOutInput& left_out) {
  std::string text;
  if (const std::int64_t points = left_out.no_returns.total(); points > 0)
    text +=
        fmt::format("no returns       {} of {} points ({:.0f} %) in {} scans left out: {}\n", points,
                    left_out.points, 100 * static_cast<double>(points) / static_cast<double>(left_out.points),
                    left_out.scans_with_no_returns, to_text(left_out.no_returns));
  if (left_out.unreadable > 0)
    text += fmt::format("unreadable       {} of the scans, taken for empty; the first: {}\n",
                        left_out.unreadable, left_out.first_unreadable);
  return text;
}

std::string sweep_line(const LocalizeSummary& summary) {
  if (summary.timed == 0) return "";
  std::string text = fmt::format(
      "deskewed         {} of {} scans with times of points; the sensor moved up to {:.2f} m and {:.1f} deg "
      "in "
      "a sweep\n",
      summary.deskewed, summary.timed, summary.most_moved_m, summary.most_turned_rad * 180 / kPi);
  if (!summary.first_sweep_fault.empty())
    text += fmt::format("no sweep         {}\n", summary.first_sweep_fault);
  return text;
}

std::string sensor_line(const char* label, const SensorUse& sensor) {
  if (sensor.used == 0 && sensor.missed.empty()) return "";
  return fmt::format("{:<17}{}\n", label, to_text(sensor));
}

/// The reasons of the scans with a verdict, the most frequent first.
std::string reason_line(localization::Verdict verdict, std::size_t scans,
                        const std::map<localization::Reason, std::size_t>& by) {
  if (scans == 0) return "";
  std::vector<std::pair<localization::Reason, std::size_t>> reasons(by.begin(), by.end());
  std::ranges::stable_sort(reasons, std::greater(), [](const auto& reason) { return reason.second; });
  std::vector<std::string> counts;
  for (const auto& [reason, count] : reasons)
    counts.push_back(fmt::format("{} {}", count, localization::to_string(reason)));
  return fmt::format("{:<17}{}: {}\n", localization::to_string(verdict), scans, fmt::join(counts, ", "));
}

const char* motion_name(const LocalizeSummary& summary) {
  return summary.moved_by == localization::Prediction::imu ? "IMU" : "odometry";
}

std::string weak_axis_line(const std::array<std::size_t, 6>& weak_axes) {
  constexpr std::array kNames{"x", "y", "z", "roll", "pitch", "yaw"};
  std::vector<std::string> counts;
  for (std::size_t axis = 0; axis < kNames.size(); ++axis)
    if (weak_axes[axis] > 0) counts.push_back(fmt::format("{} {}", weak_axes[axis], kNames[axis]));
  if (counts.empty()) return "";
  return fmt::format("weak direction   {} of the degenerate scans\n", fmt::join(counts, ", "));
}

std::string low_score_line(const LocalizeSummary& summary) {
  if (summary.low_though_converged == 0) return "";
  return fmt::format(
      "low score        {} scans rejected although their alignments converged: does the map still look so? "
      "(--least-score)\n",
      summary.low_though_converged);
}

std::string error_lines(const TrajectoryError& e, const TruthFacts& truth) {
  return fmt::format(
      "closed-loop ATE  {:.4f} m RMSE, mean {:.4f} m, max {:.4f} m; rotation {:.4f} deg RMSE, max {:.4f} "
      "deg\n"
      "                 of {} poses, not moved onto the truth ({})\n",
      e.rmse_m, e.mean_m, e.max_m, e.rmse_deg, e.max_deg, e.poses, truth.quality);
}

std::string stage_line(std::string_view stage, const std::vector<double>& ms) {
  if (ms.empty()) return "";
  return fmt::format("  {:<15}{:8.3f} {:8.3f} {:8}\n", stage, median(ms), quantile(ms, 0.99), ms.size());
}

/// The stages in the order in which a scan goes through them.
std::string stage_lines(const LocalizeSummary& summary) {
  std::string text = fmt::format("{:<17}{:>8} {:>8} {:>8}\n", "of that, in ms", "median", "p99", "scans");
  text += stage_line("filter", summary.filter_ms);
  for (const auto stage : all_values<localization::Stage>())
    text += stage_line(localization::to_string(stage), summary.stage_ms[static_cast<std::size_t>(stage)]);
  return text + stage_line("diagnostics", summary.diagnostics_ms);
}

std::string counted(std::size_t scans, std::string_view word, Tone tone) {
  return fmt::format("{} {}", scans, scans > 0 ? toned(word, tone) : std::string(word));
}

std::string map_line(const localization::MapUse& map) {
  return fmt::format(
      "map updates      {}{}, {} tiles read, {} at once at most, read {:.2f} s and built {:.2f} s beside "
      "alignments, waited {} times{}, swap at most {:.1f} us\n",
      map.updates, map.failed > 0 ? fmt::format(" ({} failed)", map.failed) : "", map.tiles_read,
      map.most_tiles, map.read_ms / 1000, map.build_ms / 1000, map.waits,
      map.waits > 0 ? fmt::format(" ({:.0f} ms)", map.waited_ms) : "", map.longest_swap_us);
}

}  // namespace

std::string to_text(const SensorUse& sensor) {
  std::size_t asked = sensor.used;
  std::vector<std::string> misses;
  for (const auto& [miss, scans] : sensor.missed) {
    asked += scans;
    misses.push_back(fmt::format("{} {}", localization::to_string(miss), scans));
  }
  return fmt::format("used for {} of {} scans{}", sensor.used, asked,
                     misses.empty() ? "" : fmt::format(" ({})", fmt::join(misses, ", ")));
}

std::string to_text(const LocalizeSummary& summary, const ScanSequence& sequence) {
  std::string text = fmt::format("scans            {} of {}: {}, {}, {}\n", summary.frames, sequence.name,
                                 counted(summary.ok, "ok", Tone::good),
                                 counted(summary.doubtful, "doubtful", Tone::doubtful),
                                 counted(summary.lost, "lost", Tone::bad));
  text += reason_line(localization::Verdict::doubtful, summary.doubtful, summary.doubtful_by) +
          reason_line(localization::Verdict::lost, summary.lost, summary.lost_by) +
          weak_axis_line(summary.weak_axes) + low_score_line(summary);
  if (summary.dropped > 0)
    text += fmt::format("dropped          {} more, which arrived during processing\n", summary.dropped);
  text += left_out_lines(summary.left_out) + sweep_line(summary);
  if (summary.frozen > 0)
    text += fmt::format(
        "frozen           {} scans have the bytes of those before: is the sensor or its driver "
        "frozen? (--frozen-after)\n",
        summary.frozen);
  text += sensor_line(motion_name(summary), summary.moved) + sensor_line("GNSS", summary.gnss) +
          gnss_line(summary);
  if (summary.searches.scans > 0) text += fmt::format("searches         {}\n", summary.searches.text());
  text += fmt::format("time a scan      {:.2f} ms (median), {:.2f} ms (p99)\n", median(summary.execution_ms),
                      quantile(summary.execution_ms, 0.99));
  text += fmt::format("with the rest    {:.2f} ms (median), {:.2f} ms (p99), with filters and diagnostics\n",
                      median(summary.frame_ms), quantile(summary.frame_ms, 0.99));
  text += stage_lines(summary);
  if (summary.map) text += map_line(*summary.map);
  if (summary.long_run) text += summary.long_run->text();
  if (summary.error) text += error_lines(*summary.error, sequence.truth);
  return text;
}

LocalizeOutputs::LocalizeOutputs(const std::filesystem::path& out, const RunRecord& record,
                                 const ScanSequence& sequence, LocalizeAligners& aligners,
                                 FrameScenes& scenes)
    : out_(out), aligners_(aligners), scenes_(scenes), tracking_(record.align), files_(out) {
  aligners_.with_map([&](const PointCloud& map) {
    if (!aligners_.following()) scenes_.add_map(map);
    write_run_record(out_, record, sequence, map);
  });
}

void LocalizeOutputs::tell_iterations() {
  iterations_.emplace(out_, tracking_, [&](const AlignOptions& level) { return aligners_.another(level); });
}

void LocalizeOutputs::tell_particles() { particles_.emplace(out_); }

void LocalizeOutputs::append(const LocalizedScan& scan) {
  files_.append(scan);
  if (iterations_) {
    if (scan.map_update && scan.map_update->swapped)
      aligners_.with_map([&](const PointCloud& map) { iterations_->set_map(map); });
    iterations_->append(scan);
  }
  if (particles_) particles_->append(scan);
  if (!scenes_.has(scan)) return;
  if (aligners_.following())
    aligners_.with_map([&](const PointCloud& map) { scenes_.add_map_of(scan, map); });
  scenes_.add(scan, aligners_.tracker());
}

void LocalizeOutputs::finish() {
  scenes_.finish();
  if (const localization::FollowingMap* following = aligners_.following())
    write_record_map(out_, following->picture());
}

std::string LocalizeOutputs::names() const {
  std::string names = "poses.tum, poses_kitti.txt, frames.csv, diagnostics.jsonl";
  if (iterations_) names += std::string(", ") + IterationFile::kName;
  if (particles_) names += std::string(", ") + ParticleFile::kName;
  return names;
}

}  // namespace ndt::harness
