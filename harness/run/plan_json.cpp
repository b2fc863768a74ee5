// A plan as plan.json: what a process is told to do, and what a resumed run goes on with.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/refusal.hpp"
#include "ndt/core/error.hpp"
#include "registry/option_keys.hpp"
#include "run/plan.hpp"
#include "run/search_json.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

json grid_json(const GuessGrid& grid) {
  return {{"x_m", grid.x_m}, {"y_m", grid.y_m}, {"z_m", grid.z_m}, {"yaw_deg", grid.yaw_deg}};
}

GuessGrid grid_of(const json& j) { return {j.at("x_m"), j.at("y_m"), j.at("z_m"), j.at("yaw_deg")}; }

json timing_json(const TimingRule& timing) {
  return {{"samples", timing.samples},
          {"spread", timing.spread},
          {"cap_s", timing.cap_s},
          {"idle_samples", timing.idle_samples}};
}

TimingRule timing_of(const json& j) { return {j.at("samples"), j.at("spread"), j.at("cap_s"), j.at("idle_samples")}; }

json job_json(const Job& job) {
  json j = {{"job", job.index},
            {"dataset", job.dataset},
            {"implementation", job.implementation},
            {"variant", job.variant.name},
            {"options", options_json(job.variant.options)},
            {"threads", job.threads},
            {"timed", job.timed},
            {"trace", job.trace},
            {"frames", job.frames},
            {"first_row", job.first_row},
            {"row_count", job.row_count},
            {"poses", job.poses},
            {"reg_at_truth", job.variant.regularised_at_truth},
            {"grids", json::array()}};
  if (job.search) j["search"] = to_json(*job.search);
  if (job.timing) j["timing"] = timing_json(*job.timing);
  for (const GuessGrid& grid : job.grids) j["grids"].push_back(grid_json(grid));
  return j;
}

Job job_of(const json& j) {
  Job job;
  j.at("job").get_to(job.index);
  j.at("dataset").get_to(job.dataset);
  j.at("implementation").get_to(job.implementation);
  j.at("variant").get_to(job.variant.name);
  job.variant.options = options_from_json<AlignArguments>(j.at("options"));
  j.at("threads").get_to(job.threads);
  j.at("timed").get_to(job.timed);
  j.at("trace").get_to(job.trace);
  j.at("frames").get_to(job.frames);
  j.at("first_row").get_to(job.first_row);
  j.at("row_count").get_to(job.row_count);
  j.at("poses").get_to(job.poses);
  j.at("reg_at_truth").get_to(job.variant.regularised_at_truth);
  for (const json& grid : j.at("grids")) job.grids.push_back(grid_of(grid));
  if (j.contains("search")) job.search = named_search_from(j["search"]);
  if (j.contains("timing")) job.timing = timing_of(j["timing"]);
  return job;
}

Plan plan_of(const json& j) {
  Plan plan;
  j.at("run_id").get_to(plan.run_id);
  j.at("preset").get_to(plan.preset);
  j.at("description").get_to(plan.description);
  j.at("seed").get_to(plan.seed);
  plan.timing = timing_of(j.at("timing"));
  const json& limits = j.at("limits");
  plan.limits = {limits.at("measurement_s"), limits.at("memory_mib"), {}};
  if (limits.contains("call_s")) plan.limits.call_s = limits["call_s"].get<double>();
  j.at("datasets").get_to(plan.datasets);
  for (const json& left : j.at("left_out")) plan.left_out.push_back({left.at("what"), left.at("why")});
  for (const json& job : j.at("jobs")) plan.jobs.push_back(job_of(job));
  return plan;
}

}  // namespace

std::string plan_json(const Plan& plan) {
  json j = {{"run_id", plan.run_id},
            {"preset", plan.preset},
            {"description", plan.description},
            {"seed", plan.seed},
            {"timing", timing_json(plan.timing)},
            {"limits", {{"measurement_s", plan.limits.measurement_s}, {"memory_mib", plan.limits.memory_mib}}},
            {"left_out", json::array()},
            {"datasets", plan.datasets},
            {"jobs", json::array()}};
  if (plan.limits.call_s) j["limits"]["call_s"] = *plan.limits.call_s;
  for (const LeftOut& left : plan.left_out) j["left_out"].push_back({{"what", left.what}, {"why", left.why}});
  for (const Job& job : plan.jobs) j["jobs"].push_back(job_json(job));
  return j.dump(1, ' ', false, json::error_handler_t::replace);
}

Plan read_plan(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string name = printable_name(file.string());
  if (!in) throw refusal(name, "", "cannot be opened", "give the folder of a run that ndt-bench run has begun");
  try {
    return plan_of(json::parse(in));
  } catch (const json::exception& error) {
    throw refusal(name, "", printable(error.what(), 200), "it is no plan that ndt-bench run wrote; begin a new run");
  }
}

}  // namespace ndt::harness
