// Seeded random down-sampling.
#pragma once

#include <cstdint>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// `count` of the points in their order, every subset of that size alike likely; all of them if there are no more. The same
/// seed gives the same points on every platform.
std::vector<Point> random_sample(const std::vector<Point>& points, std::int64_t count, std::uint64_t seed);

}  // namespace ndt::harness
