#include "ndt/initial_pose/second_look.hpp"

#include <algorithm>
#include <vector>

#include "around/finishing.hpp"
#include "ndt/align/no_returns.hpp"
#include "ndt/align/usable_points.hpp"

namespace ndt::initial_pose {
namespace {

bool ended_early(const AlignResult& result) {
  return result.stop == Stop::timeout || result.stop == Stop::cancelled;
}

std::vector<AlignResult> aligned_around(Aligner& aligner, const PointCloud& scan, const Transform& answer,
                                        PerScan per_scan) {
  per_scan.trace = false;
  std::vector<Transform> guesses;
  for (const Pose& pose : poses_around(answer, kSecondLookM)) {
    const double turn = guesses.size() % 2 == 0 ? kSecondLookRad : -kSecondLookRad;
    guesses.push_back(to_transform(pose) * to_transform({.yaw = turn}));
  }
  std::vector<AlignResult> ended(guesses.size());
  aligner.align_batch(scan, guesses, ended, per_scan);
  return ended;
}

/// Scores the answer's points once more and leaves out those that a driver wrote for nothing: they match no
/// map, and say nothing about the pose. causes: of find_no_returns().
Evaluation scored_returns(Aligner& aligner, const PointCloud& scan, const std::vector<NoReturn>& causes,
                          const Transform& answer, PerScan per_scan) {
  per_scan.point_scores = true;
  Evaluation scored = aligner.evaluate(scan, answer, per_scan);
  if (causes.empty()) return scored;
  const std::vector<std::size_t> usable = usable_indices(scan);
  std::vector<float> kept;
  for (std::size_t k = 0; k < scored.point_scores.size(); ++k) {
    if (causes[usable[k]] == NoReturn::none)
      kept.push_back(scored.point_scores[k]);
    else if (scored.point_scores[k] > 0)
      --scored.points_with_voxels;
  }
  scored.point_scores = std::move(kept);
  return scored;
}

/// The rays of the scan's measurements. What a driver wrote for nothing would stand before everything.
ScanRays measured_rays(const PointCloud& scan, const std::vector<NoReturn>& causes) {
  if (causes.empty()) return ScanRays(scan);
  PointCloud measured{scan.origin, {}};
  for (std::size_t k = 0; k < scan.size(); ++k)
    if (causes[k] == NoReturn::none) measured.points.push_back(scan.points[k]);
  return ScanRays(measured);
}

}  // namespace

Evidence second_look(Aligner& aligner, const PointCloud& scan, const AlignResult& answer,
                     const PerScan& per_scan, const SightLines* sight_lines) {
  Evidence evidence;
  evidence.stop = answer.stop;
  evidence.nvtl = answer.nvtl;
  evidence.agreeing = 1;  // the answer itself
  evidence.interrupted = ended_early(answer);
  if (answer.stop != Stop::converged && answer.stop != Stop::degenerate) return evidence;
  for (const AlignResult& ended : aligned_around(aligner, scan, answer.map_from_scan, per_scan)) {
    evidence.interrupted |= ended_early(ended);
    add_spread(answer.map_from_scan, ended, evidence);
    if (meets_the_map(ended) && !is_another_mode(ended.map_from_scan, answer.map_from_scan))
      evidence.heading_rad = std::max(evidence.heading_rad.value_or(0),
                                      rotation_error_rad(answer.map_from_scan, ended.map_from_scan));
    if (meets_the_map(ended) && is_another_mode(ended.map_from_scan, answer.map_from_scan))
      evidence.runner_up_ratio = std::max(evidence.runner_up_ratio, goodness(ended, answer));
  }
  const std::vector<NoReturn> causes = find_no_returns(scan);
  if (!evidence.interrupted)
    gather_points(scored_returns(aligner, scan, causes, answer.map_from_scan, per_scan), evidence);
  if (sight_lines != nullptr)
    evidence.sight = sight_lines->look(measured_rays(scan, causes), answer.map_from_scan);
  return evidence;
}

}  // namespace ndt::initial_pose
