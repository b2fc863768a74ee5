#include "run/plan_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/errors.hpp"
#include "data/load_dataset.hpp"
#include "run/job_measurements.hpp"

namespace ndt::harness {
namespace {

std::vector<const Job*> all_jobs(const Plan& plan) {
  std::vector<const Job*> jobs;
  for (const Job& job : plan.jobs) jobs.push_back(&job);
  return jobs;
}

/// Calls visit(job, measurement) for all measurements of the jobs.
template <class Visit>
void for_each_measurement(const Plan& plan, const std::vector<const Job*>& jobs, const ReportProgress& report,
                          Visit&& visit) {
  std::map<std::string, Dataset> datasets;
  for (const Job* job : jobs) {
    if (!datasets.contains(job->dataset)) datasets.emplace(job->dataset, load_dataset(job->dataset, report));
    for (const Measurement& measurement : planned_measurements(plan.run_id, *job, datasets.at(job->dataset)))
      visit(*job, measurement);
  }
}

PlanCost cost_of(const Plan& plan, const ReportProgress& report) {
  PlanCost cost;
  std::unordered_set<std::string> counted;  // jobs of two studies may share measurements
  for_each_measurement(plan, own_jobs(plan), report, [&](const Job& job, const Measurement& measurement) {
    if (counted.insert(measurement_key(measurement)).second) cost.add(job, measurement, plan.timing);
  });
  return cost;
}

/// Jobs in groups without a measurement in common.
class JobGroups {
 public:
  explicit JobGroups(const Plan& plan) : above_(plan.jobs.size()) {
    std::iota(above_.begin(), above_.end(), 0);
    std::unordered_map<std::string, int> first;  // job that has the measurement
    for_each_measurement(plan, all_jobs(plan), {}, [&](const Job& job, const Measurement& measurement) {
      const auto [found, is_new] = first.emplace(measurement_key(measurement), job.index);
      if (!is_new) join(found->second, job.index);
    });
  }
  /// The smallest job of the group.
  int of(int job) const {
    while (above_[static_cast<std::size_t>(job)] != job) job = above_[static_cast<std::size_t>(job)];
    return job;
  }

 private:
  void join(int a, int b) {
    const auto [low, high] = std::minmax({of(a), of(b)});
    above_[static_cast<std::size_t>(high)] = low;
  }

  std::vector<int> above_;  ///< a smaller job of the same group, or the job itself
};

}  // namespace

Plan repeated_plan(const std::filesystem::path& file, const std::string& run_id,
                   const ReportProgress& report) {
  Plan plan = read_plan(file);
  if (plan.jobs.empty())
    throw refusal(printable_name(file.string()), "", "plans nothing", "give the plan.json of a run");
  plan.run_id = run_id;
  for (const Job* job : own_jobs(plan)) choose_implementation(job->implementation);
  plan.cost = cost_of(plan, report);
  return plan;
}

void take_part(Plan& plan, int part, int of) {
  if (of < 1 || part < 1 || part > of)
    throw UsageError(fmt::format("--shard {}/{}: give i/n with i from 1 to n", part, of));
  const JobGroups groups(plan);
  std::map<int, int> dealt;  // group to part
  Shard shard{{part}, of, {}};
  for (const Job& job : plan.jobs) {
    const auto next = static_cast<int>(dealt.size()) % of + 1;
    if (dealt.emplace(groups.of(job.index), next).first->second == part) shard.jobs.push_back(job.index);
  }
  if (shard.jobs.empty())
    throw UsageError(fmt::format("--shard {}/{}: the plan can be shared by {} at most; give a smaller n",
                                 part, of, dealt.size()));
  plan.shard = std::move(shard);
  plan.cost = cost_of(plan, {});
}

std::vector<const Job*> own_jobs(const Plan& plan) {
  if (!plan.shard) return all_jobs(plan);
  std::vector<const Job*> jobs;
  for (const int index : plan.shard->jobs) jobs.push_back(&plan.jobs.at(static_cast<std::size_t>(index)));
  return jobs;
}

}  // namespace ndt::harness
