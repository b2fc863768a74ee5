// The search for an initial pose: many alignments from places drawn from a prior, of which the best is taken.
#pragma once

#include <cstddef>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/initial_pose/search_options.hpp"
#include "ndt/initial_pose/search_result.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {

/// Aligns the scan from places that options.method (any but `anywhere`) proposes, and tells the method the
/// transform probability of each result. Before it judges, it continues the best particles of every mode
/// until they rest, looks from beside the answer, and scores the answer once more. With `sight_lines`, of the
/// aligner's map, the scan is compared with the surfaces in its way at the answer. If these agree, it is also
/// compared at up to 16 other ends that would cast doubt on the answer. The same input gives the same bits,
/// and a strategy without rounds gives those of `sequential` on the same aligner. per_scan holds for every
/// alignment. Its deadline and stop request hold for the search too, which then ends with the particles it
/// has, at least those of the first call. Throws std::invalid_argument for options or a prior out of range,
/// and what align throws.
SearchResult search(Aligner& aligner, const PointCloud& scan, const PosePrior& prior,
                    const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan = {},
                    const SearchObserver& observer = {}, const SightLines* sight_lines = nullptr);

/// Searches from given places, at least one: options.method and options.particles are not used.
SearchResult search_places(Aligner& aligner, const PointCloud& scan, const std::vector<Pose>& places,
                           const Strategy& strategy, const SearchOptions& options,
                           const PerScan& per_scan = {}, const SearchObserver& observer = {},
                           const SightLines* sight_lines = nullptr);

}  // namespace ndt::initial_pose
