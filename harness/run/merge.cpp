#include "run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "base/interruption.hpp"
#include "io/json_file.hpp"
#include "ndt/io/output_file.hpp"
#include "run/merge_parts.hpp"
#include "run/result_lines.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
constexpr const char* kLoad = "load_average_1_min";

/// The entries that all parts have alike.
json common_entries(const std::vector<json>& objects) {
  json common = json::object();
  for (const auto& entry : objects.front().items())
    if (std::ranges::all_of(
            objects, [&](const json& other) { return other.value(entry.key(), json()) == entry.value(); }))
      common[entry.key()] = entry.value();
  return common;
}

/// The parts' values of the key that are objects.
std::vector<json> objects_at(const std::vector<Part>& parts, const char* key) {
  std::vector<json> objects;
  for (const Part& part : parts)
    if (const json value = part.environment.value(key, json()); value.is_object()) objects.push_back(value);
  return objects;
}

/// One busy machine makes the whole run doubtful.
json largest_load(const std::vector<Part>& parts) {
  json largest;
  for (const Part& part : parts)
    if (const json load = part.environment.value(kLoad, json()); load.is_number())
      largest = largest.is_null() ? load : std::max(largest, load);
  return largest;
}

/// The environment that all parts share, under a new name; other entries stand in parts.json alone.
json common_environment(const std::vector<Part>& parts, const std::string& run_id,
                        const std::string& command_line) {
  std::vector<json> environments;
  for (const Part& part : parts) environments.push_back(part.environment);
  json common = common_entries(environments);
  if (const auto cuda = objects_at(parts, "cuda"); cuda.size() == parts.size())
    common["cuda"] = common_entries(cuda);
  if (const json load = largest_load(parts); !load.is_null()) common[kLoad] = load;
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

/// As a reader finds it in a table: dataset, frame and guess, then by what it was aligned and how.
std::string in_words(const Measurement& m) {
  std::string text =
      fmt::format("{} on {}, frame {}, guess {}, variant {}, {} thread{}", printable(m.implementation),
                  printable(m.dataset), printable(m.frame), printable(m.guess_name), printable(m.variant),
                  m.threads, m.threads == 1 ? "" : "s");
  if (m.poses > 1) text += fmt::format(", {} poses", m.poses);
  if (m.search) text += fmt::format(", search {}", printable(m.search->name));
  if (const std::string call = in_words(static_cast<const CallSetting&>(m)); !call.empty())
    text += ", at " + call;
  return text;
}

/// Puts measurements of all parts behind each other, and refuses what does not belong together.
class Rows {
 public:
  Rows(const fs::path& file, std::string run_id, bool one_machine)
      : out_(file), run_id_(std::move(run_id)), one_machine_(one_machine) {}

  void take(const Part& part) {
    ResultLines lines(part.folder / "results.jsonl");
    while (lines.next()) {
      Interruption::check();
      const Measurement measurement = lines.measurement();
      if (measurement.run_id != part.plan.run_id)
        throw lines.refused(fmt::format("a measurement of the run '{}'", printable(measurement.run_id)));
      const auto [first, is_new] = from_.emplace(measurement_key(measurement), part.name);
      if (!is_new)
        throw lines.refused(
            fmt::format("this measurement is in {} too: {}", first->second, in_words(measurement)),
            "leave out one of the two folders");
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

/// Names of the pictures' clouds: of files right below clouds/, and no others.
std::set<std::string> picture_names(const json& datasets) {
  std::set<std::string> names;
  for (const json& dataset : datasets)
    for (const char* cloud : {"/picture/map", "/picture/scan"}) {
      const json given = entry_at(dataset, cloud);
      const fs::path path = given.is_string() ? given.get<std::string>() : "";
      if (path.parent_path() == "clouds" && path.has_filename()) names.insert(path.filename().string());
    }
  return names;
}

/// The thinned clouds of the pictures, which published folders leave out. Nothing is read through a link.
void copy_clouds(const std::vector<Part>& parts, const fs::path& out) {
  const auto clouds = [](const Part& part) { return part.folder / "clouds"; };
  const auto from = std::ranges::find_if(
      parts, [&](const Part& part) { return fs::is_directory(fs::symlink_status(clouds(part))); });
  if (from == parts.end()) return;
  make_subfolder(out / "clouds");
  for (const std::string& name : picture_names(from->datasets))
    if (fs::is_regular_file(fs::symlink_status(clouds(*from) / name)))
      fs::copy_file(clouds(*from) / name, out / "clouds" / name);
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
  json ran = json::array();
  for (const Part& part : parts) ran.insert(ran.end(), part.ran.begin(), part.ran.end());
  FolderInMaking made(out);
  Rows rows(made.path() / "results.jsonl", run_id, on_one_machine(ran));
  for (const Part& part : parts) rows.take(part);
  write_text(made.path() / "plan.json", plan_json(joined_plan(parts, run_id)));
  write_json(made.path() / "environment.json", common_environment(parts, run_id, command_line));
  write_json(made.path() / kPartsFile, ran);
  write_json(made.path() / "datasets.json", parts.front().datasets);
  write_json(made.path() / "columns.json", parts.front().columns);
  write_json(made.path() / "implementations.json", available_anywhere(parts));
  copy_clouds(parts, made.path());
  made.finish();
  return rows.count();
}

}  // namespace ndt::harness
