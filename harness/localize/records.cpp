#include "localize/records.hpp"

#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "localize/iteration_file.hpp"
#include "localize/particle_file.hpp"
#include "localize/run_record.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

constexpr const char *kTum = "poses.tum", *kKitti = "poses_kitti.txt", *kFrames = "frames.csv",
                     *kDiagnostics = "diagnostics.jsonl", *kLock = "localize.lock";

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(fs::symlink_status(file, error));
}

InputError cannot_replace(const fs::path& file, const std::string& why) {
  return refusal(printable_name(file.native()), "", why + "; nothing was written",
                 "give another --out, or move the file away");
}

/// Other programs name files so, too: only those of a localisation are replaced.
void require_replaceable(const fs::path& folder) {
  const bool ours = is_there(folder / kDiagnostics) && !is_there(folder / "dataset.toml");
  std::vector<const char*> names{
      kTum, kKitti, kFrames, kDiagnostics, IterationFile::kName, ParticleFile::kName};
  names.insert(names.end(), kRecordFiles.begin(), kRecordFiles.end());
  for (const char* name : names) {
    const fs::path file = folder / name;
    if (!is_there(file)) continue;
    if (!ours)
      throw cannot_replace(file,
                           std::string("it exists, and its folder is ") +
                               (is_there(folder / kDiagnostics) ? "a dataset" : "not of a localisation"));
    std::error_code error;
    if (fs::symlink_status(file, error).type() == fs::file_type::directory)
      throw cannot_replace(file, "it is a folder");
  }
}

/// Locks the folder, so that one of two localisations has it.
LockFile locked(const fs::path& folder) {
  require_replaceable(folder);
  make_folder(folder);
  LockFile lock(folder / kLock);
  if (is_there(folder / kDiagnostics))
    notice("ndt-bench: the localisation in {} is replaced\n", printable_name(folder.native()));
  return lock;
}

/// Removes the files that this run may not have.
fs::path cleared(const fs::path& folder) {
  for (const char* name : {IterationFile::kName, ParticleFile::kName})
    remove_old(folder / name);  // of an earlier run; this one may have none
  return folder;
}

}  // namespace

LocalizationFiles::LocalizationFiles(const fs::path& folder)
    : lock_(locked(folder)),
      tum_(cleared(folder) / kTum),
      kitti_(folder / kKitti),
      frames_(folder / kFrames),
      diagnostics_(folder / kDiagnostics) {
  tum_.append(std::string(kTumHeading) + "\n");
  frames_.append(frames_heading() + "\n");
}

void LocalizationFiles::append(const LocalizedScan& scan) {
  const localization::ScanReport& report = *scan.report;
  tum_.append(tum_line({report.stamp_s, report.map_from_scan}) + "\n");
  kitti_.append(kitti_line(report.map_from_scan) + "\n");
  frames_.append(frames_row(scan) + "\n");
  diagnostics_.append(scan.diagnostics + "\n");
}

}  // namespace ndt::harness
