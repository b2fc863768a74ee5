#include "run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "base/lock_file.hpp"
#include "base/output_file.hpp"
#include "io/text.hpp"
#include "ndt/core/limits.hpp"
#include "run/plan.hpp"
#include "run/result_lines.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr const char* kParts = "parts.json";
constexpr const char* kOnePlan =
    "merge parts of one run: plan it once, and give the others its plan.json (run --plan, --shard i/n)";

struct Part {
  fs::path folder;
  std::string name;  ///< printable
  Plan plan;
  json environment, datasets, columns, implementations;
  std::optional<LockFile> lock;  ///< no process writes to the folder meanwhile
};

json read_json(const fs::path& file) {
  json j = json::parse(whole_text(file, Limits::kMetadataBytes, "give the folder of a run"), nullptr, false);
  if (j.is_discarded())
    throw refusal(printable_name(file.string()), "", "is not JSON", "give the folder of a run");
  return j;
}

bool all_objects(const json& list) {
  return list.is_array() && std::ranges::all_of(list, [](const json& entry) { return entry.is_object(); });
}

Part read_part(const fs::path& folder) {
  Part part;
  part.folder = folder;
  part.name = printable_name(folder.string());
  if (fs::exists(folder / "run.lock")) part.lock.emplace(folder / "run.lock");
  part.plan = read_plan(folder / "plan.json");
  part.environment = read_json(folder / "environment.json");
  part.datasets = read_json(folder / "datasets.json");
  part.columns = read_json(folder / "columns.json");
  part.implementations = read_json(folder / "implementations.json");
  if (!part.environment.is_object() || !all_objects(part.implementations))
    throw refusal(part.name, "", "its environment.json or implementations.json is not what a run writes",
                  "give the folder of a run");
  return part;
}

/// All but what may differ between parts: the run's name, the shard, and why something was left out.
std::string common_plan(Plan plan) {
  plan.run_id.clear();
  plan.shard.reset();
  plan.left_out.clear();
  return plan_json(plan);
}

/// Without what depends on the machine.
json common_implementations(json list) {
  for (json& entry : list)
    for (const char* key : {"available", "reason"}) entry.erase(key);
  return list;
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

/// Environment and jobs of every part that ran; those of a merged run stand in its own parts.json.
json ran_parts(const std::vector<Part>& parts) {
  json list = json::array();
  for (const Part& part : parts) {
    if (fs::exists(part.folder / kParts)) {
      const json inner = read_json(part.folder / kParts);
      list.insert(list.end(), inner.begin(), inner.end());
      continue;
    }
    json jobs = json::array();
    if (part.plan.shard)
      jobs = part.plan.shard->jobs;
    else
      for (const Job& job : part.plan.jobs) jobs.push_back(job.index);
    list.push_back(
        {{"run_id", part.plan.run_id}, {"environment", part.environment}, {"jobs", std::move(jobs)}});
  }
  return list;
}

/// Whether the times of all that ran can be compared.
bool on_one_machine(const json& ran) {
  const auto same = [&](const char* key) {
    const json::json_pointer at(std::string("/environment/") + key);
    return std::ranges::all_of(
        ran, [&](const json& part) { return part.value(at, json()) == ran.front().value(at, json()); });
  };
  return same("machine") && same("cpu_model") && same("cores") && same("cuda/devices");
}

/// The environment that all parts share, under a new name; other entries stand in parts.json alone.
json common_environment(const std::vector<Part>& parts, const std::string& run_id,
                        const std::string& command_line) {
  json common;
  for (const auto& [key, value] : parts.front().environment.items())
    if (std::ranges::all_of(parts,
                            [&](const Part& part) { return part.environment.value(key, json()) == value; }))
      common[key] = value;
  common["run_id"] = run_id;
  common["date_utc"] = parts.front().environment.value("date_utc", json());
  common["command_line"] = command_line;
  common["merged_from"] = json::array();
  for (const Part& part : parts) common["merged_from"].push_back(part.plan.run_id);
  return common;
}

json available_anywhere(const std::vector<Part>& parts) {
  json list = parts.front().implementations;
  for (std::size_t k = 0; k < list.size(); ++k)
    for (const Part& part : parts)
      if (part.implementations[k].value("available", false)) list[k] = part.implementations[k];
  return list;
}

/// All jobs of the parts; no shard once these are all of the plan.
Plan joined_plan(const std::vector<Part>& parts, const std::string& run_id) {
  Plan plan = parts.front().plan;
  plan.run_id = run_id;
  std::set<int> jobs, numbers;
  for (const Part& part : parts) {
    if (!part.plan.shard || part.plan.shard->of != parts.front().plan.shard.value_or(Shard{}).of) {
      plan.shard.reset();
      return plan;
    }
    jobs.insert(part.plan.shard->jobs.begin(), part.plan.shard->jobs.end());
    numbers.insert(part.plan.shard->parts.begin(), part.plan.shard->parts.end());
  }
  plan.shard->jobs.assign(jobs.begin(), jobs.end());
  plan.shard->parts.assign(numbers.begin(), numbers.end());
  if (jobs.size() == plan.jobs.size()) plan.shard.reset();
  return plan;
}

/// Whether a report compares its time: of batches and searches it does with one sample, too.
bool has_time(const Measurement& measurement) {
  return measurement.error.empty() &&
         (measurement.timing != Timing::single || measurement.poses > 1 || measurement.search);
}

/// Puts measurements of all parts behind each other, and refuses what does not belong together.
class Rows {
 public:
  Rows(const fs::path& file, std::string run_id, bool one_machine)
      : out_(file), run_id_(std::move(run_id)), one_machine_(one_machine) {}

  void take(const Part& part) {
    ResultLines lines(part.folder / "results.jsonl");
    while (lines.next()) {
      const Measurement measurement = lines.measurement();
      if (measurement.run_id != part.plan.run_id)
        throw lines.refused(fmt::format("a measurement of the run '{}'", printable(measurement.run_id)));
      const auto [first, is_new] = from_.emplace(measurement_key(measurement), part.name);
      if (!is_new)
        throw lines.refused(
            fmt::format("this measurement is in {} too: {}", first->second, printable_name(first->first)),
            kOnePlan);
      if (!one_machine_ && has_time(measurement))
        throw lines.refused("a timed measurement, and the parts were measured on different machines",
                            "times are never compared across machines: make a report of each, or merge parts "
                            "of single alignments that are not timed");
      json line = json::parse(lines.text());
      line["run_id"] = run_id_;
      out_.append(line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n');
    }
  }
  std::size_t count() const { return from_.size(); }

 private:
  NewFile out_;
  std::string run_id_;
  bool one_machine_;
  std::map<std::string, std::string> from_;  ///< measurement to the part that has it
};

/// The thinned clouds of the pictures, which published folders leave out.
void copy_clouds(const std::vector<Part>& parts, const fs::path& out) {
  const auto has = [](const Part& part) { return fs::is_directory(part.folder / "clouds"); };
  const auto from = std::ranges::find_if(parts, has);
  if (from == parts.end()) return;
  make_subfolder(out / "clouds");
  for (const auto& entry : fs::directory_iterator(from->folder / "clouds"))
    if (entry.is_regular_file() && !entry.is_symlink())
      fs::copy_file(entry.path(), out / "clouds" / entry.path().filename());
}

std::string joined_id(const std::vector<Part>& parts) {
  std::string id;
  for (const Part& part : parts) id += (id.empty() ? "" : "+") + part.plan.run_id;
  return id;
}

void write_json(const fs::path& file, const json& j) {
  write_text(file, j.dump(1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

std::size_t merge_runs(const std::vector<fs::path>& folders, const fs::path& out,
                       const std::string& command_line) {
  std::vector<Part> parts;
  for (const fs::path& folder : folders) {
    for (const Part& part : parts)
      if (fs::equivalent(part.folder, folder))
        throw refusal(printable_name(folder.string()), "", "is given twice", "name every part once");
    parts.push_back(read_part(folder));
    require_one_run(parts.front(), parts.back());
  }
  const std::string run_id = joined_id(parts);
  const json ran = ran_parts(parts);
  FolderInMaking made(out);
  Rows rows(made.path() / "results.jsonl", run_id, on_one_machine(ran));
  for (const Part& part : parts) rows.take(part);
  write_text(made.path() / "plan.json", plan_json(joined_plan(parts, run_id)));
  write_json(made.path() / "environment.json", common_environment(parts, run_id, command_line));
  write_json(made.path() / kParts, ran);
  write_json(made.path() / "datasets.json", parts.front().datasets);
  write_json(made.path() / "columns.json", parts.front().columns);
  write_json(made.path() / "implementations.json", available_anywhere(parts));
  copy_clouds(parts, made.path());
  made.finish();
  return rows.count();
}

}  // namespace ndt::harness
