// Smooth ground without a plane in it: long waves are hills, short ones are roughness.
#pragma once

#include <cstdint>
#include <vector>

#include "town/solids.hpp"

namespace ndt::harness::town {

/// Like a sine, of parabolas: period 2, from -1 to 1, steepest 4.
double wave(double t);

class Waves {
 public:
  struct Size {
    double length_m = 0, height_m = 0;
  };
  /// Adds up one wave of each size. `seed` draws their directions and phases.
  Waves(const std::vector<Size>& sizes, std::uint64_t seed);

  double height(double x, double y) const;
  /// Returns the distance to the ground between `enter` and `leave`, or kNoHit. The ray is above the ground
  /// before.
  double hit(const Ray& ray, double enter, double leave) const;

 private:
  struct Wave {
    double per_x = 0, per_y = 0, phase = 0, height = 0;
  };
  double above(const Ray& ray, double t) const;

  std::vector<Wave> waves_;
  double highest_ = 0;
};

}  // namespace ndt::harness::town
