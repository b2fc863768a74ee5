// The recording that a localisation goes through: scans with their times, and the data of other sensors.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/localize/localize_aligners.hpp"
#include "localize/localize_run.hpp"
#include "localize/scan_sequence.hpp"
#include "ndt/align/implementation.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::harness {

/// As they were typed.
struct RecordingArguments {
  std::string scans, stamps, stamp_unit, odometry, imu, imu_from_scan, twist, gnss;
  std::optional<double> rate_hz;
  std::size_t laps = 1, every = 1;
};

/// With the flags of the map, which the help lists among them.
void add_recording_flags(CLI::App& command, RecordingArguments& a, LocalizeMapArguments& map);
/// Throws UsageError for what is out of range or would not be used.
void check(const RecordingArguments& a);

/// Opens the scans as open_sequence does, all laps of them, and says its notes on stderr.
ScanSequence opened(const RecordingArguments& a, const MapArguments& map, const ReportProgress& report);

/// Reads the files of odometry, IMU and twists, or takes the dataset's own where none is given; nothing for
/// "none". Throws InputError for a file that cannot be used, and for times that are not those of the scans.
void take_sensors(const RecordingArguments& a, const ScanSequence& sequence, LocalizeInput& input);

/// Throws UsageError for a file that the prediction, which was asked for, would not use.
void check_sensors(const RecordingArguments& a, localization::Prediction prediction);
/// The best that the sensors allow. Odometry has an IMU in it as a rule.
localization::Prediction best_prediction(const RecordingArguments& a, const LocalizeInput& input);
/// Throws UsageError for a prediction whose sensor is missing.
void require_sensor(localization::Prediction prediction, const LocalizeInput& input);

/// GNSS, as take_sensors takes others. Where the implementation cannot be pulled, throws UsageError for
/// a file, and leaves out a dataset's own, which a notice says.
std::vector<StampedTransform> gnss_for(const ScanSequence& sequence, const std::string& file,
                                       const Implementation& entry);

}  // namespace ndt::harness
