#include "run/verdict.hpp"

#include <fmt/format.h>

#include "data/same_points.hpp"

namespace ndt::harness {

initial_pose::ReliableBounds bounds_of(Aligner& aligner, const PointCloud& map, const AlignOptions& options,
                                       const Implementation& entry) {
  if (entry.peer) return {std::nullopt, std::nullopt, std::string(entry.name)};
  return initial_pose::reliable_bounds(initial_pose::own_scores(aligner, map), options);
}

void doubt_same_points(initial_pose::PoseJudgement& judgement, double share) {
  if (share > kSamePointsMost)
    judgement.reasons.insert(
        judgement.reasons.begin(),
        fmt::format("{:.0f} % of the scan's points are points of the map at the guess, bit by bit: "
                    "the map holds this scan, leave the scan out of the map",
                    100 * share));
}

}  // namespace ndt::harness
