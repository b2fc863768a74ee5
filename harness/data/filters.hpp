// The two filters that thin a cloud: a voxel grid and a seeded random sample.
#pragma once

#include <cstdint>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// Returns the centroid of every occupied leaf of a cloud of finite points, as offsets from the cloud's
/// origin, in increasing leaf order, z slowest. A point's leaf is floor(coordinate / leaf_m) per axis, in
/// double and in the cloud's frame. Points are summed in their order, in double.
std::vector<Point> leaf_centroids(const PointCloud& cloud, double leaf_m);

/// Draws `count` of the points, order kept, every subset equally likely; returns all of them if there are at
/// most `count`. The same seed gives the same points on every platform.
std::vector<Point> random_sample(const std::vector<Point>& points, std::int64_t count, std::uint64_t seed);

}  // namespace ndt::harness
