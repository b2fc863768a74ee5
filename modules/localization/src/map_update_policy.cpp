#include "ndt/localization/map_update_policy.hpp"

#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {
namespace {

double distance_m(const MapPlace& a, const MapPlace& b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// Checked before the first member takes them.
const MapFollowing& valid(const MapFollowing& options) {
  validate(options);
  return options;
}

}  // namespace

void validate(const MapFollowing& options) {
  require_within(kMapFollowingOptions, options);
  const double least_m = options.lidar_radius_m + options.update_distance_m;
  if (options.radius_m < least_m)
    throw std::invalid_argument(
        formatted("option map-radius = {}: must not be below lidar-radius + map-update-distance, {} + {} = "
                  "{}; make these smaller, too",
                  options.radius_m, options.lidar_radius_m, options.update_distance_m, least_m));
}

MapUpdatePolicy::MapUpdatePolicy(const MapFollowing& options, const MapCircle& in_force)
    : options_(valid(options)), in_force_(in_force) {}

MapNeed MapUpdatePolicy::need(const MapPlace& vehicle) const {
  const double way_m = distance_m(in_force_.centre, vehicle);
  if (way_m + options_.lidar_radius_m > in_force_.radius_m) return MapNeed::out_of_range;
  return way_m > options_.update_distance_m ? MapNeed::update : MapNeed::keep;
}

bool MapUpdatePolicy::due(const MapPlace& vehicle) const {
  if (failed_ && distance_m(*failed_, vehicle) < options_.update_distance_m) return false;
  return need(vehicle) != MapNeed::keep;
}

void MapUpdatePolicy::took(const MapCircle& map) {
  in_force_ = map;
  failed_.reset();
}

}  // namespace ndt::localization
