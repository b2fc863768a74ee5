// --autoware-params: options from the parameter file of Autoware's node ndt_scan_matcher. What was taken,
// what was not, and why is told on stderr.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/map_flags.hpp"
#include "io/ros_parameters.hpp"
#include "registry/align_arguments.hpp"
#include "registry/search_arguments.hpp"

namespace ndt::harness {

// Names of parameters that several options come from.
namespace autoware {
inline constexpr std::string_view
    kEnable = "ndt.regularization.enable",
    kRadius = "dynamic_map_loading.map_radius", kParticles = "initial_pose_estimation.particles_num",
    kStartup = "initial_pose_estimation.n_startup_trials",
    kNvtl = "score_estimation.converged_param_nearest_voxel_transformation_likelihood";
}  // namespace autoware

void add_autoware_flag(CLI::App& command, std::optional<std::string>& file);

/// The file, and what became of each of its parameters. Options that were given on the command line stay.
/// Throws InputError as RosParameters does.
class AutowareParams {
 public:
  explicit AutowareParams(const std::string& file);

  const RosParameters& file() const { return file_; }

  /// Sets the option with this member. The value's bounds are the option's.
  template <const auto&... kTables, class Struct, class Value>
  void take(std::string_view name, Given<kTables...>& given, Value Struct::*member);
  /// Does the same for a name that the file writes as a number from 0.
  template <const auto&... kTables, class Struct, class Value>
  void take(std::string_view name, Given<kTables...>& given, Value Struct::*member,
            std::span<const std::string_view> choices);

  void took(std::string_view name, std::string_view as) { tell("took", name, as); }
  void given(std::string_view name, std::string_view flag);
  void ignored(std::string_view name, std::string_view why) { tell("ignored", name, why); }
  /// Parameters that nothing was told of are ignored: those of the node because of `command`, others because
  /// they are none of its.
  void finish(std::string_view command);

 private:
  template <class Value>
  std::optional<Value> read(std::string_view name, const Bounds& bounds) const;
  /// Tells nothing of a parameter that the file does not have.
  void tell(std::string_view what, std::string_view name, std::string_view about);

  struct Line {
    std::string_view what;
    std::string name, about;
  };
  RosParameters file_;
  std::vector<Line> lines_;
};

/// Registration and threads. Without --profile the profile is `autoware`, the one that steps and epsilon are
/// of, unless presets choose it (`profile` is false).
void take_alignment(AutowareParams& params, AlignArguments& given, bool profile = true);
/// A pull needs --reg-x and --reg-y.
void take_regularisation(AutowareParams& params, const AlignArguments& given);
/// The radius of a map in tiles.
void take_map_radius(AutowareParams& params, MapArguments& map);
void take_search(AutowareParams& params, SearchArguments& given, const SearchArguments& with_method);

// ---- implementation

template <class Value>
std::optional<Value> AutowareParams::read(std::string_view name, const Bounds& bounds) const {
  if constexpr (std::is_integral_v<Value>) {
    const auto whole =
        file_.whole(name, static_cast<std::int64_t>(bounds.low), static_cast<std::int64_t>(bounds.high));
    return whole ? std::optional(static_cast<Value>(*whole)) : std::nullopt;
  } else {
    return file_.number(name, bounds);
  }
}

template <const auto&... kTables, class Struct, class Value>
void AutowareParams::take(std::string_view name, Given<kTables...>& given, Value Struct::*member) {
  given.for_each([&]<class Owner, class Other>(const Option<Owner, Other>& option, auto& value) {
    if constexpr (std::is_same_v<Other Owner::*, Value Struct::*>) {
      if (option.member != member || !file_.has(name)) return;
      const std::string flag = "--" + std::string(option.name);
      const auto found = read<typename std::remove_cvref_t<decltype(value)>::value_type>(name, option.bounds);
      if (value) return this->given(name, flag);
      value = found;
      took(name, flag);
    }
  });
}

template <const auto&... kTables, class Struct, class Value>
void AutowareParams::take(std::string_view name, Given<kTables...>& given, Value Struct::*member,
                          std::span<const std::string_view> choices) {
  given.for_each([&]<class Owner, class Other>(const Option<Owner, Other>& option, auto& value) {
    if constexpr (std::is_same_v<Other Owner::*, Value Struct::*>) {
      if (option.member != member) return;
      const auto choice = file_.whole(name, 0, static_cast<std::int64_t>(choices.size()) - 1);
      if (!choice) return;
      const std::string flag = "--" + std::string(option.name);
      if (value) return this->given(name, flag);
      value = std::string(choices[static_cast<std::size_t>(*choice)]);
      took(name, flag + " " + *value);
    }
  });
}

}  // namespace ndt::harness
