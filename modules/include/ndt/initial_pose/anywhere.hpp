// A search without a guess of the position: the best places of a coarse score over the whole map or a box of
// it are aligned.
#pragma once

#include "ndt/initial_pose/place_search.hpp"
#include "ndt/initial_pose/search.hpp"

namespace ndt::initial_pose {

/// The result of search_anywhere().
struct AnywhereResult {
  /// Its particles start at coarse.places, in their order. With coverage below 1 it is not called reliable.
  SearchResult search;
  PlacesFound coarse;    ///< the places that were aligned, and how much of the region they stand for
  double coarse_us = 0;  ///< of the search's time
};

/// Aligns the scan from the options.particles best places of the region, all in one batch unless the strategy
/// aligns one after the other. `aligner` has the map that the pyramid was built from. Half of the time until
/// per_scan's deadline is for the places. `sight_lines`: as search() has them. Throws as find_places and
/// search_places do.
AnywhereResult search_anywhere(Aligner& aligner, const PlacePyramid& pyramid, const PointCloud& scan,
                               const PlaceRegion& region, const Pose& guess, const Strategy& strategy,
                               const SearchOptions& options, HostPool& pool, const PerScan& per_scan = {},
                               const SearchObserver& observer = {}, const PlaceProgress& progress = {},
                               DevicePlaces* device = nullptr, const SightLines* sight_lines = nullptr);

}  // namespace ndt::initial_pose
