// The path of the car: straight lanes joined by quarter circles, and where the sensor is on it.
#pragma once

#include <vector>

#include "ndt/core/pose.hpp"
#include "town/ground.hpp"

namespace ndt::harness::town {

struct Place {
  double x = 0, y = 0;
};

class Drive {
 public:
  /// Along the middles of the streets through `corners` (each next one straight along x or y, 20 m away
  /// or more, no reversal), `right_m` to the right of them.
  Drive(const std::vector<Place>& corners, double right_m);

  double length_m() const;
  int turns() const;
  /// From where to where along the drive a turn is.
  struct Stretch {
    double begin_m = 0, end_m = 0;
  };
  std::vector<Stretch> turn_stretches() const;

  struct Stop {
    Place place;
    Heading heading;
  };
  /// Returns the place `s` metres from the start; within a turn exact to 1 cm.
  Stop at(double s) const;

 private:
  struct Piece {
    Place from;
    Heading heading;
    double length;
    int turn;  ///< 1 left, -1 right, 0 straight
  };
  std::vector<Piece> pieces_;
};

/// Returns the pose of the sensor, 1.8 m above the ground, on a car that leans as the hill under its four
/// wheels does.
Transform sensor_pose(const Ground& ground, const Drive::Stop& stop);

}  // namespace ndt::harness::town
