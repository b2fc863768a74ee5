#include "run/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_fields.hpp"
#include "base/refusal.hpp"
#include "ndt/core/error.hpp"
#include "run/alignment_traffic.hpp"
#include "run/search_json.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

void put_measurement(json& j, const Measurement& r) {
  j["run_id"] = r.run_id;
  j["job"] = r.job;
  j["implementation"] = r.implementation;
  j["dataset"] = r.dataset;
  j["frame"] = r.frame;
  j["guess_name"] = r.guess_name;
  j["variant"] = r.variant;
  j["threads"] = r.threads;
  j["poses"] = r.poses;
  j["resolution_m"] = r.resolution_m;
  j["guess"] = array_of(r.guess.m);
  j["guess_offset"] = json();
  if (r.guess_offset)
    j["guess_offset"] = {{"x_m", r.guess_offset->x_m},
                         {"y_m", r.guess_offset->y_m},
                         {"z_m", r.guess_offset->z_m},
                         {"yaw_deg", r.guess_offset->yaw_deg}};
  j["truth"] = r.truth ? array_of(r.truth->m) : json();
}

constexpr const char* kMeasured[] = {"points",
                                     "map_points",
                                     "voxels",
                                     "pose",
                                     "stop",
                                     "iterations",
                                     "evaluations",
                                     "oscillation_count",
                                     "newton_fallbacks",
                                     "correspondences",
                                     "score",
                                     "transform_probability",
                                     "nvtl",
                                     "build_us",
                                     "align_us",
                                     "align_after_idle_us",
                                     "timing",
                                     "calibration_us",
                                     "peak_rss_bytes",
                                     "upload_bytes",
                                     "uploads",
                                     "download_bytes",
                                     "downloads",
                                     "launches",
                                     "synchronisations",
                                     "allocations",
                                     "peak_device_bytes",
                                     "translation_error_m",
                                     "rotation_error_deg",
                                     "trace"};

json trace_json(const Measurement& r) {
  if (r.trace.empty()) return {};
  json j = {{"score", json::array()},
            {"nvtl", json::array()},
            {"step_m", json::array()},
            {"translation_error_m", json()},
            {"rotation_error_deg", json()}};
  for (const TracePoint& point : r.trace) {
    j["score"].push_back(point.score);
    j["nvtl"].push_back(point.nvtl);
    j["step_m"].push_back(point.step_m);
    if (!r.truth) continue;
    const PoseDifference error = pose_difference(point.map_from_scan, *r.truth);
    j["translation_error_m"].push_back(error.translation_m);
    j["rotation_error_deg"].push_back(error.rotation_deg);
  }
  return j;
}

void put_result(json& j, const Measurement& r) {
  for (const char* key : kMeasured) j[key] = nullptr;  // in this order, and null where a row has no such number
  j["points"] = r.points;
  j["map_points"] = r.map_points;
  j["voxels"] = r.voxels;
  j["pose"] = array_of(r.pose.m);
  j["stop"] = r.stop;
  j["iterations"] = r.iterations;
  j["evaluations"] = r.evaluations;
  j["oscillation_count"] = r.oscillation_count;
  if (r.newton_fallbacks != kNotCounted) j["newton_fallbacks"] = r.newton_fallbacks;
  j["correspondences"] = r.correspondences;
  j["score"] = r.score;
  j["transform_probability"] = r.transform_probability;
  j["nvtl"] = r.nvtl;
  j["build_us"] = r.build_us;
  j["align_us"] = r.align_us;
  j["align_after_idle_us"] = r.align_after_idle_us;
  j["timing"] = to_string(r.timing);
  j["calibration_us"] = r.calibration_us;
  j["peak_rss_bytes"] = r.peak_rss_bytes;
  if (r.traffic)
    for (const TrafficCount& count : kTrafficCounts) j[count.name] = (*r.traffic).*count.value;
  if (r.to_truth) j["translation_error_m"] = r.to_truth->translation_m;
  if (r.to_truth) j["rotation_error_deg"] = r.to_truth->rotation_deg;
  j["trace"] = trace_json(r);
}

/// A number that may have been written as null: not finite.
double number(const json& value) { return value.is_null() ? std::nan("") : value.get<double>(); }

/// nlohmann-json would cut fractions off, wrap what is too large, and take true for 1.
template <class T>
void get_whole(const json& j, const char* key, T& value) {
  const json& number = j.at(key);
  if (!number.is_number_integer() || (number.is_number_unsigned() && !std::in_range<T>(number.get<std::uint64_t>())) ||
      !std::in_range<T>(number.get<std::int64_t>()))
    throw InputError(fmt::format("not a row of results.jsonl: {} is no whole number in range", key));
  value = number.get<T>();
}

/// All counts or, on the CPU, none.
std::optional<Traffic> get_traffic(const json& j) {
  if (std::ranges::all_of(kTrafficCounts, [&](const TrafficCount& count) { return j.at(count.name).is_null(); }))
    return std::nullopt;
  Traffic traffic;
  for (const TrafficCount& count : kTrafficCounts) get_whole(j, count.name, traffic.*count.value);
  return traffic;
}

template <class Enum>
Enum named(const json& j, const char* key, std::initializer_list<Enum> all) {
  const auto name = j.at(key).get<std::string>();
  for (const Enum value : all)
    if (to_string(value) == name) return value;
  throw InputError(fmt::format("not a row of results.jsonl: {} is '{}'", key, printable(name)));
}

void get_measurement(const json& j, Measurement& r) {
  j.at("run_id").get_to(r.run_id);
  get_whole(j, "job", r.job);
  j.at("implementation").get_to(r.implementation);
  j.at("dataset").get_to(r.dataset);
  j.at("frame").get_to(r.frame);
  j.at("guess_name").get_to(r.guess_name);
  j.at("variant").get_to(r.variant);
  get_whole(j, "threads", r.threads);
  if (j.contains("poses")) get_whole(j, "poses", r.poses);  // rows of earlier programs have none
  j.at("resolution_m").get_to(r.resolution_m);
  r.guess = transform_of(j.at("guess"));
  if (const json& offset = j.at("guess_offset"); !offset.is_null())
    r.guess_offset = GuessOffset{offset.at("x_m"), offset.at("y_m"), offset.at("z_m"), offset.at("yaw_deg")};
  if (!j.at("truth").is_null()) r.truth = transform_of(j["truth"]);
}

void get_result(const json& j, Measurement& r) {
  get_whole(j, "points", r.points);
  get_whole(j, "map_points", r.map_points);
  get_whole(j, "voxels", r.voxels);
  r.pose = transform_of(j.at("pose"));
  j.at("stop").get_to(r.stop);
  get_whole(j, "iterations", r.iterations);
  get_whole(j, "evaluations", r.evaluations);
  get_whole(j, "oscillation_count", r.oscillation_count);
  r.newton_fallbacks = kNotCounted;
  if (!j.at("newton_fallbacks").is_null()) get_whole(j, "newton_fallbacks", r.newton_fallbacks);
  get_whole(j, "correspondences", r.correspondences);
  r.score = number(j.at("score"));
  r.transform_probability = number(j.at("transform_probability"));
  r.nvtl = number(j.at("nvtl"));
  j.at("build_us").get_to(r.build_us);
  j.at("align_us").get_to(r.align_us);
  j.at("align_after_idle_us").get_to(r.align_after_idle_us);
  r.timing = named(j, "timing", {Timing::settled, Timing::wall_cap, Timing::single});
  j.at("calibration_us").get_to(r.calibration_us);
  get_whole(j, "peak_rss_bytes", r.peak_rss_bytes);
  r.traffic = get_traffic(j);
  if (!j.at("translation_error_m").is_null())
    r.to_truth = PoseDifference{j["translation_error_m"].get<double>(), j.at("rotation_error_deg").get<double>()};
}

Measurement parse(const json& j) {
  Measurement r;
  get_measurement(j, r);
  if (j.contains("search") && !j["search"].is_null())  // rows of earlier programs have none
    r.search = search_row_from(j["search"], j.at("error").is_null());
  if (j.at("error").is_null()) {
    get_result(j, r);
    return r;
  }
  j["error"].get_to(r.error);
  if (r.error.empty()) throw InputError("not a row of results.jsonl: its error is empty; null means none");
  r.failure =
      named(j, "error_kind", {Failure::exception, Failure::crash, Failure::timeout, Failure::memory, Failure::skipped});
  return r;
}

}  // namespace

std::string_view to_string(Failure failure) {
  switch (failure) {
    case Failure::exception: return "exception";
    case Failure::crash: return "crash";
    case Failure::timeout: return "timeout";
    case Failure::memory: return "memory";
    case Failure::skipped: return "skipped";
    case Failure::none: break;
  }
  return "none";
}

std::string_view to_string(Timing timing) {
  switch (timing) {
    case Timing::settled: return "settled";
    case Timing::wall_cap: return "wall_cap";
    case Timing::single: break;
  }
  return "single";
}

std::string measurement_key(const Measurement& row) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", row.dataset, row.variant, row.threads, row.implementation, row.frame,
                     row.guess_name, row.poses, row.search ? row.search->name : "");
}

std::string to_json_line(const Measurement& row) {
  json j;
  put_measurement(j, row);
  if (row.error.empty())
    put_result(j, row);
  else
    for (const char* key : kMeasured) j[key] = nullptr;
  j["search"] = row.search ? to_json(*row.search, row.error.empty()) : json();
  j["error"] = row.error.empty() ? json() : json(row.error);
  j["error_kind"] = row.error.empty() ? json() : json(to_string(row.failure));
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Measurement parse_measurement(std::string_view line) {
  try {
    return parse(json::parse(line));
  } catch (const json::exception& error) {
    throw InputError(
        fmt::format("not a row of results.jsonl: {}", printable(error.what(), 300)));  // it quotes the line
  }
}

}  // namespace ndt::harness
