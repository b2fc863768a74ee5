#include "cli/localize/localize_recording.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "cli/common/interruptible.hpp"
#include "io/rate_file.hpp"
#include "localize/sensor_times.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/numbers.hpp"

namespace ndt::harness {

using localization::Prediction;

namespace {

constexpr std::size_t kMostLaps = 10000, kMostEvery = 1000000;
constexpr const char* kNone = "none";

/// Measurements in seconds, at times of the scans.
template <class Stamped>
std::vector<Stamped> in_time_of(const ScanSequence& sequence, const std::string& file,
                                std::vector<Stamped> measured) {
  const std::string note = to_seconds(measured, printable_name(file));
  if (!note.empty()) notice("ndt-bench: {}\n", note);
  const double first_s = sequence.scans.front().stamp_s, last_s = sequence.scans.back().stamp_s;
  const double begin_s = time_of(measured.front()), end_s = time_of(measured.back());
  if (end_s < first_s || begin_s > last_s)
    throw refusal(printable_name(file), "",
                  fmt::format("its times, {} to {} s, do not overlap those of the scans, {} to {} s", begin_s,
                              end_s, first_s, last_s),
                  "give both on one clock; --stamps sets the times of the scans");
  return measured;
}

/// The sensor's data as they were given, or the dataset's own.
template <class Stamped, class Read>
std::vector<Stamped> given_or_own(const ScanSequence& sequence, const std::string& file,
                                  const std::vector<Stamped>& own, Read&& read) {
  if (file == kNone) return {};
  return file.empty() ? own : in_time_of(sequence, file, read(file));
}

/// Turns measurements of an IMU into the axes of the scanner.
void turn(std::vector<localization::StampedImu>& imu, const Transform& imu_from_scan) {
  const Mat3<double> scan_from_imu = transpose(rotation_of(imu_from_scan));
  for (auto& sample : imu) {
    sample.angular_velocity = scan_from_imu * sample.angular_velocity;
    sample.acceleration = scan_from_imu * sample.acceleration;
  }
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
                  "TUM file: poses of the scanner from another sensor, in its own frame; none: ignore the "
                  "dataset's")
      ->type_name("FILE|none");
  command
      .add_option(
          "--imu", a.imu,
          "angular velocities and accelerations: lines of time_s wx wy wz ax ay az in rad/s and m/s2, as "
          "EuRoC's imu0; none: ignore the dataset's")
      ->type_name("FILE|none");
  command
      .add_option("--imu-from-scan", a.imu_from_scan,
                  "pose of the scanner in the axes of --imu: x,y,z,roll,pitch,yaw (default: the same axes)")
      ->type_name("POSE");
  command
      .add_option("--twist", a.twist,
                  "velocities of the scanner in its own frame: lines of time_s vx vy vz wx wy wz in m/s and "
                  "rad/s; none: ignore the dataset's")
      ->type_name("FILE|none");
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
  for (const auto& [flag, file] :
       {std::pair("--odometry", &a.odometry), {"--imu", &a.imu}, {"--twist", &a.twist}, {"--gnss", &a.gnss}})
    if (a.laps > 1 && !file->empty() && *file != kNone)
      throw UsageError(fmt::format(
          "--laps = {}: cannot be used with {}, whose times cover one lap; remove one", a.laps, flag));
  if (!a.stamp_unit.empty() && a.stamps.empty()) throw UsageError("--stamp-unit requires --stamps");
  if (a.rate_hz && !a.stamps.empty())
    throw UsageError("--rate and --stamps exclude each other: both set the times of the scans; remove one");
}

ScanSequence opened(const RecordingArguments& a, const MapArguments& map, const ReportProgress& report) {
  StampSource stamps{.file = std::nullopt, .rate_hz = a.rate_hz, .unit = std::nullopt};
  if (!a.stamp_unit.empty()) stamps.unit = named<TimeUnit>("--stamp-unit", a.stamp_unit);
  if (!a.stamps.empty()) stamps.file = a.stamps;
  const auto open = [&] {
    ScanSequence opened = open_sequence(a.scans, stamps, report, map.bin_fields, !map.path.empty());
    Interruption::check();
    return opened;
  };
  ScanSequence sequence = interruptible(open, [] { return kNoPartKept; });
  if (sequence.map && map.path.empty() && map.bin_fields)
    throw UsageError(
        "--bin-fields is invalid for a dataset's own clouds: bin_fields in its dataset.toml gives the "
        "number");
  for (const std::string& note : sequence.notes) notice("ndt-bench: {}\n", note);
  if (a.every > 1) sequence = thinned(std::move(sequence), a.every);
  if (a.laps > 1) return repeated(std::move(sequence), a.laps);
  return sequence;
}

void take_sensors(const RecordingArguments& a, const ScanSequence& sequence, LocalizeInput& input) {
  input.odometry = given_or_own(sequence, a.odometry, sequence.odometry,
                                [](const std::string& file) { return read_tum(file); });
  input.twists = given_or_own(sequence, a.twist, sequence.twists,
                              [](const std::string& file) { return read_twists(file); });
  input.imu = given_or_own(sequence, a.imu, sequence.imu, [](const std::string& file) {
    ImuFile imu = read_imu(file);
    if (!imu.note.empty()) notice("ndt-bench: {}\n", imu.note);
    return std::move(imu.samples);
  });
  if (!a.imu_from_scan.empty() && input.imu.empty())
    throw UsageError("--imu-from-scan requires an IMU; give --imu FILE, or remove it");
  if (!a.imu_from_scan.empty()) turn(input.imu, parse_transform(a.imu_from_scan, "--imu-from-scan"));
}

void check_sensors(const RecordingArguments& a, Prediction prediction) {
  const auto refuse = [&](const char* flag, const std::string& file, Prediction by) {
    if (!file.empty() && file != kNone && prediction != by)
      throw UsageError(fmt::format("{} requires --prediction {}, not {}; remove one of the two", flag,
                                   localization::to_string(by), localization::to_string(prediction)));
  };
  refuse("--odometry", a.odometry, Prediction::odometry);
  refuse("--imu", a.imu, Prediction::imu);
}

Prediction best_prediction(const RecordingArguments& a, const LocalizeInput& input) {
  const bool imu_given = !a.imu.empty() && !input.imu.empty() && a.odometry.empty();
  if (!input.odometry.empty() && !imu_given) return Prediction::odometry;
  if (!input.imu.empty()) return Prediction::imu;
  return input.twists.empty() ? Prediction::constant_velocity : Prediction::odometry;
}

void require_sensor(Prediction prediction, const LocalizeInput& input) {
  if (prediction == Prediction::odometry && input.odometry.empty() && input.twists.empty())
    throw UsageError("--prediction odometry: the scans have no odometry; give --odometry or --twist");
  if (prediction == Prediction::imu && input.imu.empty())
    throw UsageError("--prediction imu: the scans have no IMU; give --imu");
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
