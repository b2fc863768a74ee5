#include "cli/autoware_params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Method;
using initial_pose::SearchOptions;
using localization::LocalizerOptions;
using localization::MapFollowing;
using localization::Offset;

/// Every parameter of the node, as it is shipped, with the commands that have a use for it.
struct Known {
  std::string_view name, of;
};
constexpr std::string_view kLocalize = "it is for localize";
constexpr std::string_view kFrames = "ROS frames: clouds and poses here are in the map's and the sensor's";
constexpr std::array kKnown{
    Known{"frame.base_frame", kFrames},
    Known{"frame.ndt_base_frame", kFrames},
    Known{"frame.map_frame", kFrames},
    Known{"sensor_points.timeout_sec", "scans come from files, not late over a network"},
    Known{"sensor_points.required_distance", kLocalize},
    Known{"ndt.trans_epsilon", ""},
    Known{"ndt.step_size", ""},
    Known{"ndt.resolution", ""},
    Known{"ndt.max_iterations", ""},
    Known{"ndt.num_threads", ""},
    Known{"ndt.regularization.enable", kLocalize},
    Known{"ndt.regularization.scale_factor", kLocalize},
    Known{"initial_pose_estimation.particles_num", "it is for initial-pose and localize"},
    Known{"initial_pose_estimation.n_startup_trials", "it is for initial-pose"},
    Known{"validation.initial_pose_timeout_sec", kLocalize},
    Known{"validation.initial_pose_distance_tolerance_m", kLocalize},
    Known{"validation.initial_to_result_distance_tolerance_m", kLocalize},
    Known{"validation.critical_upper_bound_exe_time_ms", kLocalize},
    Known{"validation.skipping_publish_num", kLocalize},
    Known{"score_estimation.converged_param_type", kLocalize},
    Known{"score_estimation.converged_param_transform_probability", kLocalize},
    Known{"score_estimation.converged_param_nearest_voxel_transformation_likelihood",
          "it is for initial-pose and localize"},
    Known{"score_estimation.no_ground_points.enable", kLocalize},
    Known{"score_estimation.no_ground_points.z_margin_for_ground_removal", kLocalize},
    Known{"covariance.output_pose_covariance", kLocalize},
    Known{"covariance.covariance_estimation.covariance_estimation_type", kLocalize},
    Known{"covariance.covariance_estimation.initial_pose_offset_model_x", kLocalize},
    Known{"covariance.covariance_estimation.initial_pose_offset_model_y", kLocalize},
    Known{"covariance.covariance_estimation.temperature", kLocalize},
    Known{"covariance.covariance_estimation.scale_factor", kLocalize},
    Known{"dynamic_map_loading.update_distance", kLocalize},
    Known{"dynamic_map_loading.map_radius", "it is for align, initial-pose and localize"},
    Known{"dynamic_map_loading.lidar_radius", kLocalize},
    Known{"dynamic_map_loading.save_loaded_map",
          "it publishes a ROS topic; ndt-bench map crop writes a part of a map"},
};

constexpr std::string_view kScale = "ndt.regularization.scale_factor", kEnable = "ndt.regularization.enable",
                           kRadius = "dynamic_map_loading.map_radius",
                           kParticles = "initial_pose_estimation.particles_num",
                           kStartup = "initial_pose_estimation.n_startup_trials",
                           kNvtl = "score_estimation.converged_param_nearest_voxel_transformation_likelihood",
                           kProbability = "score_estimation.converged_param_transform_probability";

std::string known_name(std::string_view near) {
  std::vector<std::string> names;
  for (const Known& known : kKnown) names.emplace_back(known.name);
  return nearest_name(near, names);
}

}  // namespace

void add_autoware_flag(CLI::App& command, std::optional<std::string>& file) {
  command
      .add_option("--autoware-params", file,
                  "options from the ndt_scan_matcher.param.yaml of Autoware; those given here win")
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
      ignored(name,
              known->of.empty() ? fmt::format("{} has no use for it", command) : std::string(known->of));
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
  AlignOptions options =
      base.profile == Profile::autoware ? AlignOptions::autoware() : AlignOptions::textbook();
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
                     "autoware has a use for it");
  }
  params.take(kScale, given, &AlignOptions::regularisation_scale);
  // As in Autoware, 0 is one thread; here it would be one per core.
  if (auto& threads = given[&AlignOptions::threads]; !threads) {
    const auto found = params.file().whole("ndt.num_threads", -1000000, Limits::kThreads);
    if (found) threads = static_cast<int>(std::max<std::int64_t>(*found, 1));
    params.took("ndt.num_threads", "--threads, of implementations on the CPU");
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
    params.ignored(kEnable, "a pull needs a place to pull to: give --reg-x and --reg-y");
  else
    params.took(kEnable, "no pull without --reg-x and --reg-y");
}

void take_map_radius(AutowareParams& params, MapArguments& map) {
  const auto radius = params.file().number(kRadius, Bounds::above(0, 1e6));
  if (!radius) return;
  if (!map.radius.empty()) return params.given(kRadius, "--map-radius");
  map.usual_m = *radius;
  params.took(kRadius, "--map-radius, of maps in tiles with metadata");
}

void take_search(AutowareParams& params, SearchArguments& given, const SearchArguments& with_method) {
  const auto& method = with_method[&SearchOptions::method];
  params.take(kNvtl, given, &SearchOptions::reliable_nvtl);
  params.take(kParticles, given, &SearchOptions::particles);
  if (method && *method != to_string(Method::tpe))
    return params.ignored(kStartup, fmt::format("--method {} guides no particle", *method));
  const auto startup = params.file().whole(kStartup, 1, static_cast<std::int64_t>(Limits::kBatch));
  const int particles = given[&SearchOptions::particles].value_or(SearchOptions{}.particles);
  if (startup && !given[&SearchOptions::startup] && *startup > particles)
    return params.ignored(kStartup,
                          fmt::format("there are {} particles; all of them are start-up", particles));
  params.take(kStartup, given, &SearchOptions::startup);
}

namespace {

/// The score that decides, and what it must exceed.
void take_score(AutowareParams& params, const AutowareLocalization& given) {
  constexpr std::string_view kType = "score_estimation.converged_param_type";
  constexpr std::array<std::string_view, 2> kScores{"transform_probability", "nvtl"};
  Given<localization::kLocalizerOptions>& options = *given.options;
  params.take(kType, options, &LocalizerOptions::score, kScores);
  const bool nvtl = options[&LocalizerOptions::score].value_or("nvtl") == "nvtl";
  const auto likelihood = params.file().number(kNvtl, Bounds::closed(0, 1000));
  if (likelihood) *given.reliable_nvtl = likelihood;
  if (nvtl) {
    params.take(kNvtl, options, &LocalizerOptions::least_score);
    params.ignored(kProbability, "the score is nvtl");
  } else {
    params.take(kProbability, options, &LocalizerOptions::least_score);
    params.took(kNvtl, "what a search's best pose must exceed");
  }
}

void take_ground(AutowareParams& params, const AutowareLocalization& given) {
  constexpr std::string_view kOn = "score_estimation.no_ground_points.enable",
                             kMargin = "score_estimation.no_ground_points.z_margin_for_ground_removal";
  if (params.file().flag(kOn).value_or(false)) {
    params.take(kMargin, *given.options, &LocalizerOptions::no_ground_height_m);
    params.took(kOn, "--no-ground-height");
  } else {
    params.took(kOn, "no --no-ground-height");
    params.ignored(kMargin, fmt::format("{} is not true", kOn));
  }
}

/// Variances of x y z and of roll pitch yaw, where each three are alike and all else is 0.
void take_covariance(AutowareParams& params, const AutowareLocalization& given) {
  constexpr std::string_view kName = "covariance.output_pose_covariance";
  const auto matrix = params.file().numbers(kName);
  if (!matrix) return;
  if (matrix->size() != 36)
    params.file().refuse(kName, fmt::format("has {} numbers", matrix->size()),
                         "give 36, a 6x6 matrix row by row");
  const auto entry = [&](std::size_t row, std::size_t column) { return (*matrix)[6 * row + column]; };
  bool fits = entry(0, 0) > 0 && entry(3, 3) > 0;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      fits = fits && entry(i, j) == (i == j ? entry(i / 3 * 3, i / 3 * 3) : 0.0);
  if (!fits)
    return params.ignored(kName,
                          "here x, y and z have one variance above 0, roll, pitch and yaw another, and no "
                          "covariances; give --position-variance and --angle-variance");
  Given<localization::kLocalizerOptions>& options = *given.options;
  auto &position = options[&LocalizerOptions::position_variance_m2],
       &angle = options[&LocalizerOptions::angle_variance_rad2];
  if (position && angle) return params.given(kName, "--position-variance and --angle-variance");
  if (!position) position = entry(0, 0);
  if (!angle) angle = entry(3, 3);
  params.took(kName, fmt::format("--position-variance {}, --angle-variance {}", *position, *angle));
}

void take_covariance_estimation(AutowareParams& params, const AutowareLocalization& given) {
  constexpr std::string_view kType = "covariance.covariance_estimation.covariance_estimation_type",
                             kX = "covariance.covariance_estimation.initial_pose_offset_model_x",
                             kY = "covariance.covariance_estimation.initial_pose_offset_model_y";
  constexpr std::array<std::string_view, 4> kModes{"fixed", "laplace", "multi_ndt", "multi_ndt_score"};
  params.take(kType, *given.options, &LocalizerOptions::covariance, kModes);
  params.take("covariance.covariance_estimation.temperature", *given.options,
              &LocalizerOptions::covariance_temperature);
  params.take("covariance.covariance_estimation.scale_factor", *given.options,
              &LocalizerOptions::covariance_scale);
  const auto x = params.file().numbers(kX), y = params.file().numbers(kY);
  if (!x && !y) return;
  if (!x || !y)
    params.file().refuse(x ? kX : kY, fmt::format("{} is missing", x ? kY : kX),
                         "give both, with as many numbers");
  if (x->size() != y->size())
    params.file().refuse(kY, fmt::format("has {} numbers, and {} has {}", y->size(), kX, x->size()),
                         "give both as many numbers");
  constexpr std::size_t kMost = 64;
  if (x->empty() || x->size() > kMost)
    params.file().refuse(kX, fmt::format("has {} numbers", x->size()), fmt::format("give 1 to {}", kMost));
  for (std::size_t k = 0; k < x->size(); ++k) given.offsets->push_back({(*x)[k], (*y)[k]});
  for (const std::string_view name : {kX, kY})
    params.took(name, "places of multi_ndt and multi_ndt_score; no flag");
}

void take_following(AutowareParams& params, const AutowareLocalization& given) {
  LocalizeMapArguments& map = *given.map;
  take_map_radius(params, map.map);
  const auto usual = [&](std::string_view name, double MapFollowing::*member, const Bounds& bounds,
                         std::string_view flag) {
    const auto value = params.file().number(name, bounds);
    if (!value) return;
    if (map.following[member]) return params.given(name, flag);
    map.usual.*member = *value;
    params.took(name, fmt::format("{}, of maps in tiles with metadata", flag));
  };
  usual("dynamic_map_loading.update_distance", &MapFollowing::update_distance_m, Bounds::above(0, 1e6),
        "--map-update-distance");
  usual("dynamic_map_loading.lidar_radius", &MapFollowing::lidar_radius_m, Bounds::closed(0, 1e6),
        "--lidar-radius");
  if (!map.map.radius.empty() || map.following != Given<localization::kMapFollowingOptions>()) return;
  MapFollowing following = map.usual;
  following.radius_m = map.map.usual_m;
  try {
    validate(following);
  } catch (const std::invalid_argument& error) {
    params.file().refuse(params.file().has(kRadius) ? kRadius : "dynamic_map_loading.lidar_radius",
                         error.what(), "change one of the three");
  }
}

void take_gnss(AutowareParams& params, std::string& gnss) {
  const auto enabled = params.file().flag(kEnable);
  if (!enabled) return;
  if (!gnss.empty()) return params.given(kEnable, "--gnss");
  if (!*enabled) gnss = "none";
  params.took(kEnable, *enabled ? "GNSS pulls where there is one: --gnss, or a dataset's" : "--gnss none");
}

}  // namespace

void take_localization(AutowareParams& params, const AutowareLocalization& given) {
  Given<localization::kLocalizerOptions>& options = *given.options;
  take_gnss(params, *given.gnss);
  params.take("sensor_points.required_distance", options, &LocalizerOptions::required_range_m);
  params.take(kParticles, options, &LocalizerOptions::recovery_particles);
  params.ignored(kStartup, "a search of localize draws 100 particles, or all, before any is guided");
  params.take("validation.initial_pose_timeout_sec", options, &LocalizerOptions::buffer_age_s);
  params.take("validation.initial_pose_distance_tolerance_m", options, &LocalizerOptions::buffer_jump_m);
  params.take("validation.initial_to_result_distance_tolerance_m", options, &LocalizerOptions::jump_m);
  params.take("validation.skipping_publish_num", options, &LocalizerOptions::lost_after);
  constexpr std::string_view kCritical = "validation.critical_upper_bound_exe_time_ms";
  if (*given.critical_ms)
    params.given(kCritical, "--critical-ms");
  else if (const auto found = params.file().number(kCritical, Bounds::above(0, 1e9))) {
    *given.critical_ms = found;
    params.took(kCritical, "--critical-ms");
  }
  take_score(params, given);
  take_ground(params, given);
  take_covariance(params, given);
  take_covariance_estimation(params, given);
  take_following(params, given);
}

}  // namespace ndt::harness
