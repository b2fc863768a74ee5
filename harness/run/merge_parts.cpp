#include "run/merge_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "io/json_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr const char* kGiveARun = "give the folder of a run";
constexpr const char* kOnePlan =
    "merge parts of one run: plan it once, and give the others its plan.json (run --plan, --shard i/n)";

bool all_objects(const json& list) {
  return list.is_array() && std::ranges::all_of(list, [](const json& entry) { return entry.is_object(); });
}

bool are_implementations(const json& list) {
  return all_objects(list) && std::ranges::all_of(list, [](const json& entry) {
           return entry_at(entry, "/available").is_boolean();
         });
}

bool are_parts(const json& list) {
  return all_objects(list) && !list.empty() && std::ranges::all_of(list, [](const json& part) {
           const json jobs = entry_at(part, "/jobs");
           return entry_at(part, "/run_id").is_string() && entry_at(part, "/environment").is_object() &&
                  jobs.is_array() &&
                  std::ranges::all_of(jobs, [](const json& job) { return job.is_number_integer(); });
         });
}

/// A file of the folder, which must be `as_written`.
template <class AsWritten>
json read_file(const fs::path& file, AsWritten&& as_written) {
  json value = read_json(file, kGiveARun);
  if (!as_written(value))
    throw refusal(printable_name(file.string()), "", "is not what ndt-bench writes", kGiveARun);
  return value;
}

/// The entry of a part that ran by itself.
json only_part(const Part& part) {
  json jobs = json::array();
  if (part.plan.shard)
    jobs = part.plan.shard->jobs;
  else
    for (const Job& job : part.plan.jobs) jobs.push_back(job.index);
  json only = {{"run_id", part.plan.run_id}, {"environment", part.environment}, {"jobs", std::move(jobs)}};
  return json::array({std::move(only)});
}

/// All but what may differ between parts: the run's name, the shard, and why something was left out.
std::string common_plan(Plan plan) {
  plan.run_id.clear();
  plan.shard.reset();
  plan.left_out.clear();
  return plan_json(plan);
}

/// Removes what depends on the machine.
json common_implementations(json list) {
  for (json& entry : list)
    for (const char* key : {"available", "reason"}) entry.erase(key);
  return list;
}

}  // namespace

Part read_part(const fs::path& folder) {
  const auto is_object = [](const json& value) { return value.is_object(); };
  const auto is_array = [](const json& value) { return value.is_array(); };
  Part part;
  part.folder = folder;
  part.name = printable_name(folder.string());
  if (fs::exists(folder / "run.lock")) part.lock.emplace(LockFile::of_reader(folder / "run.lock"));
  part.plan = read_plan(folder / "plan.json");
  for (const char* file : {"results.jsonl", "datasets.json", "columns.json", "implementations.json"})
    if (!fs::exists(folder / file))
      throw refusal(part.name, "", fmt::format("has no {}: that part has not finished", file),
                    "ndt-bench run --resume " + part.name);
  part.environment = read_file(folder / "environment.json", is_object);
  part.datasets = read_file(folder / "datasets.json", all_objects);
  part.columns = read_file(folder / "columns.json", is_array);
  part.implementations = read_file(folder / "implementations.json", are_implementations);
  part.ran = fs::exists(folder / kPartsFile) ? read_file(folder / kPartsFile, are_parts) : only_part(part);
  return part;
}

void require_one_run(const Part& first, const Part& other) {
  const auto differs = [&](const char* key) {
    return first.environment.value(key, json()) != other.environment.value(key, json());
  };
  const char* what =
      common_plan(first.plan) != common_plan(other.plan) ? "plan"
      : differs("commit")                                ? "commit"
      : differs("flags")                                 ? "compiler flags"
      : differs("compiler")                              ? "compiler"
      : first.datasets != other.datasets                 ? "fingerprint or description of a dataset"
      : first.columns != other.columns                   ? "list of columns"
      : common_implementations(first.implementations) != common_implementations(other.implementations)
          ? "list of implementations"
          : nullptr;
  if (what) throw refusal(other.name, "", fmt::format("has another {} than {}", what, first.name), kOnePlan);
}

bool on_one_machine(const json& ran) {
  return std::ranges::all_of(kMachineEntries, [&](const MachineEntry& entry) {
    const std::string pointer = std::string("/environment") + entry.pointer;
    return std::ranges::all_of(ran, [&](const json& part) {
      return entry_at(part, pointer.c_str()) == entry_at(ran.front(), pointer.c_str());
    });
  });
}

}  // namespace ndt::harness
