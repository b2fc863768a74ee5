// The question and the answer of a search for places.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/initial_pose/place_region.hpp"

namespace ndt::initial_pose {

/// Places at every cell's edge and, for headings, at the angle that moves a point at the sketch's reach by
/// one cell. The region's box is clipped to where a point of the sketch can meet the map.
struct Place {
  Pose pose;         ///< of the sensor
  double score = 0;  ///< in [0, 1]
};

/// The answer of find_places().
struct PlacesFound {
  /// Best first, the first of the lattice on ties; never empty. Each is the best of its neighbourhood, 4 x 4
  /// x 4 positions and about 15 degrees. With `coverage` 1 the first is the best of all, and no other
  /// neighbourhood has a better one than the last.
  std::vector<Place> places;
  double coverage = 0;                   ///< share of the lattice that was scored or excluded by a bound
  double lattice = 0;                    ///< poses of the lattice
  int headings = 0;                      ///< of the lattice, at each position
  std::optional<double> ground_below_m;  ///< as the sketch has it
  std::optional<Stop> interrupted;       ///< why coverage is below 1
};

/// Called now and then, on the calling thread, with the share that is done. What it throws ends the search.
using PlaceProgress = std::function<void(double coverage)>;

/// The question to find_places().
struct PlaceQuery {
  PlaceRegion region;  ///< where to look
  /// Roll and pitch are kept: headings turn the scan about the map's up direction, from the guess's own.
  Pose guess;
  int places = 200;  ///< how many to give at most
};

}  // namespace ndt::initial_pose
