// When a map that follows the vehicle is built anew: the rules of Autoware's dynamic map loader.
#pragma once

#include <array>
#include <optional>
#include <tuple>

#include "ndt/align/option.hpp"
#include "ndt/core/enum_names.hpp"

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

/// The demand that a place of the vehicle makes on the map in force.
enum class MapNeed {
  keep,
  update,       ///< the vehicle is more than an update distance from the centre of its map
  out_of_range  ///< a scan may see beyond the map
};
constexpr auto enum_names(MapNeed) { return std::array{"keep", "update", "out_of_range"}; }

using ndt::to_string;

/// Decides; builds nothing.
class MapUpdatePolicy {
 public:
  /// `in_force`: the map that the vehicle begins with, which may be larger. Throws as validate() does.
  MapUpdatePolicy(const MapFollowing& options, const MapCircle& in_force);

  /// Tells what the vehicle's place asks for.
  MapNeed need(const MapPlace& vehicle) const;
  /// Something is needed, and the vehicle is an update distance from where an update failed last.
  bool due(const MapPlace& vehicle) const;
  /// The circle of an update at this place.
  MapCircle around(const MapPlace& vehicle) const { return {vehicle, options_.radius_m}; }
  /// The circle that is held now.
  const MapCircle& in_force() const { return in_force_; }

  /// The map is in force from now on.
  void took(const MapCircle& map);
  /// An update could not be made; the map before stays.
  void failed(const MapCircle& map) { failed_ = map.centre; }

 private:
  MapFollowing options_;
  MapCircle in_force_;
  std::optional<MapPlace> failed_;  ///< since the map in force was taken
};

}  // namespace ndt::localization
