#include "cli/common/flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/option_flags.hpp"
#include "ndt/align/option.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/numbers.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kGroup = "Registration (default: the profile's value)";

}  // namespace

void add_align_flags(CLI::App& command, AlignArguments& a) {
  add_flags(command, a, kGroup, Defaults::hidden, [](const auto& option) { return option.in_variants; });
}

void add_voxel_flags(CLI::App& command, AlignArguments& a) {
  constexpr std::string_view kOfVoxels[] = {"profile", "resolution", "levels", "min-points", "neighbours"};
  add_flags(command, a, kGroup, Defaults::hidden, [&](const auto& option) {
    return std::ranges::find(kOfVoxels, option.name) != std::end(kOfVoxels);
  });
}

void add_threads_flag(CLI::App& command, AlignArguments& a) {
  add_flags(command, a, kGroup, Defaults::hidden, [](const auto& option) { return !option.in_variants; });
}

void add_scan_flag(CLI::App& command, std::string& file) {
  command.add_option("--scan", file, "cloud to register (" + cloud_extensions() + ")")
      ->type_name("FILE")
      ->required();
}

void add_pose_flag(CLI::App& command, const std::string& name, PoseArgument& pose,
                   const std::string& without) {
  CLI::Option* own =
      command
          .add_option(
              name, pose.words,
              fmt::format("map_from_scan: x,y,z,roll,pitch,yaw in metres and radians, R = Rx(roll) "
                          "Ry(pitch) Rz(yaw); or 16 numbers of a row-major 4x4; separated by commas or "
                          "blanks ({})",
                          without))
          ->type_name("POSE")
          ->expected(1, 16);
  command
      .add_option(name + "-ros", pose.ros,
                  fmt::format("{} as ROS writes it: x,y,z,qx,qy,qz,qw; or x,y,z,roll,pitch,yaw with R = "
                              "Rz(yaw) Ry(pitch) Rx(roll)",
                              name))
      ->type_name("POSE")
      ->expected(1, 7)
      ->excludes(own);
}

Transform pose_from(const PoseArgument& given, const std::string& name) {
  if (given.empty()) return {};
  const bool ros = !given.ros.empty();
  const std::string text = fmt::format("{}", fmt::join(ros ? given.ros : given.words, " ")),
                    option = ros ? name + "-ros" : name;
  const Transform pose = ros ? parse_ros_pose(text, option) : parse_transform(text, option);
  warn_of_degrees(parse_numbers(text, option), option);
  return pose;
}

void notice_missing(const PoseArgument& guess) {
  if (guess.empty())
    notice("ndt-bench: no --guess: the scan is taken to be at the map's origin (identity)\n");
}

void add_implementation_flag(CLI::App& command, std::string& name) {
  command
      .add_option("--implementation", name,
                  "implementation of ndt-bench list, or auto = the fastest that can run here (default)")
      ->type_name("NAME");
}

void require_implementation(const std::string& name) {
  if (name != kAuto) choose_implementation(name);
}

const Implementation& implementation_from(const std::string& name) {
  const Implementation& entry = choose_implementation(name);
  if (name == kAuto) notice("ndt-bench: auto took {} ({})\n", entry.name, entry.runs_on);
  return entry;
}

namespace {

constexpr const char* kFilterGroup = "Filters, in the order they act (default: clouds are used as they are)";
constexpr const char* kLeafAbout = "one point per occupied cube of this edge: its centroid, 0.001 to 1000";

template <class T>
CLI::Option& add(CLI::App& command, const char* name, T& target, const char* about, const char* type) {
  return *command.add_option(name, target, about)->type_name(type)->group(kFilterGroup);
}

}  // namespace

std::optional<CropBox> box_from(const std::vector<std::string>& words, std::string_view option) {
  if (words.empty()) return {};
  const std::vector<double> v = parse_numbers(fmt::format("{}", fmt::join(words, " ")), option);
  if (v.size() != 6)
    throw UsageError(fmt::format("{}: {} numbers; give 6 (x0,y0,z0,x1,y1,z1 in metres)", option, v.size()));
  return CropBox{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

void add_scan_preparation_flags(CLI::App& command, PreparationArguments& a) {
  add(command, "--scan-min-range", a.scan.min_range_m, "drop scan points nearer to the sensor, 0 to 1e6",
      "M");
  add(command, "--scan-max-range", a.scan.max_range_m,
      "drop scan points farther from the sensor, above 0 to 1e6", "M");
  add(command, "--scan-crop-box", a.crop_box, "drop scan points outside: x0,y0,z0,x1,y1,z1 in metres", "BOX")
      .expected(1, 6);
  add(command, "--scan-remove-box", a.remove_box,
      "drop scan points inside, e.g. the vehicle: x0,y0,z0,x1,y1,z1", "BOX")
      .expected(1, 6);
  add(command, "--scan-voxel-leaf", a.scan.voxel_leaf_m, kLeafAbout, "M");
  add(command, "--scan-sample", a.scan.sample_points, "points of the scan to draw at random, order kept",
      "N");
  add(command, "--scan-seed", a.seed, "seed of --scan-sample (default 1)", "K");
}

void add_map_preparation_flags(CLI::App& command, PreparationArguments& a) {
  add(command, "--map-voxel-leaf", a.map.voxel_leaf_m, kLeafAbout, "M");
}

ScanPreparation scan_preparation(const PreparationArguments& a) {
  ScanPreparation preparation = a.scan;
  preparation.crop_box = box_from(a.crop_box, "--scan-crop-box");
  preparation.remove_box = box_from(a.remove_box, "--scan-remove-box");
  if (a.seed && !a.scan.sample_points) throw UsageError("--scan-seed needs --scan-sample");
  if (a.seed) {
    require_whole("scan-seed", *a.seed, 0, std::numeric_limits<std::int64_t>::max());
    preparation.sample_seed = static_cast<std::uint64_t>(*a.seed);
  }
  validate(preparation, "scan");
  return preparation;
}

ScanPreparation map_preparation(const PreparationArguments& a) {
  validate(a.map, "map");
  return a.map;
}

}  // namespace ndt::harness
