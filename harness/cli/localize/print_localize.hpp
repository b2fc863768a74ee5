// The text that localize prints at its end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/common/progress_line.hpp"
#include "cli/common/scene_files.hpp"
#include "cli/localize/localize_aligners.hpp"
#include "localize/iteration_file.hpp"
#include "localize/localize_run.hpp"
#include "localize/particle_file.hpp"
#include "localize/records.hpp"
#include "localize/run_record.hpp"

namespace ndt::harness {

/// Writes everything that a localisation tells scan by scan.
class LocalizeOutputs {
 public:
  /// Begins the folder `out` with the record; `scenes` and `aligners` outlive this. Throws InputError as
  /// LocalizationFiles does.
  LocalizeOutputs(const std::filesystem::path& out, const RunRecord& record, const ScanSequence& sequence,
                  LocalizeAligners& aligners, FrameScenes& scenes);
  void tell_iterations();
  void tell_particles();

  void append(const LocalizedScan& scan);
  void finish();
  const std::filesystem::path& folder() const { return out_; }
  /// "poses.tum, poses_kitti.txt, ...", as far as they are of interest to a person.
  std::string names() const;

 private:
  std::filesystem::path out_;
  LocalizeAligners& aligners_;
  FrameScenes& scenes_;
  AlignOptions tracking_;
  LocalizationFiles files_;
  std::optional<IterationFile> iterations_;
  std::optional<ParticleFile> particles_;
};

/// "used for 6 of 9 scans (before_first 1, too_old 2)": of the scans for which it was asked for.
std::string to_text(const SensorUse& sensor);

/// Counts, times and, where there is a truth, errors; a sensor that was given has its line.
std::string to_text(const LocalizeSummary& summary, const ScanSequence& sequence);

/// Localises every scan, and ends the progress line. Ctrl-C ends it after a scan and leaves the files of the
/// scans so far, which are named.
LocalizeSummary follow_recording(localization::Localizer& localizer, const LocalizeInput& input,
                                 LocalizeOutputs& outputs, ProgressLine& progress);

}  // namespace ndt::harness
