// The positions of a drive that a satellite receiver would tell: with noise, and none for stretches of it.
#pragma once

#include <cstdint>
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

}  // namespace ndt::harness::town
