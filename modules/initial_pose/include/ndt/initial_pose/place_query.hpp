// The question of a search for places.
#pragma once

#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/initial_pose/search_result.hpp"

namespace ndt::initial_pose {

/// The question to find_places().
struct PlaceQuery {
  PlaceRegion region;  ///< where to look
  /// Roll and pitch are kept: headings turn the scan about the map's up direction, from the guess's own.
  Pose guess;
  int places = 200;  ///< how many to give at most
};

}  // namespace ndt::initial_pose
