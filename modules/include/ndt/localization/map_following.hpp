// The options of a map that follows the vehicle.
#pragma once

#include <tuple>

#include "ndt/align/option.hpp"

namespace ndt::localization {

/// Defaults are Autoware's.
struct MapFollowing {
  double radius_m = 150;          ///< of the map around the place of an update
  double update_distance_m = 20;  ///< an update is due so far from the place of the one before
  double lidar_radius_m = 100;    ///< what a scan may see of the map
};

/// Every option, once.
inline constexpr std::tuple kMapFollowingOptions{
    Option{"map-radius", &MapFollowing::radius_m, Bounds::above(0, 1e6), "M",
           "radius of the map around the vehicle"},
    Option{"map-update-distance", &MapFollowing::update_distance_m, Bounds::above(0, 1e6), "M",
           "the map is rebuilt around the vehicle after this distance"},
    Option{"lidar-radius", &MapFollowing::lidar_radius_m, Bounds::closed(0, 1e6), "M",
           "if a circle of this radius around the vehicle leaves the map, the next scan waits for an update"},
};

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>", and for a radius in which a
/// scan has no room until an update is due.
void validate(const MapFollowing& options);

/// In the map's plane, metres.
struct MapPlace {
  double x = 0, y = 0;  ///< [m]
};
/// The part of a map that is held.
struct MapCircle {
  MapPlace centre;      ///< where the vehicle was
  double radius_m = 0;  ///< [m]
};

}  // namespace ndt::localization
