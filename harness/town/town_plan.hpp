// The plan of a town at each scale: scanner, drive, what is around it, and distances between scans.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "town/drive.hpp"
#include "town/ground.hpp"
#include "town/lidar.hpp"
#include "town/other_sensors.hpp"
#include "town/town.hpp"

namespace ndt::harness::town {

/// A car's dynamics. Turns have a radius of 8 m: at 2.7 m/s they are of 19.3 degrees a second.
struct CarPace {
  double period_s = 0.1;  ///< between scans
  double straight_m_s = 10, turn_m_s = 2.7;
  double accelerating_m_s2 = 2, braking_m_s2 = 2;
};

/// The car is carried along its drive between two scans; a way that is not driven.
struct Jump {
  double from_m = 0, to_m = 0;
};

enum class Surroundings {
  streets,  ///< of houses, in a chequer
  tunnel,   ///< between two short stretches of a street, on flat ground
  field,    ///< a tree, a post or a hut here and there, on hills
  park,     ///< these four: landscapes.hpp
  oldtown,
  works,
  woods
};

struct TownPlan {
  const char* name;
  const char* description;
  LidarModel lidar;
  std::vector<Place> corners;  ///< of the drive, on the middles of the streets
  double scan_step_m;          ///< between the scans
  double map_step_m;           ///< between the scans of the map's drive; no two drives stop beside each other
  std::optional<CarPace> car = std::nullopt;  ///< scans at a rate instead of every scan_step_m
  Surroundings surroundings = Surroundings::streets;
  Outages outages = Outages::some;  ///< of GNSS
  bool traffic = false;             ///< without being asked for
  std::optional<Jump> jump = std::nullopt;
  std::optional<LidarModel> map_lidar = std::nullopt;  ///< of the map's drive, where it has a finer one
  /// How far the two drives are to the right of the way.
  double scan_lane_m = Streets::kLane, map_lane_m = Streets::kLane - 0.4;
  int guesses = 1;              ///< of every scan
  bool turned_by_seed = false;  ///< the seed turns and moves the map
};

TownPlan plan_of(TownScale scale);

/// Builds everything around a plan's drive that stands still.
World build_world(const TownPlan& plan, std::uint64_t seed);

/// Returns the two drives.
Drive scan_drive(const TownPlan& plan);
Drive map_drive(const TownPlan& plan);

/// When and where on its drive the scanner scans.
struct ScanStop {
  double time_s = 0, along_m = 0;
  double speed_m_s = 0;  ///< of a car
  bool carried = false;  ///< it was not driven here from the stop before
};

/// The scans of a plan's drive in their order, the first at its start: every few metres, or at a fixed rate
/// on a car. A car starts from a stand and slows down for turns; the drive ends where it ends, at speed. A
/// jump of the plan is one between two scans.
std::vector<ScanStop> scan_stops(const TownPlan& plan, const Drive& drive);

/// The pose of the sensor in the map. The map is turned by an angle that no street shares with the axes, and
/// its origin is under the start of the drive. A plan may have both drawn by the seed, the origin within 3 m.
class MapFrame {
 public:
  MapFrame(const World& world, const TownPlan& plan, std::uint64_t seed);
  Transform map_from_sensor(const Transform& world_from_sensor) const;

 private:
  Vec3<double> origin_;
  Heading turn_{12.0 / 13, 5.0 / 13};
};

}  // namespace ndt::harness::town
