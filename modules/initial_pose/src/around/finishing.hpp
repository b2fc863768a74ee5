// The work of a search on its particles before it judges them.
#pragma once

#include <span>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/search_result.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {

bool meets_the_map(const AlignResult& result);
/// The NVTL, or -1 where it is not a number: that is below every other.
double comparable_nvtl(const AlignResult& result);
/// Whether an alignment is not to be continued, because it ended otherwise than at its iteration limit. Where
/// time ran out or a stop was requested it counts too, although it may not have come to rest: the search ends
/// then.
bool is_at_rest(const Particle& particle);
/// Whether a particle makes a better answer: what has come to rest than what has not; then by NVTL.
bool is_better(const Particle& a, const Particle& b);

/// At most `count` particles, one a mode: by turns the one with the largest NVTL and the one with the largest
/// transform probability of the modes that are left, the first on ties. Those that do not meet the map are
/// not among them.
std::vector<std::size_t> leaders(std::span<const Particle> particles, int count);

/// The starts of six alignments beside an answer: at the distance, evenly around the answer in its own plane.
std::vector<Pose> poses_around(const Transform& answer, double distance_m);

/// Widens the spread by one of them.
void add_spread(const Transform& answer, const AlignResult& ended, Evidence& evidence);

/// How good a result is beside the best: by NVTL and by transform probability, the less of both, because NVTL
/// leaves out the points without a voxel. By NVTL alone where the best has no probability.
double goodness(const AlignResult& result, const AlignResult& best);

/// Takes the overlap and the matched points from an evaluation with the scores of its points.
void gather_points(const Evaluation& scored, Evidence& evidence);
/// The share of points whose score is at least half of a good point's, which is the 90th percentile.
double matched_share(std::vector<float> point_scores);

}  // namespace ndt::initial_pose
