// The files of a localisation. Every line is written when its scan is done, so a run that is killed leaves
// files that can be read.
#pragma once

#include <filesystem>
#include <string>

#include "base/lock_file.hpp"
#include "localize/localized_scan.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {

/// Writes poses.tum, poses_kitti.txt, frames.csv and diagnostics.jsonl into a folder that is made with its
/// parents.
class LocalizationFiles {
 public:
  /// Replaces the files of an earlier localisation, and a line on stderr says so. Throws InputError if
  /// another localisation writes there (localize.lock), if a file cannot be written, and before anything is
  /// touched if files of these names are of something else: a folder without diagnostics.jsonl, or a
  /// dataset's.
  explicit LocalizationFiles(const std::filesystem::path& folder);
  void append(const LocalizedScan& scan);

 private:
  LockFile lock_;
  NewFile tum_, kitti_, frames_, diagnostics_;
};

/// The heading of frames.csv and one row, without the lines' ends. The names of the columns are part of the
/// command line's contract.
std::string frames_heading();
std::string frames_row(const LocalizedScan& scan);

/// One scan's report as a JSON object: Autoware's keys of the diagnostics `scan_matching_status`, and beside
/// them what only this localizer knows. The key names are part of the command line's contract.
std::string diagnostics_json(const LocalizedScan& scan);

}  // namespace ndt::harness
