// The motions between scans that wheels and a gyroscope would tell of a drive, not quite right, added up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/io_names.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::harness::town {

/// Odometry at the times of the poses, in a world that begins with the first of them. Distances are 1 % too
/// long, and off by another 1 % (1 sigma) from pose to pose; the heading drifts by 1 degree in 100 m, and by
/// 0.05 degrees (1 sigma) from pose to pose. To pose number `carried`, 2 or more, the vehicle was carried:
/// the odometry goes on as from the pose two before it to the one before it.
std::vector<StampedTransform> odometry_of(std::span<const StampedTransform> poses, std::uint64_t seed,
                                          std::optional<std::size_t> carried = std::nullopt);

}  // namespace ndt::harness::town
