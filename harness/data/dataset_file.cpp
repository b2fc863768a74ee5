
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "data/preparation.hpp"
#include "data/sources.hpp"
#include "io/rate_file.hpp"
#include "io/scan_file.hpp"
#include "io/toml_fields.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/inside_folder.hpp"
#include "ndt/io/natural_order.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
constexpr double kDegree = kPi / 180;
constexpr std::int64_t kWholeMost = std::int64_t{1} << 53;

constexpr const char* kGuessKinds[] = {"noise", "odometry", "identity"};

/// How a frame's guesses are made.
struct GuessRule {
  std::string kind = "identity";
  std::uint64_t seed = 1;
  int count = 1;
  GuessNoise noise;
  std::vector<Transform> odometry;  ///< of all scans, in a world of its own
};

std::string required_name(TomlTable& toml) {
  std::string name = toml.required_text("name");
  const bool plain = !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!plain)
    toml.refuse("name", fmt::format("'{}'", printable(name)), "use a-z, 0-9 and _, at most 64 of them");
  return name;
}

/// Refuses names and links that lead out of the folder.
fs::path inside(const fs::path& folder, const std::string& name, TomlTable& toml, std::string_view key) {
  if (!stays_inside(folder, name))
    toml.refuse(key, fmt::format("'{}' is outside the dataset's folder", printable(name)),
                "give the name of a file in the folder; a link out of it is not followed");
  return folder / name;
}

/// Returns the files that match a name with at most one * in its last part, sorted by name.
std::vector<fs::path> matches(const fs::path& folder, const std::string& name, TomlTable& toml) {
  const fs::path pattern = inside(folder, name, toml, "scans");
  const std::string last = pattern.filename().string();
  const auto star = last.find('*');
  if (star == std::string::npos) return {pattern};
  const std::string head = last.substr(0, star), tail = last.substr(star + 1);
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(pattern.parent_path(), error)) {
    const std::string file = entry.path().filename().string();
    if (file.size() >= head.size() + tail.size() && file.starts_with(head) && file.ends_with(tail))
      found.push_back(inside(folder, (fs::path(name).parent_path() / file).string(), toml, "scans"));
  }
  if (found.empty())
    toml.refuse("scans", fmt::format("no file {}", printable_name(pattern.string())),
                error ? "make the folder readable: " + error.message() : "fix the pattern or fetch the data");
  return found;
}

/// Files of one value a scan, written in the order that the scans had then.
bool has_rows_of_scans(TomlTable& toml) {
  if (toml.table("truth") || toml.table("times")) return true;
  auto guess = toml.table("guess");
  return guess && guess->text("file").has_value();
}

/// The order of the names of a pattern. Without one given, rows of the scans keep the order of letters, which
/// they always had; where that differs from the order of numbers it is noted.
NameOrder order_of(TomlTable& toml, const std::vector<fs::path>& found, std::vector<std::string>& notes) {
  if (const auto given = toml.text("order"))
    return toml.required_choice("order", {"number", "name"}) == "name" ? NameOrder::name : NameOrder::number;
  const auto [by_letter, by_number] = first_difference(found);
  if (by_letter.empty() || !has_rows_of_scans(toml)) return NameOrder::number;
  notes.push_back(fmt::format(
      "the rows of truth, times and odometry are given to the scans in the order of letters, '{}' before "
      "'{}'; if they were written by number, set order = \"number\" in dataset.toml, else order = \"name\"",
      by_letter, by_number));
  return NameOrder::name;
}

std::vector<fs::path> scan_files(TomlTable& toml, const fs::path& folder, std::vector<std::string>& notes) {
  std::vector<fs::path> files;
  for (const std::string& name : toml.texts("scans").value_or(std::vector<std::string>{})) {
    std::vector<fs::path> found = matches(folder, name, toml);
    sort_by_name(found, order_of(toml, found, notes));
    for (fs::path& file : found) files.push_back(std::move(file));
  }
  if (files.empty())
    toml.refuse("scans", "lists no scans", "give an array of file names, one * allowed in each");
  return files;
}

/// Poses, and their times where the format has them.
struct ReadPoses {
  std::vector<Transform> poses;
  std::vector<double> times_s;
};

ReadPoses read_poses(const fs::path& file, const std::string& format) {
  if (format == "matrix") return {{read_matrix(file)}, {}};
  if (format == "kitti") return {read_kitti_poses(file), {}};
  ReadPoses read;
  for (const StampedTransform& pose : read_tum(file)) {
    read.poses.push_back(pose.map_from_body);
    read.times_s.push_back(pose.time_s);
  }
  return read;
}

/// The file of another sensor, which a localisation may use; nothing if there is none.
std::optional<fs::path> sensor_file(TomlTable& root, std::string_view sensor, const fs::path& folder) {
  auto toml = root.table(sensor);
  if (!toml) return std::nullopt;
  const fs::path file = inside(folder, toml->required_text("file"), *toml, "file");
  toml->finish();
  return file;
}

void read_sensors(TomlTable& root, const fs::path& folder, Dataset& dataset) {
  if (const auto file = sensor_file(root, "odometry", folder)) dataset.odometry = read_tum(*file);
  if (const auto file = sensor_file(root, "gnss", folder)) dataset.gnss = read_fixes(*file);
  if (const auto file = sensor_file(root, "twist", folder)) dataset.twists = read_twists(*file);
  if (const auto file = sensor_file(root, "imu", folder)) {
    ImuFile imu = read_imu(*file);
    dataset.imu = std::move(imu.samples);
    if (!imu.note.empty()) dataset.notes.push_back(std::move(imu.note));
  }
}

/// The times of the scans: the truth's, or else those of a file of their own; nothing if there are none.
std::vector<double> read_scan_times(TomlTable& root, const fs::path& folder, std::size_t scans,
                                    std::vector<double> of_truth) {
  auto toml = root.table("times");
  if (!toml) return of_truth;
  const fs::path file = inside(folder, toml->required_text("file"), *toml, "file");
  toml->finish();
  if (!of_truth.empty()) toml->refuse("file", "the truth has times already", "drop [times]");
  std::vector<double> times_s = read_times(file);
  if (times_s.size() != scans)
    toml->refuse("file", fmt::format("{} times for {} scans", times_s.size(), scans),
                 "give one time for every scan");
  return times_s;
}

/// Reads the truth of every scan, or returns nothing.
ReadPoses read_truth(TomlTable& root, const fs::path& folder, std::size_t scans, TruthFacts& facts) {
  if (auto success = root.table("success")) {
    facts.success_translation_m =
        success->number("translation_m", 1e-6, 1e6).value_or(facts.success_translation_m);
    facts.success_rotation_deg =
        success->number("rotation_deg", 1e-6, 180).value_or(facts.success_rotation_deg);
    success->finish();
  }
  auto toml = root.table("truth");
  if (!toml) return {};
  const fs::path file = inside(folder, toml->required_text("file"), *toml, "file");
  const std::string format = toml->required_choice("format", {"tum", "kitti", "matrix"});
  facts.quality = toml->required_text("quality");
  facts.exact = toml->flag("exact").value_or(false);
  facts.accuracy_m = toml->number("accuracy_m", 0, 1e6).value_or(0);
  toml->finish();
  ReadPoses read = read_poses(file, format);
  if (read.poses.size() != scans)
    toml->refuse("file", fmt::format("{} poses for {} scans", read.poses.size(), scans),
                 "give one pose for every scan");
  return read;
}

GuessRule read_guess_rule(TomlTable& root, const fs::path& folder, std::size_t scans, bool truth) {
  GuessRule rule;
  auto toml = root.table("guess");
  if (!toml) {
    if (truth) rule.kind = "noise";
    rule.noise = {0.3, 0.05, 0.5 * kDegree, 2 * kDegree};
    return rule;
  }
  rule.kind = toml->required_choice("kind", {std::begin(kGuessKinds), std::end(kGuessKinds)});
  rule.seed = static_cast<std::uint64_t>(toml->whole("seed", 0, kWholeMost).value_or(1));
  rule.count = static_cast<int>(toml->whole("count", 1, 10000).value_or(1));
  rule.noise.xy_m = toml->number("xy_sigma_m", 0, 1000).value_or(0.3);
  rule.noise.z_m = toml->number("z_sigma_m", 0, 1000).value_or(0.05);
  rule.noise.roll_pitch_rad = toml->number("roll_pitch_sigma_deg", 0, 180).value_or(0.5) * kDegree;
  rule.noise.yaw_rad = toml->number("yaw_sigma_deg", 0, 180).value_or(2) * kDegree;
  if (rule.kind == "noise" && !truth)
    toml->refuse("kind", "noise needs a [truth]", "choose identity or odometry");
  const auto file = toml->text("file");
  if (rule.kind == "odometry") {
    if (!file) toml->refuse("file", "is missing", "name the TUM file of the odometry");
    rule.odometry = read_poses(inside(folder, *file, *toml, "file"), "tum").poses;
    if (rule.odometry.size() != scans)
      toml->refuse("file", fmt::format("{} poses for {} scans", rule.odometry.size(), scans),
                   "give one pose for every scan");
  }
  toml->finish();
  return rule;
}

/// Returns the indices of the scans that are aligned.
std::vector<std::size_t> chosen_scans(TomlTable& root, std::size_t scans, std::size_t earliest) {
  std::int64_t first = static_cast<std::int64_t>(earliest), step = 1, count = kWholeMost;
  const auto most = static_cast<std::int64_t>(scans) - 1;
  if (auto toml = root.table("frames")) {
    first = toml->whole("first", static_cast<std::int64_t>(earliest), most).value_or(first);
    step = toml->whole("step", 1, kWholeMost).value_or(1);
    count = toml->whole("count", 1, kWholeMost).value_or(count);
    toml->finish();
  }
  std::vector<std::size_t> chosen;
  for (std::int64_t i = first; i <= most && count-- > 0; i += std::min(step, most + 1))
    chosen.push_back(static_cast<std::size_t>(i));
  if (chosen.empty()) root.refuse("scans", "leave nothing to align", "a sequence needs two scans or more");
  return chosen;
}

/// Reads and filters; the file name joins a message about the filters.
PointCloud prepared(const fs::path& file, BinFields fields, const ScanPreparation& preparation) {
  return prepare(read_cloud(file, nullptr, fields), preparation).cloud;
}

class Builder {
 public:
  Builder(const fs::path& description, const fs::path& folder)
      : toml_(TomlTable::read(description)), folder_(folder) {}

  Dataset build() {
    if (const auto format = toml_.whole("format", 1, 1); !format)
      toml_.refuse("format", "is missing", "add format = 1");
    dataset_.name = required_name(toml_);
    dataset_.description = toml_.required_text("description");
    dataset_.kind = toml_.required_choice("kind", {"scan_to_map", "sequence", "pair"});
    toml_.text("root");
    dataset_.resolution_m = toml_.number("resolution_m", Limits::kResolutionLeastM, Limits::kResolutionMostM)
                                .value_or(dataset_.resolution_m);
    files_ = scan_files(toml_, folder_, dataset_.notes);
    if (dataset_.kind == "pair" && files_.size() != 1)
      toml_.refuse("scans", fmt::format("lists {} files", files_.size()), "a pair has one scan, and a map");
    read_clouds();
    ReadPoses truth = read_truth(toml_, folder_, files_.size(), dataset_.truth);
    truth_ = std::move(truth.poses);
    times_s_ = read_scan_times(toml_, folder_, files_.size(), std::move(truth.times_s));
    read_sensors(toml_, folder_, dataset_);
    rule_ = read_guess_rule(toml_, folder_, files_.size(), !truth_.empty());
    make_frames();
    if (sequence()) dataset_.recording = recording();
    read_provenance();
    toml_.table("checksums");  // read by those who fetch and verify the files
    toml_.table("download");
    toml_.table("originals");
    toml_.finish();
    return std::move(dataset_);
  }

 private:
  bool sequence() const { return dataset_.kind == "sequence"; }

  void read_clouds() {
    ScanPreparation scan, map;
    if (auto preparation = toml_.table("preparation")) {
      if (auto keys = preparation->table("scan")) scan = read_preparation(*keys, "scan");
      if (auto keys = preparation->table("map")) map = read_preparation(*keys, "map");
      preparation->finish();
    }
    dataset_.preparation = describe_preparation(scan, map);
    dataset_.one_map = !sequence();
    fs::path target;
    if (sequence()) {
      if (toml_.text("map"))
        toml_.refuse("map", "given for a sequence", "drop it, or choose the kind scan_to_map");
    } else {
      target = inside(folder_, toml_.required_text("map"), toml_, "map");
    }
    chosen_ = chosen_scans(toml_, files_.size(), sequence() ? 1 : 0);
    dataset_.scan_preparation = scan;
    dataset_.map_preparation = map;
    dataset_.raw_density = toml_.text("scan_density").value_or(dataset_.raw_density);
    BinFields fields;
    if (const auto given = toml_.whole("bin_fields", kBinFieldsLeast, kBinFieldsMost))
      fields = static_cast<int>(*given);
    bin_fields_ = fields;
    dataset_.raw_scan = [files = files_, chosen = chosen_, fields](std::size_t frame) {
      return read_scan(files.at(chosen.at(frame)), fields);
    };
    dataset_.scan = [raw = dataset_.raw_scan, scan](std::size_t frame) {
      return prepare(raw(frame), scan).cloud;
    };
    dataset_.map = [files = files_, chosen = chosen_, target, map, fields](std::size_t frame) {
      return prepared(target.empty() ? files.at(chosen.at(frame) - 1) : target, fields, map);
    };
  }

  Recording recording() const {
    Recording all;
    for (const fs::path& file : files_) all.names.push_back(file.stem().string());
    all.times_s = times_s_;
    all.raw_scan = [files = files_, fields = bin_fields_](std::size_t scan) {
      return read_scan(files.at(scan), fields);
    };
    return all;
  }

  /// map_from_scan by `poses`; the map of a sequence is the scan before.
  std::optional<Transform> relative(const std::vector<Transform>& poses, std::size_t scan) const {
    if (poses.empty()) return std::nullopt;
    return sequence() ? inverse(poses[scan - 1]) * poses[scan] : poses[scan];
  }

  /// Returns the guess of a rule other than noise.
  Transform first_guess(std::size_t scan) const {
    if (rule_.kind != "odometry") return {};
    if (sequence() || truth_.empty()) return *relative(rule_.odometry, scan);
    if (scan == 0) return truth_[0];
    return truth_[scan - 1] * (inverse(rule_.odometry[scan - 1]) * rule_.odometry[scan]);
  }

  void make_frames() {
    for (const std::size_t scan : chosen_) {
      Frame frame{.name = files_[scan].stem().string(), .truth = relative(truth_, scan), .guesses = {}};
      if (!times_s_.empty()) frame.stamp_s = times_s_[scan];
      if (printable(frame.name, 100) != frame.name)
        toml_.refuse("scans", fmt::format("'{}' cannot name a frame", printable(frame.name)),
                     "rename the file");
      for (int k = 0; k < rule_.count; ++k) {
        const std::uint64_t draw =
            scan * static_cast<std::uint64_t>(rule_.count) + static_cast<std::uint64_t>(k);
        frame.guesses.push_back(
            {fmt::format("guess{}", k), rule_.kind == "noise"
                                            ? noisy_guess(*frame.truth, rule_.noise, rule_.seed, draw)
                                            : first_guess(scan)});
        if (rule_.kind != "noise") break;  // they would all be the same
      }
      if (!names_.insert(frame.name).second)
        toml_.refuse("scans", fmt::format("two files are called '{}'", frame.name),
                     "rename one, measurements are told apart by it");
      dataset_.frames.push_back(std::move(frame));
    }
  }

  void read_provenance() {
    auto toml = toml_.table("provenance");
    if (!toml) return;
    dataset_.licence = toml->text("licence").value_or("");
    dataset_.source = toml->text("source").value_or("");
    toml->text("obtain");
    toml->finish();
  }

  TomlTable toml_;
  fs::path folder_;
  Dataset dataset_;
  std::vector<fs::path> files_;      ///< all scans
  std::vector<std::size_t> chosen_;  ///< those aligned
  std::vector<Transform> truth_;     ///< of all scans, or none
  std::vector<double> times_s_;      ///< of all scans, or none
  BinFields bin_fields_;
  GuessRule rule_;
  std::set<std::string> names_;  ///< of frames
};

}  // namespace

Dataset read_dataset(const fs::path& description, const fs::path& folder) {
  return Builder(description, folder).build();
}

DatasetHead read_dataset_head(const fs::path& description) {
  TomlTable toml = TomlTable::read(description);
  DatasetHead head{required_name(toml), toml.required_text("description"), ""};
  head.root = toml.text("root").value_or(head.name);
  return head;
}

}  // namespace ndt::harness
