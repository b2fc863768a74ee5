#include "cli/localize/autoware_localization.hpp"

#include <fmt/format.h>

#include <array>

namespace ndt::harness {
namespace {

using localization::LocalizerOptions;
using localization::MapFollowing;
using namespace autoware;

/// The score that decides, and what it must exceed.
void take_score(AutowareParams& params, const AutowareLocalization& given) {
  constexpr std::string_view kType = "score_estimation.converged_param_type";
  constexpr std::string_view kProbability = "score_estimation.converged_param_transform_probability";
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
    params.took(kNvtl, "NVTL that a search's best pose must exceed");
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
    return params.ignored(
        kName,
        "x, y and z must have one variance above 0, roll, pitch and yaw another, and all other "
        "entries must be 0; give --position-variance and --angle-variance");
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
                         "give both, with equally many numbers");
  if (x->size() != y->size())
    params.file().refuse(kY, fmt::format("has {} numbers, and {} has {}", y->size(), kX, x->size()),
                         "give both equally many numbers");
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
    params.took(name, fmt::format("{}, for tiled maps with metadata", flag));
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

/// The node's buffer of GNSS has bounds of its own, which are not in the file.
void take_gnss_buffer(Given<localization::kLocalizerOptions>& options) {
  constexpr double kAgeS = 1000, kJumpM = 1000;
  auto &age = options[&LocalizerOptions::gnss_age_s], &jump = options[&LocalizerOptions::gnss_jump_m];
  if (!age) age = kAgeS;
  if (!jump) jump = kJumpM;
}

void take_gnss(AutowareParams& params, std::string& gnss) {
  const auto enabled = params.file().flag(kEnable);
  if (!enabled) return;
  if (!gnss.empty()) return params.given(kEnable, "--gnss");
  if (!*enabled) gnss = "none";
  params.took(kEnable, *enabled ? "--gnss, or the GNSS of the dataset" : "--gnss none");
}

/// A time that the node warns beyond.
void take_time(AutowareParams& params, std::string_view name, std::optional<double>& value,
               std::string_view flag) {
  if (value) return params.given(name, flag);
  value = params.file().number(name, Bounds::above(0, 1e9));
  params.took(name, flag);
}

void take_frames(AutowareParams& params, FrameNames& frames) {
  constexpr std::string_view kBy = "frames of ./run localize --mcap";
  const auto take = [&](std::string_view name, std::optional<std::string>& frame) {
    frame = params.file().word(name);
    params.took(name, kBy);
  };
  take("frame.base_frame", frames.base);
  take("frame.ndt_base_frame", frames.ndt_base);
  take("frame.map_frame", frames.map);
}

}  // namespace

void take_localization(AutowareParams& params, const AutowareLocalization& given) {
  Given<localization::kLocalizerOptions>& options = *given.options;
  take_gnss(params, *given.gnss);
  take_gnss_buffer(options);
  params.take("sensor_points.required_distance", options, &LocalizerOptions::required_range_m);
  params.take(kParticles, options, &LocalizerOptions::recovery_particles);
  params.ignored(kStartup, "a search of localize draws 100 particles, or all, before any is guided");
  params.take("validation.initial_pose_timeout_sec", options, &LocalizerOptions::buffer_age_s);
  params.take("validation.initial_pose_distance_tolerance_m", options, &LocalizerOptions::buffer_jump_m);
  params.take("validation.initial_to_result_distance_tolerance_m", options, &LocalizerOptions::jump_m);
  params.take("validation.skipping_publish_num", options, &LocalizerOptions::lost_after);
  take_time(params, "validation.critical_upper_bound_exe_time_ms", *given.critical_ms, "--critical-ms");
  take_time(params, "sensor_points.timeout_sec", *given.points_timeout_s, "--points-timeout");
  take_frames(params, *given.frames);
  take_score(params, given);
  take_ground(params, given);
  take_covariance(params, given);
  take_covariance_estimation(params, given);
  take_following(params, given);
}

}  // namespace ndt::harness
