#include "run/run_folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "io/json_file.hpp"
#include "ndt/io/output_file.hpp"
#include "registry/registry.hpp"
#include "run/result_lines.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
constexpr const char* kResults = "results.jsonl";
constexpr const char* kPlan = "plan.json";
constexpr const char* kEnvironment = "environment.json";
constexpr const char* kLock = "run.lock";
constexpr const char* kMakeRoom = "make room on the disk, then ndt-bench run --resume";
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// A link that leads nowhere is there, too.
bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() != fs::file_type::not_found;
}

fs::path part_of(const fs::path& file) { return file.string() + ".part"; }

/// Runs made before there was the entry lack `machine`; in a merged run, that says its parts differ.
bool may_lack(const MachineEntry& entry, const json& begun_in) {
  return entry.pointer == std::string_view("/machine") && entry_at(begun_in, "/merged_from").is_null();
}

/// Measurements of two programs or two machines are two runs.
void require_same_place(const fs::path& folder) {
  constexpr const char* kBeginANewRun = "begin a new run, measurements of both would not be comparable";
  const json begun_in = read_json(folder / kEnvironment, kBeginANewRun),
             here = parse_json(environment_json("", "")).value;
  const auto require_same = [&](const MachineEntry& entry) {
    if (entry_at(begun_in, entry.pointer) != entry_at(here, entry.pointer))
      throw refusal(printable_name((folder / kEnvironment).string()), "",
                    fmt::format("the run was begun with another {}", entry.name), kBeginANewRun);
  };
  for (const MachineEntry& entry :
       {MachineEntry{"/commit", "commit"}, {"/flags", "compiler flags"}, {"/compiler", "compiler"}})
    require_same(entry);
  for (const MachineEntry& entry : kMachineEntries)
    if (!entry_at(begun_in, entry.pointer).is_null() || !may_lack(entry, begun_in)) require_same(entry);
}

bool worth_another_try(const Measurement& measurement) {
  return measurement.failure == Failure::crash || measurement.failure == Failure::timeout ||
         measurement.failure == Failure::memory;
}

}  // namespace

RunFolder::RunFolder(fs::path path, Plan plan, LockFile lock, NewFile results)
    : path_(std::move(path)), plan_(std::move(plan)), lock_(std::move(lock)), results_(std::move(results)) {}

RunFolder RunFolder::begin(const fs::path& path, const Plan& plan, const std::string& command_line) {
  make_folder(path);
  LockFile lock(path / kLock);  // before anything is written: of two runs, one has the folder
  if (is_there(path / kResults) || is_there(path / kPlan))
    throw refusal(printable_name(path.string()), "", "contains a run already",
                  "give another --out, or go on with that run: ndt-bench run --resume");
  write_text(path / kEnvironment, environment_json(plan.run_id, command_line, solvers()));
  write_text(path / kPlan, plan_json(plan));
  return RunFolder(path, plan, std::move(lock), NewFile(path / kResults, kMakeRoom));
}

RunFolder RunFolder::resume(const fs::path& path) {
  if (!is_there(path / kPlan))
    throw refusal(printable_name((path / kPlan).string()), "", "there is no such file",
                  "give the folder of a run that ndt-bench run has begun");
  LockFile lock(path / kLock);
  const Plan plan = read_plan(path / kPlan);
  require_same_place(path);
  RunFolder folder(path, plan, std::move(lock), NewFile(part_of(path / kResults), kMakeRoom));
  if (is_there(path / kResults)) folder.keep_finished_measurements();
  folder.results_.rename_to(path / kResults);
  return folder;
}

void RunFolder::keep_finished_measurements() {
  ResultLines lines(path_ / kResults);
  std::string kept;
  while (lines.next()) {
    const Measurement measurement = lines.measurement();
    if (measurement.run_id != plan_.run_id)
      throw lines.refused(fmt::format("a measurement of the run '{}'", printable(measurement.run_id)));
    if (worth_another_try(measurement) || done(measurement)) continue;
    count(measurement);
    kept += lines.text() + '\n';
    if (kept.size() > kPieceBytes) {
      results_.append(kept);
      kept.clear();
    }
  }
  results_.append(kept);
}

void RunFolder::require_all_in(const std::set<std::string>& planned) const {
  for (const std::string& key : done_)
    if (!planned.contains(key))
      throw refusal(printable_name((path_ / kResults).string()), "",
                    fmt::format("holds a measurement that is not in the plan: {}", printable_name(key)),
                    "begin a new run");
}

void RunFolder::append(const Measurement& measurement) {
  append_line(to_json_line(measurement), measurement);
}

void RunFolder::append_line(const std::string& line, const Measurement& measurement) {
  results_.append(line + '\n');
  count(measurement);
}

void RunFolder::count(const Measurement& measurement) {
  done_.insert(measurement_key(measurement));
  failed_ += measurement.failed() ? 1 : 0;
}

std::filesystem::path new_folder(const std::string& run_id) {
  const std::filesystem::path all = "bench-results";
  make_folder(all);
  std::filesystem::path folder = all / run_id;
  std::error_code error;
  for (int number = 2; !std::filesystem::create_directory(folder, error) && !error; ++number)
    folder = all / fmt::format("{}-{}", run_id, number);
  if (error)
    throw refusal(printable_name(folder.string()), "", "cannot be made: " + error.message(), "give --out");
  return folder;
}

}  // namespace ndt::harness
