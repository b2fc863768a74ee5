#include "cli/common/autoware_params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Method;
using initial_pose::SearchOptions;
using namespace autoware;

/// Every parameter of the node in Autoware's releases 0.38 to 1.9, with the commands that have a use for it.
struct Known {
  std::string_view name, of;
};
constexpr std::string_view kLocalize = "used by localize only";
constexpr std::string_view kMapTopic = "it publishes a ROS topic; ndt-bench map crop writes a part of a map";
constexpr std::array kKnown{
    Known{"frame.base_frame", kLocalize},
    Known{"frame.ndt_base_frame", kLocalize},
    Known{"frame.map_frame", kLocalize},
    Known{"sensor_points.timeout_sec", kLocalize},
    Known{"sensor_points.required_distance", kLocalize},
    Known{"ndt.trans_epsilon", ""},
    Known{"ndt.step_size", ""},
    Known{"ndt.resolution", ""},
    Known{"ndt.max_iterations", ""},
    Known{"ndt.num_threads", ""},
    Known{"ndt.regularization.enable", kLocalize},
    Known{"ndt.regularization.scale_factor", kLocalize},
    Known{"initial_pose_estimation.particles_num", "used by initial-pose and localize only"},
    Known{"initial_pose_estimation.n_startup_trials", "used by initial-pose only"},
    Known{"validation.initial_pose_timeout_sec", kLocalize},
    Known{"validation.initial_pose_distance_tolerance_m", kLocalize},
    Known{"validation.initial_to_result_distance_tolerance_m", kLocalize},
    Known{"validation.critical_upper_bound_exe_time_ms", kLocalize},
    Known{"validation.skipping_publish_num", kLocalize},
    Known{"score_estimation.converged_param_type", kLocalize},
    Known{"score_estimation.converged_param_transform_probability", kLocalize},
    Known{"score_estimation.converged_param_nearest_voxel_transformation_likelihood",
          "used by initial-pose and localize only"},
    Known{"score_estimation.no_ground_points.enable", kLocalize},
    Known{"score_estimation.no_ground_points.z_margin_for_ground_removal", kLocalize},
    Known{"covariance.output_pose_covariance", kLocalize},
    Known{"covariance.covariance_estimation.covariance_estimation_type", kLocalize},
    Known{"covariance.covariance_estimation.initial_pose_offset_model_x", kLocalize},
    Known{"covariance.covariance_estimation.initial_pose_offset_model_y", kLocalize},
    Known{"covariance.covariance_estimation.temperature", kLocalize},
    Known{"covariance.covariance_estimation.scale_factor", kLocalize},
    Known{"dynamic_map_loading.update_distance", kLocalize},
    Known{"dynamic_map_loading.map_radius", "used by align, initial-pose and localize only"},
    Known{"dynamic_map_loading.lidar_radius", kLocalize},
    Known{"dynamic_map_loading.publish_loaded_map", kMapTopic},
    Known{"dynamic_map_loading.save_loaded_map", kMapTopic},  // its name before release 1.9
};

std::string known_name(std::string_view near) {
  std::vector<std::string> names;
  for (const Known& known : kKnown) names.emplace_back(known.name);
  return nearest_name(near, names);
}

}  // namespace

void add_autoware_flag(CLI::App& command, std::optional<std::string>& file) {
  command
      .add_option("--autoware-params", file,
                  "options from Autoware's ndt_scan_matcher.param.yaml; the command line takes precedence")
      ->type_name("FILE");
}

AutowareParams::AutowareParams(const std::string& file)
    : file_(RosParameters::read(file, "ndt_scan_matcher")) {}

void AutowareParams::given(std::string_view name, std::string_view flag) {
  ignored(name, fmt::format("{} is given on the command line", flag));
}

void AutowareParams::tell(std::string_view what, std::string_view name, std::string_view about) {
  if (file_.has(name)) lines_.push_back({what, std::string(name), std::string(about)});
}

void AutowareParams::finish(std::string_view command) {
  for (const std::string& name : file_.names()) {
    if (std::ranges::find(lines_, name, &Line::name) != lines_.end()) continue;
    const auto known = std::ranges::find(kKnown, name, &Known::name);
    const std::string near = known_name(name);
    if (known != kKnown.end())
      ignored(name, known->of.empty() ? fmt::format("unused by {}", command) : std::string(known->of));
    else
      ignored(name, fmt::format("ndt_scan_matcher has no such parameter{}",
                                near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  const auto count = [&](std::string_view what) { return std::ranges::count(lines_, what, &Line::what); };
  std::string text = fmt::format("ndt-bench: {}: {} parameters taken, {} ignored\n", file_.file(),
                                 count("took"), count("ignored"));
  std::ranges::stable_partition(lines_, [](const Line& line) { return line.what == "took"; });
  for (const Line& line : lines_)
    text += line.what == "took"
                ? fmt::format("  took     {} = {}: {}\n", line.name, file_.text(line.name), line.about)
                : fmt::format("  ignored  {}: {}\n", printable(line.name, 100), line.about);
  print_notice(text);
}

namespace {

/// Whether steps are bounded by --step and --epsilon.
bool clamps_steps(const AlignArguments& given) {
  AlignArguments probe;
  probe[&ProfileChoice::profile] = given[&ProfileChoice::profile];
  probe[&AlignOptions::step_control] = given[&AlignOptions::step_control];
  ProfileChoice base;
  probe.apply_to(base);
  AlignOptions options = AlignOptions::of(base.profile);
  probe.apply_to(options);
  return options.step_control == StepControl::clamped;
}

}  // namespace

void take_alignment(AutowareParams& params, AlignArguments& given, bool profile) {
  if (auto& chosen = given[&ProfileChoice::profile]; profile && !chosen) {
    chosen = to_string(Profile::autoware);
    notice("ndt-bench: --autoware-params: the profile is autoware; --profile takes another\n");
  }
  params.take("ndt.resolution", given, &AlignOptions::resolution_m);
  params.take("ndt.max_iterations", given, &AlignOptions::max_iterations);
  if (clamps_steps(given)) {
    params.take("ndt.step_size", given, &AlignOptions::step_m);
    params.take("ndt.trans_epsilon", given, &AlignOptions::epsilon_m);
  } else {
    for (const char* name : {"ndt.step_size", "ndt.trans_epsilon"})
      params.ignored(name,
                     "step-control trust_region takes its radii and its end from the levels; --profile "
                     "autoware uses it");
  }
  params.take("ndt.regularization.scale_factor", given, &AlignOptions::regularisation_scale);
  // As in Autoware, 0 is one thread; here it would be one per core.
  if (auto& threads = given[&AlignOptions::threads]; !threads) {
    const auto found = params.file().whole("ndt.num_threads", -1000000, Limits::kThreads);
    if (found) threads = static_cast<int>(std::max<std::int64_t>(*found, 1));
    params.took("ndt.num_threads", "--threads, for implementations on the CPU");
  } else {
    params.given("ndt.num_threads", "--threads");
  }
}

void take_regularisation(AutowareParams& params, const AlignArguments& given) {
  const auto enabled = params.file().flag(kEnable);
  if (!enabled) return;
  if (given[&ScanOptions::regularisation_x_m])
    params.given(kEnable, "--reg-x");
  else if (*enabled)
    params.ignored(kEnable, "requires a place to pull to; give --reg-x and --reg-y");
  else
    params.took(kEnable, "off unless --reg-x and --reg-y are given");
}

void take_map_radius(AutowareParams& params, MapArguments& map) {
  const auto radius = params.file().number(kRadius, Bounds::above(0, 1e6));
  if (!radius) return;
  if (!map.radius.empty()) return params.given(kRadius, "--map-radius");
  map.usual_m = *radius;
  params.took(kRadius, "--map-radius, for tiled maps with metadata");
}

void take_search(AutowareParams& params, SearchArguments& given, const SearchArguments& with_method) {
  const auto& method = with_method[&SearchOptions::method];
  params.take(kNvtl, given, &SearchOptions::reliable_nvtl);
  params.take(kParticles, given, &SearchOptions::particles);
  if (method && *method != to_string(Method::tpe))
    return params.ignored(kStartup, fmt::format("unused by --method {}, which guides no particle", *method));
  const auto startup = params.file().whole(kStartup, 1, static_cast<std::int64_t>(Limits::kBatch));
  const int particles = given[&SearchOptions::particles].value_or(SearchOptions{}.particles);
  if (startup && !given[&SearchOptions::startup] && *startup > particles)
    return params.ignored(kStartup,
                          fmt::format("there are {} particles; all of them are start-up", particles));
  params.take(kStartup, given, &SearchOptions::startup);
}

}  // namespace ndt::harness
