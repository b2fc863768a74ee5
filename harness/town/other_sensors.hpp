// The positions that a satellite receiver, and the motions that wheels and a gyroscope would tell of a drive.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/io_names.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::harness::town {

/// The stretches where a receiver has no fix.
enum class Outages {
  none,
  some  ///< stretches of 20 to 50 m, 40 to 120 m of way between them
};

/// Returns positions in the poses' own frame, at times of poses 0.2 s or more apart, beginning with the
/// first. x and y are off by 0.1 m (1 sigma) from fix to fix, and by another 0.3 m that decays over 20 s. z
/// is off by twice as much. A receiver knows no heading: all rotations are the identity.
std::vector<StampedTransform> gnss_of(std::span<const StampedTransform> poses, Outages outages,
                                      std::uint64_t seed);

/// Odometry at the times of the poses, in a world that begins with the first of them. Distances are 1 % too
/// long, and off by another 1 % (1 sigma) from pose to pose. The heading drifts by 1 degree in 100 m, and by
/// 0.05 degrees (1 sigma) from pose to pose. The vehicle was carried to pose number `carried`, 2 or more:
/// there the odometry repeats the step before.
std::vector<StampedTransform> odometry_of(std::span<const StampedTransform> poses, std::uint64_t seed,
                                          std::optional<std::size_t> carried = std::nullopt);

}  // namespace ndt::harness::town
