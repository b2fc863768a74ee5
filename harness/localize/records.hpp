// The files of a localisation. Every line is written when its scan is done, so a run that is killed leaves
// files that can be read.
#pragma once

#include <filesystem>

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

}  // namespace ndt::harness
