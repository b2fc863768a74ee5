// The clouds that ndt-microbench measures on, all from seeds.
#pragma once

#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// A map of courtyards of at most 100,000 points each, side by side on a square grid of 64 m and drawn from seeds of their
/// own: more points are more voxels, not fuller ones. The first courtyard is where the scans were taken.
PointCloud microbench_map(int points);

/// A scan of the first courtyard; its pose in the map is the identity.
PointCloud microbench_scan(int points);

/// Where alignments start: about 0.36 m and 1.7 degrees away.
Transform microbench_guess();

/// An 8 x 8 grid of poses, 0.1 m apart in x and y, around the true one.
std::vector<Transform> microbench_poses();

}  // namespace ndt::harness
