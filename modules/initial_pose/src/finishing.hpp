// What a search does with its particles before it judges them.
#pragma once

#include <span>
#include <vector>

#include "ndt/initial_pose/particle.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {

bool meets_the_map(const AlignResult& result);

/// At most `count` particles, one a mode: by turns the one with the largest NVTL and the one with the largest
/// transform probability of the modes that are left, the first on ties. Those that do not meet the map are
/// not among them.
std::vector<std::size_t> leaders(std::span<const Particle> particles, int count);

/// Where the alignments from beside an answer begin: kBesideM from it, evenly around it in its own plane.
std::vector<Pose> poses_around(const Transform& answer);

/// Widens the spread by one of them.
void add_spread(const Transform& answer, const AlignResult& ended, Evidence& evidence);

/// The share of points whose score is at least half of a good point's, which is the 90th percentile.
double matched_share(std::vector<float> point_scores);

}  // namespace ndt::initial_pose
