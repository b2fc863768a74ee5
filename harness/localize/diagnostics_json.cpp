#include <array>
#include <optional>
#include <vector>

#include "base/json_line.hpp"
#include "localize/records.hpp"

namespace ndt::harness {
namespace {

using namespace localization;

std::optional<double> if_any(bool any, double value) { return any ? std::optional(value) : std::nullopt; }

std::array<double, 3> xyz(const Transform& pose) {
  const Vec3<double> at = translation_of(pose);
  return {at.x, at.y, at.z};
}
std::array<double, 3> rpy(const Transform& pose) {
  const Pose p = principal(derivative_pose(pose));
  return {p.roll, p.pitch, p.yaw};
}

/// Score after, before and between, under Autoware's names. Two scores that are not of the same sum have no
/// difference.
void put_score(JsonLine& j, const std::string& key, std::optional<double> after, std::optional<double> before,
               bool comparable) {
  j.put(key, after);
  j.put(key + "_before", before);
  j.put(key + "_diff", after && before && comparable ? std::optional(*after - *before) : std::nullopt);
}

void put_autoware_keys(JsonLine& j, const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  const std::optional<AlignResult>& aligned = report.aligned;
  const auto of_result = [&](auto member) {
    return aligned ? std::optional<double>((*aligned).*member) : std::nullopt;
  };
  const auto of_before = [&](auto member) {
    return report.before ? std::optional<double>((*report.before).*member) : std::nullopt;
  };
  const auto counted = [&](int AlignResult::*member) {
    return aligned && (*aligned).*member != kNotCounted ? std::optional((*aligned).*member) : std::nullopt;
  };
  j.put("topic_time_stamp", report.stamp_s);
  j.put("sensor_points_size", report.points);
  j.put("sensor_points_delay_time_sec", scan.delay_s);  // only in real time is there one
  j.put("sensor_points_max_distance", report.farthest_m);
  j.put("is_succeed_transform_sensor_points", report.points > 0);
  j.put("is_activated", true);
  j.put("is_succeed_interpolate_initial_pose", report.prediction.odometry_miss == Miss::none);
  j.put("is_set_map_points", true);
  j.put("iteration_num", counted(&AlignResult::iterations));
  j.put("local_optimal_solution_oscillation_num", counted(&AlignResult::oscillation_count));
  put_score(j, "transform_probability", of_result(&AlignResult::transform_probability),
            of_before(&Score::transform_probability),
            !report.regularisation);  // the target is part of the score after, not of the one before
  put_score(j, "nearest_voxel_transformation_likelihood", of_result(&AlignResult::nvtl),
            of_before(&Score::nvtl), true);
  j.put("distance_initial_to_result", if_any(aligned.has_value(), report.moved_m));
  j.put("execution_time", scan.execution_ms);
  j.put("skipping_publish_num", report.rejected);
}

void put_spread(JsonLine& j, const std::optional<Spread>& spread) {
  const bool known = spread && spread->known;
  j.put("spread_m", known ? std::optional(spread->distance_m) : std::nullopt);
  j.put("spread_deg", known ? std::optional(180 / kPi * spread->rotation_rad) : std::nullopt);
}

void put_recovery(JsonLine& j, const std::optional<Recovered>& recovery) {
  if (!recovery) return j.put("recovery", nullptr);
  const Recovered& r = *recovery;
  j.object("recovery", [&] {
    j.put("attempt", r.attempt);
    j.put("prior_xyz_m", xyz(to_transform(r.prior.mean)));
    j.put("prior_sigma", r.prior.sigma);
    j.put("particles", r.particles.size());
    j.put("done", r.done);
    j.put("planned", r.planned);
    j.put("found", r.found);
    j.put("reliable", r.reliable);
    j.put("nvtl", r.nvtl);
    j.put("stop", r.stop);
    j.put("ambiguous", r.ambiguous);
    j.put("runner_up_ratio", r.runner_up_ratio);
    j.put("interrupted", r.interrupted);
    j.put("distance_prior_to_best_m", r.moved_m);
    put_spread(j, r.spread);
  });
}

void put_detectors(JsonLine& j, const ScanReport& report) {
  const std::optional<AlignResult>& aligned = report.aligned;
  const auto conditioning = [&](auto member) {
    return aligned ? std::optional(aligned->conditioning.*member) : std::nullopt;
  };
  const auto finish = [&](auto member) {
    return aligned && aligned->finish ? std::optional<double>((*aligned->finish).*member) : std::nullopt;
  };
  const auto no_ground = [&](auto member) {
    return report.no_ground ? std::optional<double>((*report.no_ground).*member) : std::nullopt;
  };
  j.put("stop", aligned ? std::optional(aligned->stop) : std::nullopt);
  j.put("condition_number", conditioning(&Conditioning::condition_number));
  j.put("surface_condition_number", conditioning(&Conditioning::surface_condition_number));
  j.put("push_sigmas", conditioning(&Conditioning::push_sigmas));
  j.put("finish_step_m", finish(&FinishStep::step_m));
  j.put("finish_score", finish(&FinishStep::score));
  put_spread(j, report.spread);
  j.put("seen_through", report.sight ? std::optional(report.sight->seen_through) : std::nullopt);
  j.put("unmapped", report.sight ? std::optional(report.sight->unmapped) : std::nullopt);
  j.put("no_ground_points_transform_probability", no_ground(&Score::transform_probability));
  j.put("no_ground_points_nearest_voxel_transformation_likelihood", no_ground(&Score::nvtl));
}

void put_map_update(JsonLine& j, const LocalizedScan& scan) {
  if (!scan.map_update) return j.put("map_update", nullptr);
  const localization::MapUpdate& update = *scan.map_update;
  const auto of_swap = [&](auto value) { return update.swapped ? std::optional(value) : std::nullopt; };
  j.object("map_update", [&] {
    j.put("centre_m", std::array{update.around.centre.x, update.around.centre.y});
    j.put("radius_m", update.around.radius_m);
    j.put("in_force", update.error.empty());
    j.put("error", update.error.empty() ? std::nullopt : std::optional(update.error));
    j.put("tiles", scan.map_tiles.value_or(0));
    j.put("added", update.added);
    j.put("removed", update.removed);
    j.put("points", of_swap(update.points));
    j.put("read_ms", of_swap(update.read_ms));
    j.put("build_ms", of_swap(update.build_ms));
    j.put("waited_ms", update.waited_ms);
    j.put("swap_us", of_swap(update.swap_us));
  });
}

void put_pose(JsonLine& j, const Transform& pose) {
  j.put("pose_xyz_m", xyz(pose));
  j.put("pose_rpy_rad", rpy(pose));
}

void put_aligned(JsonLine& j, const std::optional<AlignResult>& aligned) {
  if (!aligned) return j.put("aligned", nullptr);
  j.object("aligned", [&] { put_pose(j, aligned->map_from_scan); });
}

void put_odometry(JsonLine& j, const std::optional<OdometryAt>& odometry) {
  if (!odometry) return j.put("odometry", nullptr);
  j.object("odometry", [&] {
    put_pose(j, odometry->odometry_from_scan);
    j.object("older", [&] { put_pose(j, odometry->older); });
    j.object("newer", [&] { put_pose(j, odometry->newer); });
  });
}

/// The ends of MULTI_NDT's alignments from beside the pose.
void put_beside(JsonLine& j, const std::vector<AlignResult>& beside) {
  if (beside.empty()) return j.put("multi_ndt", nullptr);
  j.objects("multi_ndt", beside.size(), [&](std::size_t k) { put_pose(j, beside[k].map_from_scan); });
}

void put_no_returns(JsonLine& j, const NoReturns& counts) {
  j.object("no_returns", [&] {
    j.put("zero", counts.zero);
    j.put("sentinel", counts.sentinel);
    j.put("identical", counts.identical);
    j.put("max_range", counts.max_range);
  });
}

void put_own_keys(JsonLine& j, const ScanReport& report) {
  j.put("verdict", report.verdict);
  j.put("reason", report.reason);
  j.put("source", report.source);
  put_pose(j, report.map_from_scan);
  j.put("covariance", report.covariance ? std::optional(std::to_array(report.covariance->m)) : std::nullopt);
  j.put("covariance_by", report.covariance ? std::optional(report.covariance_by) : std::nullopt);
  put_aligned(j, report.aligned);  // used or not
  put_beside(j, report.beside);
  j.put("predicted_by", report.prediction.by);
  j.put("predicted_xyz_m", xyz(report.prediction.map_from_scan));
  j.put("predicted_rpy_rad", rpy(report.prediction.map_from_scan));
  put_odometry(j, report.prediction.odometry);
  j.put("odometry_miss", report.prediction.odometry_miss);
  j.put("gnss_miss", report.gnss_miss);
  j.put("gnss_beside_m", if_any(report.gnss_miss == Miss::contradicts, report.gnss_beside_m));
  put_no_returns(j, report.no_returns);
  j.put("same_bytes", report.same_bytes);
  j.put("regularisation_xy_m",
        report.regularisation ? std::optional(std::array{report.regularisation->x, report.regularisation->y})
                              : std::nullopt);
  put_detectors(j, report);
  put_recovery(j, report.recovery);
}

}  // namespace

std::string diagnostics_json(const LocalizedScan& scan) {
  const ScanReport& report = *scan.report;
  JsonLine j;
  j.put("frame", scan.frame);
  j.put("scan", scan.scan->name);
  j.put("level", report.diagnosis.level);
  j.put("messages", report.diagnosis.messages);
  put_autoware_keys(j, scan);
  j.put("dropped_before", scan.dropped);
  put_own_keys(j, report);
  put_map_update(j, scan);
  return j.taken();
}

}  // namespace ndt::harness
