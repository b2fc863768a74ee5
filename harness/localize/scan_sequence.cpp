#include "localize/scan_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/errors.hpp"
#include "data/load_dataset.hpp"
#include "io/scan_file.hpp"
#include "localize/sensor_times.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/natural_order.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualRateHz = 10;

/// The names of frames are printed, and written into CSV and JSON.
std::string frame_name(const fs::path& file) {
  std::string name = file.stem().string();
  if (printable(name, 100) != name)
    throw refusal(printable_name(file.parent_path().native()), "",
                  fmt::format("'{}' cannot name a frame", printable(name)), "rename the file");
  return name;
}

std::vector<fs::path> clouds_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  files = clouds_among(std::move(files));
  if (files.empty())
    throw refusal(printable_name(folder.native()), "",
                  fmt::format("contains no cloud ({})", cloud_extensions()),
                  error ? "make the folder readable: " + error.message() : "give the folder of the scans");
  sort_by_name(files);
  return files;
}

bool is_bag_file(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".bag" || ending == ".mcap" || ending == ".db3";
}

bool is_bag(const fs::path& scans) {
  std::error_code error;
  if (!fs::is_directory(scans, error)) return is_bag_file(scans) && fs::is_regular_file(scans, error);
  if (fs::exists(scans / "dataset.toml", error)) return false;
  if (fs::exists(scans / "metadata.yaml", error)) return true;
  bool parts = false, clouds = false;
  for (const auto& entry : fs::directory_iterator(scans, error)) {
    parts = parts || is_bag_file(entry.path());
    clouds = clouds || is_written_cloud(entry.path());
  }
  return parts && !clouds;
}

bool is_compressed_bag(const fs::path& file) {
  const std::string ending = file.extension().string();
  return (ending == ".zstd" || ending == ".zst" || ending == ".gz" || ending == ".bz2" || ending == ".lz4") &&
         is_bag_file(file.stem());
}

/// A Python package reads them, which ./run calls first.
void refuse_bag(const fs::path& scans) {
  if (is_bag(scans))
    throw UsageError(fmt::format(
        "--scans: {} is a ROS bag; give the same arguments to ./run localize, which reads bags, or "
        "make a dataset of it with ./run convert",
        printable_name(scans.native())));
}

/// Says what an existing file is that cannot be loaded as a dataset.
void refuse_other_file(const fs::path& scans) {
  std::error_code error;
  if (!fs::exists(scans, error) || fs::is_directory(scans, error) || scans.extension() == ".toml") return;
  const std::string name = printable_name(scans.native());
  if (is_compressed_bag(scans))
    throw UsageError(fmt::format(
        "--scans: {} is a compressed ROS bag; give the same arguments to ./run localize, which reads bags, "
        "or unpack it (.zstd: zstd -d)",
        name));
  throw UsageError(
      fmt::format("--scans: {} is {}, not a folder of clouds, a ROS bag or a dataset; give one "
                  "of these",
                  name, is_cloud(scans) ? "one cloud" : "a file"));
}

Dataset load_scans(const std::string& scans, const ReportProgress& report) {
  std::error_code error;
  const bool local = fs::is_directory(scans, error) && scans.find('/') == std::string::npos;
  if (is_dataset_path(scans)) refuse_other_file(scans);
  try {
    return load_dataset(local ? "./" + scans : scans, report);
  } catch (const UsageError&) {  // no dataset has the name
    refuse_other_file(scans);
    throw;
  }
}

ScanSequence of_folder(const fs::path& folder, BinFields fields) {
  const std::vector<fs::path> files = clouds_in(folder);
  ScanSequence sequence;
  sequence.name = printable_name(folder.native());
  for (const fs::path& file : files) sequence.scans.push_back({.name = frame_name(file), .truth = {}});
  sequence.scan = [files, fields](std::size_t index) { return read_scan(files.at(index), fields); };
  return sequence;
}

void require_one_map(const Dataset& dataset) {
  if (dataset.kind == "scan_to_map" && dataset.one_map) return;
  throw InputError(fmt::format("dataset {}: scans of kind {} have no common map; give a map with --map",
                               dataset.name, dataset.kind));
}

/// The frame's first guess. Without a truth the identity is none: it stands where nothing is known.
std::optional<Transform> near_start_of(const Frame& first) {
  if (first.guesses.empty()) return std::nullopt;
  const Transform& guess = first.guesses[0].map_from_scan;
  const bool identity = translation_error_m({}, guess) == 0 && rotation_error_rad({}, guess) == 0;
  if (identity && !first.truth) return std::nullopt;
  return guess;
}

/// Times in seconds; a line says so if they were not.
template <class Stamped>
void note_seconds(ScanSequence& sequence, std::vector<Stamped>& measurements, const char* what) {
  if (measurements.empty()) return;
  std::string note = to_seconds(measurements, fmt::format("{} of {}", what, sequence.name));
  if (!note.empty()) sequence.notes.push_back(std::move(note));
}

/// The frames of a dataset with its map.
void take_frames(ScanSequence& sequence, const Dataset& dataset) {
  sequence.truth = dataset.truth;
  sequence.near_start = near_start_of(dataset.frames[0]);
  for (const Frame& frame : dataset.frames)
    sequence.scans.push_back({frame.name, frame.stamp_s.value_or(0), frame.truth});
  sequence.map = [map = dataset.map] { return map(0); };
  sequence.scan = dataset.raw_scan ? dataset.raw_scan : dataset.scan;
}

/// All scans of a dataset without a map.
void take_recording(ScanSequence& sequence, const Recording& recording) {
  for (std::size_t k = 0; k < recording.names.size(); ++k)
    sequence.scans.push_back({recording.names[k], recording.times_s.empty() ? 0 : recording.times_s[k], {}});
  sequence.scan = recording.raw_scan;
}

ScanSequence of_dataset(Dataset dataset, bool map_given) {
  const bool in_another_map = map_given && dataset.recording;
  if (!in_another_map) require_one_map(dataset);
  ScanSequence sequence;
  sequence.name = dataset.name;
  sequence.resolution_m = dataset.resolution_m;
  in_another_map ? take_recording(sequence, *dataset.recording) : take_frames(sequence, dataset);
  if (dataset.raw_scan) sequence.preparation = dataset.scan_preparation;
  sequence.odometry = std::move(dataset.odometry);
  sequence.gnss = std::move(dataset.gnss);
  sequence.notes = std::move(dataset.notes);
  sequence.imu = std::move(dataset.imu);
  sequence.twists = std::move(dataset.twists);
  note_seconds(sequence, sequence.odometry, "odometry");
  note_seconds(sequence, sequence.gnss, "GNSS");
  note_seconds(sequence, sequence.imu, "IMU");
  note_seconds(sequence, sequence.twists, "twists");
  return sequence;
}

void scans_to_seconds(ScanSequence& sequence) {
  std::vector<double> times;
  for (const TimedScan& scan : sequence.scans) times.push_back(scan.stamp_s);
  TimesInSeconds seconds = in_seconds(std::move(times), "scans of " + sequence.name, NoUnit::keep);
  if (seconds.note.empty()) return;
  for (std::size_t k = 0; k < times.size(); ++k) sequence.scans[k].stamp_s = seconds.times_s[k];
  sequence.notes.push_back(std::move(seconds.note));
}

/// Files that are numbered without zeros may have been written in another order than their times.
void note_order(ScanSequence& sequence, const fs::path& folder, const fs::path& stamps) {
  const auto [by_letter, by_number] = first_difference(clouds_in(folder));
  if (by_letter.empty()) return;
  sequence.notes.push_back(
      fmt::format("the times of {} are assigned to the scans in numerical order: '{}' before '{}', unlike "
                  "alphabetical order",
                  printable_name(stamps.native()), by_number, by_letter));
}

void set_stamps(ScanSequence& sequence, TimesInSeconds given, const fs::path& file) {
  const std::vector<double>& stamps = given.times_s;
  if (!given.note.empty()) sequence.notes.push_back(std::move(given.note));
  if (stamps.size() != sequence.scans.size())
    throw refusal(printable_name(file.native()), "",
                  fmt::format("{} times for {} scans", stamps.size(), sequence.scans.size()),
                  "give one time for every scan, in seconds, one a line");
  for (std::size_t i = 0; i < stamps.size(); ++i) sequence.scans[i].stamp_s = stamps[i];
}

}  // namespace

PointCloud first_readable(const ScanSequence& sequence) {
  std::exception_ptr first;
  for (std::size_t k = 0; k < sequence.scans.size() / sequence.laps; ++k) try {
      return sequence.scan(k);
    } catch (const InputError&) {
      if (!first) first = std::current_exception();
    }
  std::rethrow_exception(first);
}

ScanSequence thinned(ScanSequence all, std::size_t every) {
  std::vector<TimedScan> taken;
  for (std::size_t k = 0; k < all.scans.size(); k += every) taken.push_back(std::move(all.scans[k]));
  all.scans = std::move(taken);
  all.scan = [scan = std::move(all.scan), every](std::size_t k) { return scan(k * every); };
  return all;
}

ScanSequence repeated(ScanSequence once, std::size_t laps) {
  constexpr double kApart_s = 10;
  const std::vector<TimedScan> scans = once.scans;
  const double lap_s = scans.back().stamp_s - scans.front().stamp_s + kApart_s;
  for (std::size_t lap = 1; lap < laps; ++lap)
    for (TimedScan scan : scans) {
      scan.stamp_s += static_cast<double>(lap) * lap_s;
      once.scans.push_back(std::move(scan));
    }
  once.scan = [scan = std::move(once.scan), n = scans.size()](std::size_t k) { return scan(k % n); };
  once.laps = laps;
  return once;
}

ScanSequence open_sequence(const std::string& scans, const StampSource& stamps, const ReportProgress& report,
                           BinFields fields, bool map_given) {
  refuse_bag(scans);
  std::error_code error;
  const bool folder = fs::is_directory(scans, error) && !fs::exists(fs::path(scans) / "dataset.toml", error);
  bool has_stamps = false;
  ScanSequence sequence;
  if (folder) {
    sequence = of_folder(scans, fields);
  } else {
    Dataset dataset = load_scans(scans, report);
    has_stamps = std::ranges::all_of(dataset.frames, [](const Frame& f) { return f.stamp_s.has_value(); });
    sequence = of_dataset(std::move(dataset), map_given);
  }
  if (has_stamps && stamps.rate_hz)
    throw UsageError(fmt::format("--rate is unused: the scans of {} have times; remove it", sequence.name));
  if (stamps.file) {
    set_stamps(sequence,
               in_seconds(read_times(*stamps.file), printable_name(stamps.file->native()), NoUnit::refuse,
                          stamps.unit),
               *stamps.file);
    if (folder) note_order(sequence, scans, *stamps.file);
  } else if (has_stamps) {
    scans_to_seconds(sequence);
  } else {
    const double rate_hz = stamps.rate_hz.value_or(kUsualRateHz);
    for (std::size_t i = 0; i < sequence.scans.size(); ++i)
      sequence.scans[i].stamp_s = static_cast<double>(i) / rate_hz;
    sequence.notes.push_back(fmt::format(
        "the scans have no times; they are taken to be {:g} a second (--rate, --stamps)", rate_hz));
  }
  return sequence;
}

}  // namespace ndt::harness
