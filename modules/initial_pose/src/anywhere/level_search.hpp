// The search for places on a device: breadth first, slice by slice of the best roots, where threads go depth
// first. The places are the same, because which poses are wanted depends on their scores alone.
#pragma once

#include "anywhere/level_backend.hpp"
#include "anywhere/place_task.hpp"
#include "ndt/align/aligner.hpp"

namespace ndt::initial_pose {

/// As find_places().
PlacesFound search_by_levels(PlaceTask& task, int wanted, LevelBackend& backend, HostPool& pool,
                             const PerScan& per_scan, const PlaceProgress& progress);

}  // namespace ndt::initial_pose
