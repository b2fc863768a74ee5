#include "run/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/gpu_info.hpp"
#include "base/output_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
constexpr const char* kResults = "results.jsonl";
constexpr const char* kPlan = "plan.json";
constexpr const char* kEnvironment = "environment.json";

/// Measurements of two programs or two machines are two runs.
void require_same_place(const fs::path& folder) {
  std::ifstream in(folder / kEnvironment);
  const auto j = nlohmann::ordered_json::parse(in, nullptr, false);
  const auto is = [&](const char* key, std::string_view value) {
    return j.is_object() && j.contains(key) && j[key] == value;
  };
  const auto same_gpus = [&] {
    return j.value("/cuda/devices"_json_pointer, nlohmann::ordered_json()) ==
           cuda_json(cuda_state(), "")["devices"];
  };
  const char* other = !is("commit", build_info().commit)       ? "commit"
                      : !is("flags", build_info().flags)       ? "compiler flags"
                      : !is("compiler", build_info().compiler) ? "compiler"
                      : !is("cpu_model", cpu_model())          ? "processor"
                      : !same_gpus()                           ? "GPU"
                                                               : nullptr;
  if (other)
    throw refusal(printable_name((folder / kEnvironment).string()), "",
                  fmt::format("the run was begun with another {}", other),
                  "begin a new run, measurements of both would not be comparable");
}

bool worth_another_try(const Measurement& measurement) {
  return measurement.failure == Failure::crash || measurement.failure == Failure::timeout ||
         measurement.failure == Failure::memory;
}

}  // namespace

RunFolder::RunFolder(fs::path path, Plan plan) : path_(std::move(path)), plan_(std::move(plan)) {}
RunFolder::~RunFolder() {
  if (results_descriptor_ >= 0) ::close(results_descriptor_);
}
RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)),
      plan_(std::move(other.plan_)),
      done_(std::move(other.done_)),
      failed_(other.failed_),
      results_descriptor_(std::exchange(other.results_descriptor_, -1)) {}

RunFolder RunFolder::begin(const fs::path& path, const Plan& plan, const std::string& command_line) {
  make_folder(path);
  if (fs::exists(path / kResults) || fs::exists(path / kPlan))
    throw refusal(printable_name(path.string()), "", "contains a run already",
                  "give another --out, or go on with that run: ndt-bench run --resume");
  write_text(path / kEnvironment, environment_json(plan.run_id, command_line));
  write_text(path / kPlan, plan_json(plan));
  RunFolder folder(path, plan);
  folder.open_results();
  return folder;
}

RunFolder RunFolder::resume(const fs::path& path) {
  RunFolder folder(path, read_plan(path / kPlan));
  require_same_place(path);
  folder.open_results();
  folder.keep_finished_measurements();
  return folder;
}

void RunFolder::open_results() {
  const fs::path file = path_ / kResults;
  results_descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (results_descriptor_ < 0)
    throw refusal(printable_name(file.string()), "",
                  "cannot be written: " + std::generic_category().message(errno),
                  "check permissions and free disk space");
  if (::flock(results_descriptor_, LOCK_EX | LOCK_NB) != 0)
    throw refusal(printable_name(file.string()), "", "another process writes to it",
                  "wait until that run has ended");
}

void RunFolder::keep_finished_measurements() {
  const fs::path file = path_ / kResults;
  std::ifstream in(file);
  std::string kept;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (in.eof()) break;  // no line end: torn
    Measurement measurement;
    try {
      measurement = parse_measurement(line);
    } catch (const InputError& error) {
      throw refusal(printable_name(file.string()), fmt::format("line {}", number), error.what(),
                    "begin a new run");
    }
    if (worth_another_try(measurement)) continue;
    done_.insert(measurement_key(measurement));
    failed_ += measurement.failed() ? 1 : 0;
    kept += line + '\n';
  }
  // The lock belongs to the old file, which the rename removes; so lock the new file before it gets the
  // name.
  const fs::path part = path_ / (std::string(kResults) + ".part");
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    throw refusal(printable_name(part.string()), "",
                  "cannot be written: " + std::generic_category().message(errno),
                  "check permissions and free disk space");
  ::close(std::exchange(results_descriptor_, descriptor));
  if (!kept.empty() &&
      ::write(results_descriptor_, kept.data(), kept.size()) != static_cast<ssize_t>(kept.size()))
    throw refusal(printable_name(part.string()), "",
                  "cannot be written: " + std::generic_category().message(errno), "make room on the disk");
  fs::rename(part, file);
}

void RunFolder::append(const Measurement& measurement) {
  append_line(to_json_line(measurement), measurement);
}

void RunFolder::append_line(const std::string& line, const Measurement& measurement) {
  const std::string text = line + '\n';
  if (::write(results_descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw refusal(printable_name((path_ / kResults).string()), "",
                  "cannot be written: " + std::generic_category().message(errno),
                  "make room on the disk, then ndt-bench run --resume");
  done_.insert(measurement_key(measurement));
  failed_ += measurement.failed() ? 1 : 0;
}

}  // namespace ndt::harness
