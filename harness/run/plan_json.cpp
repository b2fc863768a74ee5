// A plan as plan.json: what a process is told to do, and what a resumed run goes on with.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/json_struct.hpp"
#include "io/json_file.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/text.hpp"
#include "peers/peer_file.hpp"
#include "registry/option_keys.hpp"
#include "run/guess_grids.hpp"
#include "run/plan.hpp"

namespace ndt::harness {

constexpr auto fields_of(const TimingRule*) { return kTimingRule; }
constexpr auto fields_of(const JobLimits*) { return kJobLimits; }
constexpr auto fields_of(const GuessGrid*) { return kGuessGrid; }
constexpr auto fields_of(const GuessScatter*) { return kGuessScatter; }
constexpr auto fields_of(const LeftOut*) {
  return std::tuple{Field{"what", &LeftOut::what}, Field{"why", &LeftOut::why}};
}
constexpr auto fields_of(const Variant*) {
  return std::tuple{Field{"variant", &Variant::name}, Field{"reg_at_truth", &Variant::regularised_at_truth}};
}
constexpr auto fields_of(const SearchSpec*) {
  return std::tuple{Field{"name", &SearchSpec::name}, Field{"sigma", &SearchSpec::sigma},
                    Field{"seeds", &SearchSpec::seeds}};
}
/// The fields without variant and search, which have options.
constexpr auto fields_of(const Job*) {
  return std::tuple_cat(
      std::tuple{Field{"job", &Job::index}, Field{"dataset", &Job::dataset},
                 Field{"implementation", &Job::implementation}, Field{"threads", &Job::threads},
                 Field{"timed", &Job::timed}, Field{"trace", &Job::trace},
                 Field{"second_look", &Job::second_look}, Field{"frames", &Job::frames},
                 Field{"first_row", &Job::first_measurement}, Field{"row_count", &Job::measurement_count},
                 Field{"shared_rows", &Job::shared_count}, Field{"poses", &Job::poses},
                 Field{"grids", &Job::grids}, Field{"scatters", &Job::scatters},
                 Field{"timing", &Job::timing}},
      kCallSettings);
}
constexpr auto fields_of(const Shard*) {
  return std::tuple{Field{"parts", &Shard::parts}, Field{"of", &Shard::of}, Field{"jobs", &Shard::jobs}};
}
/// The fields without the jobs.
constexpr auto fields_of(const Plan*) {
  return std::tuple{Field{"run_id", &Plan::run_id},
                    Field{"preset", &Plan::preset},
                    Field{"description", &Plan::description},
                    Field{"seed", &Plan::seed},
                    Field{"timing", &Plan::timing},
                    Field{"limits", &Plan::limits},
                    Field{"left_out", &Plan::left_out},
                    Field{"datasets", &Plan::datasets},
                    Field{"shard", &Plan::shard}};
}

namespace {

using json = nlohmann::ordered_json;

json job_json(const Job& job) {
  json j = without_nulls(object_of(job));
  j.update(object_of(job.variant));
  j["options"] = options_json(job.variant.options);
  if (!job.search) return j;
  j["search"] = object_of(*job.search);
  if (job.search->prior != PriorKind::pose) j["search"]["prior"] = to_string(job.search->prior);
  j["search"].update(options_json(job.search->arguments));
  return j;
}

Job job_of(const json& j) {
  Job job;
  read_object(j, job);
  read_object(j, job.variant);
  job.variant.options = options_from_json<AlignArguments>(j.at("options"));
  if (!j.contains("search")) return job;
  job.search.emplace();
  read_object(j["search"], *job.search);
  // Plans of earlier programs have no such key.
  if (j["search"].contains("prior")) read_value(j["search"]["prior"], "prior", job.search->prior);
  job.search->arguments = options_from_json<SearchArguments>(j["search"]);
  return job;
}

void require_bounds(const std::vector<GuessGrid>& grids) {
  require_whole("grids", static_cast<std::int64_t>(grids.size()), 0, Limits::kGrids);
  double guesses = 0;
  for (const GuessGrid& grid : grids) {
    guesses += combinations(grid);
    for_each_option(kGuessGrid, [&](const auto& option) {
      for (const double offset : grid.*option.member) require_within(option.name, offset, option.bounds);
    });
  }
  require_closed("grids: guesses", guesses, 0, Limits::kMeasurements);
}

void require_bounds(const SearchSpec& search, bool of_a_peer) {
  require_whole("seeds", search.seeds, 1, kCountMost);
  for (const double sigma : search.sigma) require_closed("sigma", sigma, 0, kOffsetMost);
  require_for_a_run(resolve(search.arguments), search.prior, of_a_peer);
}

/// Checks bounds. Frames and guesses, which only a dataset can tell, are checked when measurements are made.
void require_bounds(const Job& job) {
  // The file of a peer may change while a run lasts: that costs its own jobs.
  if (!is_peer_name(job.implementation)) find_implementation(job.implementation);
  require_whole("threads", job.threads, 1, Limits::kThreads);
  require_whole("row_count", static_cast<std::int64_t>(job.measurement_count), 1, Limits::kJobMeasurements);
  require_whole("shared_rows", static_cast<std::int64_t>(job.shared_count.value_or(0)), 0,
                static_cast<std::int64_t>(job.measurement_count));
  for (const int poses : job.poses) require_whole("poses", poses, 1, kPosesMost);
  require_bounds(job.grids);
  for (const GuessScatter& scatter : job.scatters) require_within(kGuessScatter, scatter);
  for_each_call_setting(
      [&](const CallOption& setting) { require_within(setting.name, job.*setting.member, setting.bounds); });
  if (job.announced_ms && !job.rate_hz) throw FieldError("announced_ms requires rate_hz");
  if (job.timing) require_within(kTimingRule, *job.timing);
  if (job.search) require_bounds(*job.search, is_peer_name(job.implementation));
  resolve(job.variant.options);
  per_scan(job.variant.options);
}

void require_bounds(const Shard& shard, std::size_t jobs) {
  require_whole("shard of", shard.of, 1, kCountMost);
  for (const int part : shard.parts) require_whole("shard parts", part, 1, shard.of);
  for (const int job : shard.jobs) require_whole("shard jobs", job, 0, static_cast<std::int64_t>(jobs) - 1);
  if (shard.parts.empty() || std::ranges::adjacent_find(shard.jobs, std::greater_equal{}) != shard.jobs.end())
    throw FieldError("shard has no part, or its jobs are not in ascending order");
}

Plan plan_of(const json& j) {
  Plan plan;
  read_object(j, plan);
  require_within(kTimingRule, plan.timing);
  require_within(kJobLimits, plan.limits);
  if (plan.limits.call_s) require_closed("call_s", *plan.limits.call_s, 0, 86400);
  for (const json& job : j.at("jobs")) {
    plan.jobs.push_back(job_of(job));
    if (plan.jobs.back().index != static_cast<int>(plan.jobs.size()) - 1)
      throw FieldError(
          fmt::format("job {} stands at place {}", plan.jobs.back().index, plan.jobs.size() - 1));
    require_bounds(plan.jobs.back());
  }
  if (plan.shard) require_bounds(*plan.shard, plan.jobs.size());
  return plan;
}

}  // namespace

std::string plan_json(const Plan& plan) {
  json j = object_of(plan);
  j["limits"] = without_nulls(j["limits"]);
  if (!plan.shard) j.erase("shard");
  j["jobs"] = json::array();
  for (const Job& job : plan.jobs) j["jobs"].push_back(job_json(job));
  return j.dump(1, ' ', false, json::error_handler_t::replace);
}

Plan read_plan(const std::filesystem::path& file) {
  constexpr const char* kNoPlan = "it is no plan that ndt-bench run wrote; begin a new run";
  const std::string text = whole_text(file, Limits::kPlanBytes, kNoPlan);
  const ParsedJson parsed = parse_json(text);
  if (parsed.fault) throw refusal(printable_name(file.string()), "", parsed.fault, kNoPlan);
  try {
    return plan_of(parsed.value);
  } catch (const FieldError& error) {
    throw refusal(printable_name(file.string()), "", printable(error.what(), 200), kNoPlan);
  } catch (const json::exception& error) {
    throw refusal(printable_name(file.string()), "", printable(error.what(), 200), kNoPlan);
  } catch (const std::invalid_argument& error) {  // an option out of its bounds, or an unknown name
    throw refusal(printable_name(file.string()), "", printable(error.what(), 200), kNoPlan);
  }
}

}  // namespace ndt::harness
