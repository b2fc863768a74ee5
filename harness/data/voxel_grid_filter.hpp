// Voxel-grid down-sampling.
#pragma once

#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// The centroid of every occupied leaf of a cloud of finite points, as offsets from the cloud's origin, in increasing leaf
/// order, z slowest. A point's leaf is floor(coordinate / leaf_m) per axis, in double and in the cloud's frame. Points are
/// summed in their order, in double.
std::vector<Point> leaf_centroids(const PointCloud& cloud, double leaf_m);

}  // namespace ndt::harness
