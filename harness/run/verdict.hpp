// The judgement of one alignment where the library cannot tell: of a peer, and of a scan that is in its map.
#pragma once

#include "ndt/align/implementation.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::harness {

/// The bounds of the aligner's map; unknown for a peer, whose scores are its own.
initial_pose::ReliableBounds bounds_of(Aligner& aligner, const PointCloud& map, const AlignOptions& options,
                                       const Implementation& entry);

/// Adds the gravest reason if too large a share of the scan's points are points of the map at the guess. The
/// pose was then given, not found (data/same_points.hpp).
void doubt_same_points(initial_pose::PoseJudgement& judgement, double share);

}  // namespace ndt::harness
