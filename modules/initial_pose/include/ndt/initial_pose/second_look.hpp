// A second look at the answer of one alignment: alignments from beside it, and the scores of its points.
#pragma once

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {

/// How far beside it the alignments begin. From 1 m, one of twenty right answers of preset trust more would
/// be doubted, and hardly more of the wrong ones.
inline constexpr double kSecondLookM = 0.5;
/// How far they are turned, to either side by turns: in a round tank, positions come back and headings do
/// not.
inline constexpr double kSecondLookRad = 0.026;

/// Gathers what speaks for and against the answer, as judge() weighs it. If the answer converged, six
/// alignments begin kSecondLookM around it, turned by kSecondLookRad, in one batch, and it is scored once
/// more. The ends in another mode are the answer's rivals. With sight lines of the map, what the scan sees
/// from the answer is compared with it. `answer`: of `aligner` with its map, for this scan. per_scan holds
/// for the batch; its deadline or stop request leaves the evidence interrupted. The same input gives the same
/// bits. Throws what align_batch throws.
Evidence second_look(Aligner& aligner, const PointCloud& scan, const AlignResult& answer,
                     const PerScan& per_scan = {}, const SightLines* sight_lines = nullptr);

}  // namespace ndt::initial_pose
