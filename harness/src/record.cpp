#include "ndt/harness/record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/refusal.hpp"
#include "json_fields.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

void put_difference(json& j, const char* translation, const char* rotation, const std::optional<PoseDifference>& d) {
  j[translation] = d ? json(d->translation_m) : json();
  j[rotation] = d ? json(d->rotation_deg) : json();
}

std::optional<PoseDifference> get_difference(const json& j, const char* translation, const char* rotation) {
  if (j.at(translation).is_null()) return std::nullopt;
  return PoseDifference{j.at(translation).get<double>(), j.at(rotation).get<double>()};
}

void put_job(json& j, const RunRow& r) {
  j["run_id"] = r.run_id;
  j["implementation"] = r.implementation;
  j["dataset"] = r.dataset;
  j["frame"] = r.frame;
  j["repeat"] = r.repeat;
  j["threads"] = r.threads;
  j["resolution_m"] = r.resolution_m;
  j["points"] = r.points;
  j["voxels"] = r.voxels;
  j["guess"] = array_of(r.guess.m);
  j["truth"] = r.truth ? array_of(r.truth->m) : json();
}

constexpr const char* kMeasured[] = {
    "pose", "stop",     "iterations", "evaluations",        "correspondences", "score", "transform_probability",
    "nvtl", "build_us", "align_us",   "align_after_idle_us"};

void put_result(json& j, const RunRow& r) {
  j["pose"] = array_of(r.pose.m);
  j["stop"] = r.stop;
  j["iterations"] = r.iterations;
  j["evaluations"] = r.evaluations;
  j["correspondences"] = r.correspondences;
  j["score"] = r.score;
  j["transform_probability"] = r.transform_probability;
  j["nvtl"] = r.nvtl;
  j["build_us"] = r.build_us;
  j["align_us"] = r.align_us;
  j["align_after_idle_us"] = r.align_after_idle_us;
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

RunRow parse(const json& j) {
  RunRow r;
  j.at("run_id").get_to(r.run_id);
  j.at("implementation").get_to(r.implementation);
  j.at("dataset").get_to(r.dataset);
  j.at("frame").get_to(r.frame);
  get_whole(j, "repeat", r.repeat);
  get_whole(j, "threads", r.threads);
  j.at("resolution_m").get_to(r.resolution_m);
  get_whole(j, "points", r.points);
  get_whole(j, "voxels", r.voxels);
  r.guess = transform_of(j.at("guess"));
  if (!j.at("truth").is_null()) r.truth = transform_of(j["truth"]);
  if (!j.at("error").is_null()) {
    j["error"].get_to(r.error);
    if (r.error.empty()) throw InputError("not a row of results.jsonl: its error is empty; null means none");
    return r;
  }
  r.pose = transform_of(j.at("pose"));
  j.at("stop").get_to(r.stop);
  get_whole(j, "iterations", r.iterations);
  get_whole(j, "evaluations", r.evaluations);
  get_whole(j, "correspondences", r.correspondences);
  r.score = number(j.at("score"));
  r.transform_probability = number(j.at("transform_probability"));
  r.nvtl = number(j.at("nvtl"));
  j.at("build_us").get_to(r.build_us);
  j.at("align_us").get_to(r.align_us);
  j.at("align_after_idle_us").get_to(r.align_after_idle_us);
  r.to_truth = get_difference(j, "translation_error_m", "rotation_error_deg");
  r.to_reference = get_difference(j, "translation_vs_ref_m", "rotation_vs_ref_deg");
  return r;
}

}  // namespace

std::string to_json_line(const RunRow& row) {
  json j;
  put_job(j, row);
  if (row.error.empty())
    put_result(j, row);
  else
    for (const char* key : kMeasured) j[key] = nullptr;
  put_difference(j, "translation_error_m", "rotation_error_deg", row.to_truth);
  put_difference(j, "translation_vs_ref_m", "rotation_vs_ref_deg", row.to_reference);
  j["error"] = row.error.empty() ? json() : json(row.error);
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

RunRow run_row_from_json(std::string_view line) {
  try {
    return parse(json::parse(line));
  } catch (const json::exception& error) {
    throw InputError(
        fmt::format("not a row of results.jsonl: {}", printable(error.what(), 300)));  // it quotes the line
  }
}

}  // namespace ndt::harness
