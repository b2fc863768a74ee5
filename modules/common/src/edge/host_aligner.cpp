#include "ndt/edge/host_aligner.hpp"

#include "ndt/score/scan_points_simd.hpp"

namespace ndt {

MapInfo HostAligner::set_map(const PointCloud& map) {
  const Turn turn(*this, "set_map");
  give_up();
  const MapCloud cloud(map, options());
  maps_ = build_levels(options(),
                       [&](const AlignOptions& level) { return std::make_unique<VoxelMap>(cloud, level); });
  use_levels(maps_, [](const VoxelMap& level) { return level.surfaces().data(); });
  return this->map().info();
}

std::vector<VoxelInfo> HostAligner::voxels() const {
  const Turn turn(*this, "voxels");
  require_map("voxels");
  return map().voxel_table();
}

Point* HostAligner::room_for_scan(std::size_t points, std::size_t) {
  if (points > room_.size()) room_ = std::vector<Point>(points);
  return room_.data();
}

PlacedScan HostAligner::place(const LoopScan& scan, std::span<const LoopRun> runs) {
  guesses_.clear();
  for (const LoopRun& one : runs) guesses_.push_back(one.local_guess);
  return {scan.points, guesses_.data()};
}

void HostAligner::fetch(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines,
                        std::span<LoopRun> runs) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    runs[k].outcome = outcomes[k];
    const LoopTrace* trace = traces + k * static_cast<std::size_t>(trace_lines);
    if (trace_lines > 0) runs[k].trace.assign(trace, trace + runs[k].outcome.iterations + 1);
  }
}

void HostAligner::score(const LoopScan& scan, std::span<const Transform> local_poses, std::span<Score> out) {
  const LevelMap& map = last_level();
  pool_.for_each(local_poses.size(), [&](auto& team, std::size_t k) {
    const Motion motion = loop_start(local_poses[k]).at.motion;
    const DerivativeSums<double> sums = team.template sum<DerivativeSums>(
        scan.view().size, [&](int first, int count, const auto& lanes, auto& part) {
          add_scan_points(map.view, map.gauss, motion, scan.points + first, count, lanes, part);
        });
    team.once([&] { out[k] = score_of(sums, scan.facts); });
  });
}

std::vector<float> HostAligner::point_scores(const LoopScan& scan, const Transform& local_pose) {
  const Motion motion = loop_start(local_pose).at.motion;
  const LevelMap& map = last_level();
  std::vector<float> scores(static_cast<std::size_t>(scan.view().size));
  pool_.for_each(scores.size(), [&](auto& team, std::size_t i) {
    team.once([&] { scores[i] = nearest_voxel_score(map.view, map.gauss, motion, scan.points[i]); });
  });
  return scores;
}

}  // namespace ndt
