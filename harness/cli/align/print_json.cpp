#include <fmt/format.h>

#include "base/json_fields.hpp"
#include "cli/common/print.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

/// Null for what the method does not count.
json count(std::int64_t value) { return value == kNotCounted ? json() : json(value); }

json rpy(const Pose& pose) { return {pose.roll, pose.pitch, pose.yaw}; }

json trace_json(std::span<const TracePoint> trace) {
  json list = json::array();
  for (const TracePoint& point : trace) {
    list.push_back({{"matrix", array_of(point.map_from_scan.m)},
                    {"score", point.score},
                    {"transform_probability", point.transform_probability},
                    {"nvtl", point.nvtl},
                    {"step_m", point.step_m}});
    if (!has_radii(trace)) continue;
    list.back()["level"] = point.level;
    list.back()["radius_m"] = point.radius_m;
  }
  return list;
}

void put_scores(json& j, double score, double transform_probability, double nvtl) {
  j["score"] = score;
  j["transform_probability"] = transform_probability;
  j["nvtl"] = nvtl;
}

/// Row-major 2x2, or null.
json covariance_json(const std::optional<PositionCovariance>& c) {
  if (!c) return nullptr;
  return {c->xx, c->xy, c->xy, c->yy};
}

}  // namespace

json to_json(const AlignResult& r, std::string_view implementation, const AlignTimes& times,
             bool with_trace) {
  json j;
  j["implementation"] = implementation;
  j["stop"] = to_string(r.stop);
  j["iterations"] = count(r.iterations);
  j["evaluations"] = count(r.evaluations);
  j["correspondences"] = count(r.correspondences);
  j["oscillation_count"] = count(r.oscillation_count);
  j["pose_xyz_m"] = array_of(translation_of(r.map_from_scan));
  j["pose_rpy_rad"] = rpy(principal(derivative_pose(r.map_from_scan)));
  j["matrix"] = array_of(r.map_from_scan.m);
  put_scores(j, r.score, r.transform_probability, r.nvtl);
  j["hessian"] = array_of(r.hessian.m);
  j["read_us"] = times.read_us;
  j["build_us"] = times.build_us;
  j["align_us"] = times.align_us;
  j["condition_number"] = r.conditioning.condition_number;                  // null when infinite
  j["surface_condition_number"] = r.conditioning.surface_condition_number;  // 0 where not looked at
  j["push_sigmas"] = r.conditioning.push_sigmas;                            // 0 where not looked at
  j["weak_direction"] = array_of(r.conditioning.weak_direction.v);
  j["laplace_covariance_m2"] = covariance_json(r.laplace_covariance);
  j["laplace_covariance_floored_m2"] = covariance_json(
      r.laplace_covariance ? std::optional(with_variance_floor(*r.laplace_covariance, r.map_from_scan))
                           : std::nullopt);
  j["newton_fallbacks"] = count(r.newton_fallbacks);
  j["dropped_points"] = r.dropped_points;
  j["derivative_rpy_rad"] = rpy(r.derivative_pose);
  if (r.finish) j["finish"] = json_of(*r.finish);
  if (with_trace) j["trace"] = trace_json(r.trace);
  return j;
}

json to_json(const Evaluation& e, std::string_view implementation) {
  json j;
  j["implementation"] = implementation;
  put_scores(j, e.score, e.transform_probability, e.nvtl);
  j["gradient"] = array_of(e.gradient.v);
  j["hessian"] = array_of(e.hessian.m);
  j["correspondences"] = e.correspondences;
  j["points_with_voxels"] = e.points_with_voxels;
  j["dropped_points"] = e.dropped_points;
  j["derivative_rpy_rad"] = rpy(e.derivative_pose);
  return j;
}

json to_json(std::span<const VoxelInfo> voxels, std::string_view implementation, double resolution_m) {
  json list = json::array();
  for (const VoxelInfo& v : voxels)
    list.push_back({{"key", {v.key[0], v.key[1], v.key[2]}},
                    {"points", v.points},
                    {"centroid_m", array_of(v.centroid)},
                    {"mean_m", array_of(v.mean)},
                    {"covariance_m2", array_of(v.covariance)},
                    {"inverse_covariance", array_of(v.inverse_covariance)}});
  return {{"implementation", implementation}, {"resolution_m", resolution_m}, {"voxels", std::move(list)}};
}

void put_verdict(json& object, const initial_pose::PoseJudgement& judgement,
                 const initial_pose::ReliableBounds& bounds) {
  object["verdict"] = judgement.ok() ? "ok" : "doubtful";
  object["doubt"] = judgement.ok() ? json() : json(reasons_text(judgement));
  object["covariance"] = judgement.covariance ? json(array_of(judgement.covariance->m)) : json();
  object["reliable_nvtl"] = bounds.nvtl ? json(*bounds.nvtl) : json();
  object["reliable_matched"] = bounds.matched ? json(*bounds.matched) : json();
  put_evidence(object, judgement.evidence.value_or(initial_pose::Evidence{}));
}

void put_evidence(json& object, const initial_pose::Evidence& evidence) {
  const auto number = [](const std::optional<double>& value, double scale = 1) {
    return value && std::isfinite(*value) ? json(*value * scale) : json();
  };
  object["overlap"] = number(evidence.overlap);
  object["matched"] = number(evidence.matched);
  object["spread_m"] = number(evidence.spread_m);
  object["spread_deg"] = number(evidence.spread_rad, 180 / kPi);
}

void put_preparation(json& object, const char* key, const PreparedCloud& prepared) {
  if (prepared.steps.empty()) return;
  json filters = json::array();
  for (const FilterStep& step : prepared.steps)
    filters.push_back({{"filter", step.filter},
                       {"removed_points", step.removed_points},
                       {"left_points", step.left_points}});
  object[key] = {{"given_points", prepared.given_points}, {"filters", std::move(filters)}};
}

void print_json(const json& object) {
  fmt::print("{}\n", object.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace ndt::harness
