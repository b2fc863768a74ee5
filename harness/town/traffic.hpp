// Vehicles that move while the scanner scans, and that are not in the map.
#pragma once

#include <cstdint>
#include <vector>

#include "town/drive.hpp"
#include "town/ground.hpp"
#include "town/town_plan.hpp"

namespace ndt::harness::town {

/// Two vehicles drive ahead of the car and one behind it, always at the same distance along the drive.
/// More come towards it in the other lane at 8 m/s, 25 to 60 m between them. One in four is a lorry.
class Traffic {
 public:
  /// For times from 0 to `until_s`.
  Traffic(const TownPlan& plan, double until_s, std::uint64_t seed);

  /// Returns the vehicles at a time, when the car is at `along_m` of its drive.
  std::vector<Solid> at(const Ground& ground, double time_s, double along_m) const;

 private:
  struct Vehicle {
    double offset_m = 0;  ///< ahead of the car; of one that comes towards it, along its own drive at time 0
    bool lorry = false;
  };
  Drive with_, against_;
  std::vector<Vehicle> companions_, oncoming_;
};

}  // namespace ndt::harness::town
