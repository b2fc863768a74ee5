#include "cli/localize/localize_recording.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/interruption.hpp"
#include "base/standard_streams.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::harness {
namespace {

constexpr std::size_t kMostLaps = 10000, kMostEvery = 1000000;
constexpr const char* kNone = "none";

/// Poses in seconds. The sensor is asked for poses at the times of the scans.
std::vector<StampedTransform> in_time_of(const ScanSequence& sequence, const std::string& file,
                                         std::vector<StampedTransform> poses) {
  std::vector<double> times;
  for (const StampedTransform& pose : poses) times.push_back(pose.time_s);
  const TimesInSeconds seconds = in_seconds(std::move(times), printable_name(file), NoUnit::keep);
  if (!seconds.note.empty()) notice("ndt-bench: {}\n", seconds.note);
  for (std::size_t k = 0; k < poses.size(); ++k) poses[k].time_s = seconds.times_s[k];
  const double first_s = sequence.scans.front().stamp_s, last_s = sequence.scans.back().stamp_s;
  if (poses.back().time_s < first_s || poses.front().time_s > last_s)
    throw refusal(printable_name(file), "",
                  fmt::format("its times, {} to {} s, do not overlap those of the scans, {} to {} s",
                              poses.front().time_s, poses.back().time_s, first_s, last_s),
                  "give both on one clock; --stamps sets the times of the scans");
  return poses;
}

}  // namespace

void add_recording_flags(CLI::App& command, RecordingArguments& a, LocalizeMapArguments& map) {
  command
      .add_option("--scans", a.scans,
                  "folder of clouds, in the order of their names or numbers; or a dataset's name or folder")
      ->type_name("DIR|DATASET")
      ->required();
  add_localize_map_flags(command, map);
  command
      .add_option("--stamps", a.stamps, "times of the scans, seconds, one a line, such as KITTI's times.txt")
      ->type_name("FILE");
  command
      .add_option(
          "--stamp-unit", a.stamp_unit,
          "unit of --stamps: s, ms, us or ns (default: chosen so that the median step is 1 ms to 60 s)")
      ->type_name("UNIT");
  command
      .add_option("--laps", a.laps,
                  "go through the recording this many times, each time from its start (default 1)")
      ->type_name("N");
  command.add_option("--rate", a.rate_hz, "scans a second if they have no times (default 10)")
      ->type_name("HZ");
  command.add_option("--every", a.every, "take every N-th scan, from the first on (default 1)")
      ->type_name("N");
  command
      .add_option("--odometry", a.odometry,
                  "TUM file: poses of the scanner from another sensor, in its own frame")
      ->type_name("FILE");
  command
      .add_option("--gnss", a.gnss,
                  "positions of the scanner in the map, which pull along the heading: TUM, or with three "
                  "more columns var_x cov_xy var_y; none: ignore the dataset's")
      ->type_name("FILE|none");
}

void check(const RecordingArguments& a) {
  if (a.rate_hz && !(*a.rate_hz > 0 && *a.rate_hz <= 1e6))
    throw UsageError(fmt::format("--rate = {}: must be above 0 and at most 1e6 scans a second", *a.rate_hz));
  if (a.laps < 1 || a.laps > kMostLaps)
    throw UsageError(fmt::format("--laps = {}: must be in [1, {}]", a.laps, kMostLaps));
  if (a.every < 1 || a.every > kMostEvery)
    throw UsageError(fmt::format("--every = {}: must be in [1, {}]", a.every, kMostEvery));
  if (a.laps > 1 && (!a.odometry.empty() || (!a.gnss.empty() && a.gnss != kNone)))
    throw UsageError(fmt::format(
        "--laps = {}: cannot be used with --odometry or --gnss, whose times cover one lap; remove them",
        a.laps));
  if (!a.stamp_unit.empty() && a.stamps.empty()) throw UsageError("--stamp-unit requires --stamps");
  if (a.rate_hz && !a.stamps.empty())
    throw UsageError("--rate and --stamps exclude each other: both set the times of the scans; remove one");
}

ScanSequence opened(const RecordingArguments& a, const MapArguments& map, const ReportProgress& report) {
  StampSource stamps{.file = std::nullopt, .rate_hz = a.rate_hz, .unit = std::nullopt};
  if (!a.stamp_unit.empty()) stamps.unit = named<TimeUnit>("--stamp-unit", a.stamp_unit);
  if (!a.stamps.empty()) stamps.file = a.stamps;
  const Interruption interruption;  // a dataset that is made on first use is not left in parts by Ctrl-C
  ScanSequence sequence = open_sequence(a.scans, stamps, report, map.bin_fields, !map.path.empty());
  if (sequence.map && map.path.empty() && map.bin_fields)
    throw UsageError(
        "--bin-fields is invalid for a dataset's own clouds: bin_fields in its dataset.toml gives the "
        "number");
  for (const std::string& note : sequence.notes) notice("ndt-bench: {}\n", note);
  if (a.every > 1) sequence = thinned(std::move(sequence), a.every);
  if (a.laps > 1) return repeated(std::move(sequence), a.laps);
  return sequence;
}

std::vector<StampedTransform> odometry_for(const ScanSequence& sequence, const std::string& file) {
  return file.empty() ? sequence.odometry : in_time_of(sequence, file, read_tum(file));
}

std::vector<StampedTransform> gnss_for(const ScanSequence& sequence, const std::string& file,
                                       const Implementation& entry) {
  if (file == kNone || (file.empty() && sequence.gnss.empty())) return {};
  if (entry.regularises) return file.empty() ? sequence.gnss : in_time_of(sequence, file, read_fixes(file));
  if (!file.empty())
    throw UsageError(
        fmt::format("--gnss: {} has no regularisation; drop it, or take another implementation", entry.name));
  notice("ndt-bench: {} has no regularisation: the GNSS of {} is not used\n", entry.name, sequence.name);
  return {};
}

}  // namespace ndt::harness
