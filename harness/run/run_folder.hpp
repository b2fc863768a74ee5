// The folder of one run: its plan, its rows as they come, and what is needed to read them later.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "base/progress.hpp"
#include "run/plan.hpp"

namespace ndt::harness {

class RunFolder {
 public:
  /// Creates the folder and writes plan.json and environment.json; the folder must not contain a run. Throws
  /// InputError.
  static RunFolder begin(const std::filesystem::path& folder, const Plan& plan,
                         const std::string& command_line);
  /// Continues a run: rows of results.jsonl stay, except a torn last line and rows whose process was ended
  /// (crash, timeout, memory), which are measured again. Throws InputError if the folder
  /// holds no run, or rows of another commit or machine, which would not be one run.
  static RunFolder resume(const std::filesystem::path& folder);

  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;

  const Plan& plan() const { return plan_; }
  const std::filesystem::path& path() const { return path_; }
  bool done(const Measurement& row) const { return done_.contains(measurement_key(row)); }
  std::size_t rows() const { return done_.size(); }
  std::size_t failed_rows() const { return failed_; }

  /// One write to the end of results.jsonl: it is there whole or, if this process is killed meanwhile, torn
  /// at the end.
  void append(const Measurement& row);
  /// As it came from a measuring process.
  void append_line(const std::string& line, const Measurement& row);

 private:
  RunFolder(std::filesystem::path path, Plan plan);
  void open_rows();
  void keep_finished_rows();

  std::filesystem::path path_;
  Plan plan_;
  std::set<std::string> done_;
  std::size_t failed_ = 0;
  int rows_descriptor_ = -1;
};

/// Writes what a run's rows leave out because it is the same for all of them: columns.json, datasets.json
/// with thinned clouds for a picture (clouds/*.pcd), and implementations.json. `report` is called while a
/// missing dataset is generated. Throws InputError.
void write_run_metadata(const RunFolder& folder, const ReportProgress& report);

}  // namespace ndt::harness
