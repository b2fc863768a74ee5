#include "cli/align_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/transform_text.hpp"
#include "io/cloud_file.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kGroup = "Registration (default: the profile's value)";

template <class T>
void add(CLI::App& command, const char* name, T& target, const std::string& about, const char* type) {
  command.add_option(name, target, about)->type_name(type)->group(kGroup);
}

}  // namespace

void add_align_flags(CLI::App& command, AlignArguments& a) {
  const auto choices = [](const std::string& names) { return ": " + names; };
  add(command, "--profile", a.profile, "base of the options below" + choices(profile_names()), "NAME");
  add(command, "--resolution", a.resolution_m, "voxel edge and neighbour radius, 0.001 to 1000", "M");
  add(command, "--step", a.step_m, "longest step, above 0 to 100", "M");
  add(command, "--epsilon", a.epsilon_m, "stop when a step is shorter, above 0 to 10", "M");
  add(command, "--max-iterations", a.max_iterations, "1 to 1000", "N");
  add(command, "--outlier-ratio", a.outlier_ratio, "share of outliers, between 0 and 1", "SHARE");
  add(command, "--neighbours", a.neighbours, "voxels a point is scored against" + choices(neighbours_names()), "NAME");
  add(command, "--line-search", a.line_search, "how a step's length is chosen" + choices(line_search_names()), "NAME");
  add(command, "--candidates", a.candidates, "step ratios of the batched line search" + choices(candidate_set_names()),
      "NAME");
  add(command, "--covariance-start", a.covariance_start,
      "start of a voxel's second moments" + choices(covariance_start_names()), "NAME");
  add(command, "--reg-scale", a.regularisation_scale, "weight of the pull towards --reg-x, --reg-y, 0 to 1000",
      "WEIGHT");
  add(command, "--reg-x", a.regularisation_x_m, "x of the regularisation target in the map; none without", "M");
  add(command, "--reg-y", a.regularisation_y_m, "y of the regularisation target in the map; none without", "M");
}

void add_threads_flag(CLI::App& command, AlignArguments& a) {
  add(command, "--threads", a.threads, "CPU workers, 0 (default) = one per core", "N");
}

void add_map_flag(CLI::App& command, std::string& file) {
  command.add_option("--map", file, "cloud to register onto (" + cloud_extensions() + ")")
      ->type_name("FILE")
      ->required();
}

void add_scan_flag(CLI::App& command, std::string& file) {
  command.add_option("--scan", file, "cloud to register (" + cloud_extensions() + ")")->type_name("FILE")->required();
}

void add_pose_flag(CLI::App& command, const char* name, std::vector<std::string>& words, bool required) {
  std::string about =
      "map_from_scan: x,y,z,roll,pitch,yaw in metres and radians, R = Rx(roll) Ry(pitch) Rz(yaw); or 16 numbers of a "
      "row-major 4x4; separated by commas or blanks";
  if (!required) about += " (default: identity)";
  command.add_option(name, words, about)->type_name("POSE")->expected(1, 16)->required(required);
}

Transform pose_from(const std::vector<std::string>& words, std::string_view option) {
  if (words.empty()) return {};
  return parse_transform(fmt::format("{}", fmt::join(words, " ")), option);
}

void add_implementation_flag(CLI::App& command, std::string& name) {
  command.add_option("--implementation", name, "row of ndt-bench list, or auto = the fastest available (default)")
      ->type_name("NAME");
}

const AlignerEntry& implementation_from(const std::string& name) {
  const AlignerEntry& entry = choose_aligner(name);
  if (name == kAuto) fmt::print(stderr, "ndt-bench: auto took {} ({})\n", entry.name, entry.runs_on);
  return entry;
}

}  // namespace ndt::harness
