// Draws places from a prior.
#pragma once

#include <random>

#include "ndt/initial_pose/pose_prior.hpp"

namespace ndt::initial_pose {

/// One of the two normal numbers that a point in the unit circle gives [Marsaglia and Bray 1964], before the
/// costly half of their computation.
struct PolarNumber {
  /// The point's coordinate, and its squared distance from the centre.
  double component = 0, squared_radius = 1;
  /// Mean 0, deviation 1.
  double value() const;
};

/// A place drawn from a prior. Its numbers are computed on demand, because most candidates need only x, y
/// and yaw.
struct PriorDraw {
  PolarNumber normal[5];  ///< of x y z roll pitch
  double yaw = 0;         ///< [rad]
};

/// Draws from a prior without a heading the numbers that libstdc++'s distributions draw, as the reference
/// does, but with every standard library. Like those it keeps the second number of a pair, so draws depend on
/// where the sampler was made: one per group of draws.
class PriorSampler {
 public:
  /// Draws from this prior.
  explicit PriorSampler(const PosePrior& prior) : prior_(prior) {}
  /// In the order x y z roll pitch yaw.
  PriorDraw draw(std::mt19937_64& random);
  double x(const PriorDraw& draw) const { return of(draw, 0); }  ///< [m]
  double y(const PriorDraw& draw) const { return of(draw, 1); }  ///< [m]
  Pose pose(const PriorDraw& draw) const;                        ///< all six

 private:
  PolarNumber normal(int coordinate, std::mt19937_64& random);
  double of(const PriorDraw& draw, int i) const {
    return draw.normal[i].value() * prior_.sigma[i] + coordinate(prior_.mean, i);
  }

  PosePrior prior_;
  PolarNumber kept_[6];
  bool has_kept_[6] = {};
};

}  // namespace ndt::initial_pose
