// When a map that follows the vehicle is built anew: the rules of Autoware's dynamic map loader.
#pragma once

#include <array>
#include <optional>

#include "ndt/core/enum_names.hpp"
#include "ndt/localization/map_following.hpp"

namespace ndt::localization {

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
