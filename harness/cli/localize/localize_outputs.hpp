// Everything that a localisation writes scan by scan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/common/scene_files.hpp"
#include "cli/localize/localize_aligners.hpp"
#include "localize/iteration_file.hpp"
#include "localize/particle_file.hpp"
#include "localize/records.hpp"
#include "localize/run_record.hpp"

namespace ndt::harness {

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

}  // namespace ndt::harness
