// The folder of one run: its plan, its measurements as they come, and what is needed to read them later.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "base/lock_file.hpp"
#include "base/progress.hpp"
#include "ndt/io/output_file.hpp"
#include "run/measurement.hpp"
#include "run/plan.hpp"

namespace ndt::harness {

/// Locked from before anything in it is read or written until the object ends, so that one process at a time
/// writes to a run.
class RunFolder {
 public:
  /// Creates the folder and writes plan.json and environment.json; the folder must not contain a run. Throws
  /// InputError.
  static RunFolder begin(const std::filesystem::path& folder, const Plan& plan,
                         const std::string& command_line);
  /// Continues a run: lines of results.jsonl stay, except a torn last one, a repeated one, and measurements
  /// whose process was ended (crash, timeout, memory), which are measured again. Throws InputError if the
  /// folder holds no run, or measurements of another run, commit or machine, which would not be one run.
  static RunFolder resume(const std::filesystem::path& folder);

  const Plan& plan() const { return plan_; }
  const std::filesystem::path& path() const { return path_; }
  bool done(const Measurement& measurement) const { return done_.contains(measurement_key(measurement)); }
  std::size_t measurements() const { return done_.size(); }
  std::size_t failed_measurements() const { return failed_; }

  /// Throws InputError if the folder has a measurement whose key is not `planned`.
  void require_all_in(const std::set<std::string>& planned) const;

  /// One write to the end of results.jsonl: it is there whole or, if this process is killed meanwhile, torn
  /// at the end.
  void append(const Measurement& measurement);
  /// As it came from a measuring process.
  void append_line(const std::string& line, const Measurement& measurement);

 private:
  RunFolder(std::filesystem::path path, Plan plan, LockFile lock, NewFile results);
  void keep_finished_measurements();
  void count(const Measurement& measurement);

  std::filesystem::path path_;
  Plan plan_;
  std::set<std::string> done_;
  std::size_t failed_ = 0;
  LockFile lock_;
  NewFile results_;
};

/// Writes what a run's measurements leave out because it is the same for all of them: columns.json,
/// datasets.json with thinned clouds for a picture (clouds/*.pcd), and implementations.json. `report` is
/// called while a missing dataset is generated. Throws InputError.
void write_run_metadata(const RunFolder& folder, const ReportProgress& report);

/// Makes a folder below bench-results for a run that was given none. Runs of one second have folders of their
/// own, numbered from 2. Throws InputError.
std::filesystem::path new_folder(const std::string& run_id);

}  // namespace ndt::harness
