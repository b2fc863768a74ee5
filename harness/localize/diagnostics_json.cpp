#include "localize/diagnostics_json.hpp"

#include "base/json_struct.hpp"

namespace ndt::harness {
namespace {

using nlohmann::ordered_json;
using namespace localization;

/// Null for what is not finite, which JSON cannot hold, and for what is not there.
template <class T>
ordered_json number(const std::optional<T>& value) {
  if (!value || !std::isfinite(static_cast<double>(*value))) return nullptr;
  return *value;
}
ordered_json number(double value) { return number(std::optional(value)); }

ordered_json xyz(const Transform& pose) { return array_of(translation_of(pose)); }
ordered_json rpy(const Transform& pose) {
  const Pose p = principal(derivative_pose(pose));
  return {p.roll, p.pitch, p.yaw};
}

/// Score after, before and between, under Autoware's names. Two scores that are not of the same sum have no
/// difference.
void put_score(ordered_json& j, const std::string& key, std::optional<double> after,
               std::optional<double> before, bool comparable) {
  j[key] = number(after);
  j[key + "_before"] = number(before);
  j[key + "_diff"] = after && before && comparable ? number(*after - *before) : nullptr;
}

void put_autoware_keys(ordered_json& j, const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  const std::optional<AlignResult>& aligned = report.aligned;
  const auto of_result = [&](auto member) {
    return aligned ? std::optional<double>((*aligned).*member) : std::nullopt;
  };
  const auto of_before = [&](auto member) {
    return report.before ? std::optional<double>((*report.before).*member) : std::nullopt;
  };
  const auto counted = [&](int AlignResult::*member) -> ordered_json {
    if (!aligned || (*aligned).*member == kNotCounted) return nullptr;
    return (*aligned).*member;
  };
  j["topic_time_stamp"] = report.stamp_s;
  j["sensor_points_size"] = report.points;
  j["sensor_points_delay_time_sec"] = number(scan.delay_s);  // only in real time is there one
  j["sensor_points_max_distance"] = report.farthest_m;
  j["is_succeed_transform_sensor_points"] = report.points > 0;
  j["is_activated"] = true;
  j["is_succeed_interpolate_initial_pose"] = report.prediction.odometry_miss == Miss::none;
  j["is_set_map_points"] = true;
  j["iteration_num"] = counted(&AlignResult::iterations);
  j["local_optimal_solution_oscillation_num"] = counted(&AlignResult::oscillation_count);
  put_score(j, "transform_probability", of_result(&AlignResult::transform_probability),
            of_before(&Score::transform_probability),
            !report.regularisation);  // the target is part of the score after, not of the one before
  put_score(j, "nearest_voxel_transformation_likelihood", of_result(&AlignResult::nvtl),
            of_before(&Score::nvtl), true);
  j["distance_initial_to_result"] = aligned ? number(report.moved_m) : nullptr;
  j["execution_time"] = number(scan.execution_ms);
  j["skipping_publish_num"] = report.rejected;
}

void put_spread(ordered_json& j, const std::optional<Spread>& spread) {
  const bool known = spread && spread->known;
  j["spread_m"] = known ? number(spread->distance_m) : nullptr;
  j["spread_deg"] = known ? number(180 / kPi * spread->rotation_rad) : nullptr;
}

ordered_json recovery_json(const std::optional<Recovered>& recovery) {
  if (!recovery) return nullptr;
  const Recovered& r = *recovery;
  const Transform mean = to_transform(r.prior.mean);
  ordered_json j = {
      {"attempt", r.attempt},
      {"prior_xyz_m", xyz(mean)},
      {"prior_sigma", array_of(r.prior.sigma)},
      {"particles", r.particles.size()},
      {"done", r.done},
      {"planned", r.planned},
      {"found", r.found},
      {"reliable", r.reliable ? ordered_json(*r.reliable) : nullptr},
      {"nvtl", number(r.nvtl)},
      {"stop", std::string(to_string(r.stop))},
      {"ambiguous", r.ambiguous},
      {"runner_up_ratio", number(r.runner_up_ratio)},
      {"interrupted", r.interrupted ? ordered_json(std::string(to_string(*r.interrupted))) : nullptr},
      {"distance_prior_to_best_m", number(r.moved_m)}};
  put_spread(j, r.spread);
  return j;
}

void put_detectors(ordered_json& j, const ScanReport& report) {
  const std::optional<AlignResult>& aligned = report.aligned;
  const auto conditioning = [&](auto member) {
    return aligned ? number(aligned->conditioning.*member) : ordered_json();
  };
  const auto finish = [&](auto member) {
    return aligned && aligned->finish ? number((*aligned->finish).*member) : ordered_json();
  };
  const auto no_ground = [&](auto member) {
    return report.no_ground ? number((*report.no_ground).*member) : ordered_json();
  };
  j["stop"] = aligned ? ordered_json(std::string(to_string(aligned->stop))) : nullptr;
  j["condition_number"] = conditioning(&Conditioning::condition_number);
  j["surface_condition_number"] = conditioning(&Conditioning::surface_condition_number);
  j["push_sigmas"] = conditioning(&Conditioning::push_sigmas);
  j["finish_step_m"] = finish(&FinishStep::step_m);
  j["finish_score"] = finish(&FinishStep::score);
  put_spread(j, report.spread);
  j["seen_through"] = report.sight ? number(report.sight->seen_through) : nullptr;
  j["unmapped"] = report.sight ? number(report.sight->unmapped) : nullptr;
  j["no_ground_points_transform_probability"] = no_ground(&Score::transform_probability);
  j["no_ground_points_nearest_voxel_transformation_likelihood"] = no_ground(&Score::nvtl);
}

ordered_json map_update_json(const LocalizedScan& scan) {
  if (!scan.map_update) return nullptr;
  const localization::MapUpdate& update = *scan.map_update;
  const auto of_swap = [&](auto value) { return update.swapped ? ordered_json(value) : nullptr; };
  return {{"centre_m", {update.around.centre.x, update.around.centre.y}},
          {"radius_m", update.around.radius_m},
          {"in_force", update.error.empty()},
          {"error", update.error.empty() ? nullptr : ordered_json(update.error)},
          {"tiles", scan.map_tiles.value_or(0)},
          {"added", update.added},
          {"removed", update.removed},
          {"points", of_swap(update.points)},
          {"read_ms", of_swap(update.read_ms)},
          {"build_ms", of_swap(update.build_ms)},
          {"waited_ms", update.waited_ms},
          {"swap_us", of_swap(update.swap_us)}};
}

ordered_json pose_json(const Transform& pose) {
  return {{"pose_xyz_m", xyz(pose)}, {"pose_rpy_rad", rpy(pose)}};
}

ordered_json pose_json(const std::optional<AlignResult>& aligned) {
  return aligned ? pose_json(aligned->map_from_scan) : nullptr;
}

ordered_json odometry_json(const std::optional<OdometryAt>& odometry) {
  if (!odometry) return nullptr;
  ordered_json j = pose_json(odometry->odometry_from_scan);
  j["older"] = pose_json(odometry->older);
  j["newer"] = pose_json(odometry->newer);
  return j;
}

/// The ends of MULTI_NDT's alignments from beside the pose.
ordered_json beside_json(const std::vector<AlignResult>& beside) {
  if (beside.empty()) return nullptr;
  ordered_json j = ordered_json::array();
  for (const AlignResult& result : beside) j.push_back(pose_json(result.map_from_scan));
  return j;
}

void put_own_keys(ordered_json& j, const ScanReport& report) {
  j["verdict"] = std::string(to_string(report.verdict));
  j["reason"] = std::string(to_string(report.reason));
  j["source"] = std::string(to_string(report.source));
  j["pose_xyz_m"] = xyz(report.map_from_scan);
  j["pose_rpy_rad"] = rpy(report.map_from_scan);
  j["covariance"] = report.covariance ? array_of(report.covariance->m) : ordered_json(nullptr);
  j["covariance_by"] =
      report.covariance ? ordered_json(std::string(to_string(report.covariance_by))) : nullptr;
  j["aligned"] = pose_json(report.aligned);  // used or not
  j["multi_ndt"] = beside_json(report.beside);
  j["predicted_by"] = std::string(to_string(report.prediction.by));
  j["predicted_xyz_m"] = xyz(report.prediction.map_from_scan);
  j["predicted_rpy_rad"] = rpy(report.prediction.map_from_scan);
  j["odometry"] = odometry_json(report.prediction.odometry);
  j["odometry_miss"] = std::string(to_string(report.prediction.odometry_miss));
  j["gnss_miss"] = std::string(to_string(report.gnss_miss));
  j["gnss_beside_m"] = report.gnss_miss == Miss::contradicts ? number(report.gnss_beside_m) : nullptr;
  j["no_returns"] = {{"zero", report.no_returns.zero},
                     {"sentinel", report.no_returns.sentinel},
                     {"identical", report.no_returns.identical},
                     {"max_range", report.no_returns.max_range}};
  j["same_bytes"] = report.same_bytes;
  j["regularisation_xy_m"] = report.regularisation
                                 ? ordered_json({report.regularisation->x, report.regularisation->y})
                                 : ordered_json(nullptr);
  put_detectors(j, report);
  j["recovery"] = recovery_json(report.recovery);
}

}  // namespace

ordered_json diagnostics_json(const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  ordered_json j;
  j["frame"] = scan.frame;
  j["scan"] = scan.scan->name;
  j["level"] = std::string(to_string(report.diagnosis.level));
  j["messages"] = report.diagnosis.messages;
  put_autoware_keys(j, scan);
  j["dropped_before"] = scan.dropped;
  put_own_keys(j, report);
  j["map_update"] = map_update_json(scan);
  return j;
}

}  // namespace ndt::harness
