#include "cli/align_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/numbers.hpp"
#include "cli/option_flags.hpp"
#include "io/cloud_file.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kGroup = "Registration (default: the profile's value)";

}  // namespace

void add_align_flags(CLI::App& command, AlignArguments& a) {
  add_flags(command, a, kGroup, Defaults::hidden, [](const auto& option) { return option.in_variants; });
}

void add_threads_flag(CLI::App& command, AlignArguments& a) {
  add_flags(command, a, kGroup, Defaults::hidden, [](const auto& option) { return !option.in_variants; });
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

const Implementation& implementation_from(const std::string& name) {
  const Implementation& entry = choose_implementation(name);
  if (name == kAuto) fmt::print(stderr, "ndt-bench: auto took {} ({})\n", entry.name, entry.runs_on);
  return entry;
}

}  // namespace ndt::harness
