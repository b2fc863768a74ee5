#include "cli/localize/localize_outputs.hpp"

namespace ndt::harness {

LocalizeOutputs::LocalizeOutputs(const std::filesystem::path& out, const RunRecord& record,
                                 const ScanSequence& sequence, LocalizeAligners& aligners,
                                 FrameScenes& scenes)
    : out_(out), aligners_(aligners), scenes_(scenes), tracking_(record.align), files_(out) {
  aligners_.with_map([&](const PointCloud& map) {
    if (!aligners_.following()) scenes_.add_map(map);
    write_run_record(out_, record, sequence, map);
  });
}

void LocalizeOutputs::tell_iterations() {
  iterations_.emplace(out_, tracking_, [&](const AlignOptions& level) { return aligners_.another(level); });
}

void LocalizeOutputs::tell_particles() { particles_.emplace(out_); }

void LocalizeOutputs::append(const LocalizedScan& scan) {
  files_.append(scan);
  if (iterations_) {
    if (scan.map_update && scan.map_update->swapped)
      aligners_.with_map([&](const PointCloud& map) { iterations_->set_map(map); });
    iterations_->append(scan);
  }
  if (particles_) particles_->append(scan);
  if (!scenes_.has(scan)) return;
  if (aligners_.following())
    aligners_.with_map([&](const PointCloud& map) { scenes_.add_map_of(scan, map); });
  scenes_.add(scan, aligners_.tracker());
}

void LocalizeOutputs::finish() {
  scenes_.finish();
  if (const localization::FollowingMap* following = aligners_.following())
    write_record_map(out_, following->picture());
}

std::string LocalizeOutputs::names() const {
  std::string names = "poses.tum, poses_kitti.txt, frames.csv, diagnostics.jsonl";
  if (iterations_) names += std::string(", ") + IterationFile::kName;
  if (particles_) names += std::string(", ") + ParticleFile::kName;
  return names;
}

}  // namespace ndt::harness
