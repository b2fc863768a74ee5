#include "run/search_json.hpp"

#include <algorithm>

#include "base/json_fields.hpp"
#include "registry/option_keys.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kFound[] = {"best_particle",   "reliable",       "ambiguous",    "interrupted",
                                  "runner_up_ratio", "runner_up_pose", "improvements", "paths"};

json improvement_json(const Improvement& i) {
  return {{"particle", i.particle},
          {"us", i.us},
          {"nvtl", i.nvtl},
          {"translation_error_m", i.translation_error_m ? json(*i.translation_error_m) : json()},
          {"rotation_error_deg", i.rotation_error_deg ? json(*i.rotation_error_deg) : json()}};
}

std::optional<double> number_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

Improvement improvement_of(const json& j) {
  return {j.at("particle"), j.at("us"), j.at("nvtl"), number_of(j.at("translation_error_m")),
          number_of(j.at("rotation_error_deg"))};
}

template <std::size_t N>
void read_numbers(const json& value, double (&out)[N]) {
  const auto numbers = value.get<std::array<double, N>>();
  std::ranges::copy(numbers, out);
}

}  // namespace

json to_json(const SearchSpec& search) {
  json j = {{"name", search.name}, {"sigma", array_of(search.sigma)}, {"seeds", search.seeds}};
  j.update(options_json(search.arguments));
  return j;
}

SearchSpec named_search_from(const json& j) {
  SearchSpec search;
  j.at("name").get_to(search.name);
  read_numbers(j.at("sigma"), search.sigma);
  j.at("seeds").get_to(search.seeds);
  search.arguments = options_from_json<SearchArguments>(j);
  return search;
}

json to_json(const SearchRecord& row, bool found) {
  json j = {{"name", row.name},
            {"strategy", row.strategy},
            {"method", row.method},
            {"particles", row.particles},
            {"startup", row.startup},
            {"at_once", row.at_once},
            {"candidates", row.candidates},
            {"reliable_nvtl", row.reliable_nvtl},
            {"seed", row.seed},
            {"sigma", array_of(row.sigma)}};
  for (const char* key : kFound) j[key] = nullptr;
  if (!found) return j;
  j["best_particle"] = row.best_particle;
  j["reliable"] = row.reliable;
  j["ambiguous"] = row.ambiguous;
  if (!row.interrupted.empty()) j["interrupted"] = row.interrupted;
  if (row.runner_up_ratio) j["runner_up_ratio"] = *row.runner_up_ratio;
  if (row.runner_up_pose) j["runner_up_pose"] = array_of(row.runner_up_pose->m);
  j["improvements"] = json::array();
  for (const Improvement& improvement : row.improvements) j["improvements"].push_back(improvement_json(improvement));
  if (!row.paths.empty()) j["paths"] = row.paths;
  return j;
}

SearchRecord search_row_from(const json& j, bool found) {
  SearchRecord row;
  j.at("name").get_to(row.name);
  j.at("strategy").get_to(row.strategy);
  j.at("method").get_to(row.method);
  j.at("particles").get_to(row.particles);
  j.at("startup").get_to(row.startup);
  j.at("at_once").get_to(row.at_once);
  if (j.contains("candidates")) j["candidates"].get_to(row.candidates);  // rows of earlier programs have none
  if (j.contains("reliable_nvtl")) j["reliable_nvtl"].get_to(row.reliable_nvtl);
  j.at("seed").get_to(row.seed);
  read_numbers(j.at("sigma"), row.sigma);
  if (!found) return row;
  j.at("best_particle").get_to(row.best_particle);
  j.at("reliable").get_to(row.reliable);
  j.at("ambiguous").get_to(row.ambiguous);
  if (j.contains("interrupted") && !j["interrupted"].is_null()) j["interrupted"].get_to(row.interrupted);
  row.runner_up_ratio = number_of(j.at("runner_up_ratio"));
  if (!j.at("runner_up_pose").is_null()) row.runner_up_pose = transform_of(j["runner_up_pose"]);
  for (const json& improvement : j.at("improvements")) row.improvements.push_back(improvement_of(improvement));
  if (!j.at("paths").is_null()) j["paths"].get_to(row.paths);
  return row;
}

}  // namespace ndt::harness
