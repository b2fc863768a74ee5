// The scans of a localisation with their times: a dataset's, or a folder of files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "data/dataset.hpp"
#include "io/time_unit.hpp"
#include "ndt/io/clouds.hpp"

namespace ndt::harness {

struct TimedScan {
  std::string name;
  double stamp_s = 0;
  std::optional<Transform> truth;
};

/// Clouds are read when asked for.
struct ScanSequence {
  std::string name;
  std::vector<TimedScan> scans;
  std::function<PointCloud(std::size_t index)> scan;
  ScanPreparation preparation;          ///< that the dataset asks for and `scan` does not do
  std::function<PointCloud()> map;      ///< empty for a folder
  std::optional<double> resolution_m;   ///< that the dataset is meant for
  std::optional<Transform> near_start;  ///< a guess of the first scan's pose, if something is known of it
  std::vector<StampedTransform> odometry, gnss;    ///< the dataset's own, or none
  std::vector<localization::StampedImu> imu;       ///< as these
  std::vector<localization::StampedTwist> twists;  ///< as these
  TruthFacts truth;
  std::vector<std::string> notes;  ///< lines that a person should read: on times and the order of files
  std::size_t laps = 1;            ///< how often `scans` has all of them, one lap after the other
};

/// The first scan that can be read. Throws InputError as the first one does if none can.
PointCloud first_readable(const ScanSequence& sequence);

/// Every n-th of the scans, from the first on.
ScanSequence thinned(ScanSequence all, std::size_t every);

/// The scans so many times in a row, at times that go on: a lap begins 10 s after the end of the one before.
/// Other sensors' data stay those of the first lap, whose times the localizer has in every lap.
ScanSequence repeated(ScanSequence once, std::size_t laps);

/// The source of times if neither a file nor the dataset has them.
struct StampSource {
  std::optional<std::filesystem::path> file;  ///< one number a line, seconds, as KITTI's times.txt
  std::optional<double> rate_hz;              ///< nothing: 10
  std::optional<TimeUnit> unit;               ///< of the times in the file; nothing: told by their steps
};

/// Takes a folder without a dataset.toml as a folder of clouds, in the natural order of their names
/// (io/natural_order.hpp). Takes anything else as a dataset's name or path. Times in ms, us or ns become
/// seconds. Throws InputError for a folder without clouds, a file name that cannot be printed, and a dataset
/// without one common map. Throws it also for times that do not increase or are not one per scan. Throws
/// UsageError for an unknown name, a ROS bag or another file, and for a rate if the scans have times.
/// `fields` is for a folder with scans in .bin; a dataset has its own. `map_given`: there is a map, so a
/// dataset needs none. The dataset's truth is then of another world, and unused.
ScanSequence open_sequence(const std::string& scans, const StampSource& stamps,
                           const ReportProgress& report = {}, BinFields fields = {}, bool map_given = false);

}  // namespace ndt::harness
