// The best places of a scan in a map by a coarse score, proven to be the best of their lattice by branch and
// bound over max-pooled grids [Olson 2009; Hess et al. 2016, section V].
//
// The score of a pose is the mean value of the cells that hold the sketch's points, of which the largest
// is 1. Sums are whole numbers, so that the same places come out of any number of threads.
#pragma once

#include "ndt/align/aligner.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/initial_pose/place_pyramid.hpp"
#include "ndt/initial_pose/place_query.hpp"

namespace ndt::initial_pose {

/// The part of the map with points; heights from the map.
PlaceRegion whole_map(const PlacePyramid& pyramid);
class DevicePlaces;

/// per_scan: its deadline and stop request end the search with the best so far. Both are checked after the
/// bounds of each heading, and then with every box that is split. device: of the same pyramid; it replaces
/// the threads and finds the same places. It checks the deadline between its launches. Throws
/// std::invalid_argument for a region or a number of places out of range.
PlacesFound find_places(const PlacePyramid& pyramid, const PointCloud& scan, const PlaceQuery& query,
                        HostPool& pool, const PerScan& per_scan = {}, const PlaceProgress& progress = {},
                        DevicePlaces* device = nullptr);

}  // namespace ndt::initial_pose
