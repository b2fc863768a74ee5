// The benchmarks of ndt-microbench: the parts of a registration, each alone, for every implementation of the
// table; and their clouds.
#pragma once

#include <span>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"
#include "registry/registry.hpp"
#include "town/lidar.hpp"

namespace ndt::harness {

/// Registers with Google Benchmark, for every implementation of the table that is for use:
///   build/<implementation>/<map points>       set_map
///   update/<implementation>/<map points>      one tile of 20 m taken away and added anew, and the map built;
///                                             only implementations with a resident_map()
///   exchange/<implementation>/<map points>    exchange_map, likewise
///   evaluate/<implementation>/<scan points>   evaluate
///   score/<implementation>/<scan points>x64   score_batch; only implementations with batches
///   align/<implementation>/<scan points>      align to convergence
/// and, without an implementation, propose/100x<at once>: the proposals of an initial-pose search, in rounds;
/// look/<map points>: one of its looks at what a scan sees; thin/<beams>x<azimuths>: the voxel grid of a
/// scan. Implementations that cannot run here are skipped with their reason. `failed` counts the other
/// benchmarks that end without a number, and must outlive the run.
void register_microbenchmarks(std::span<const Implementation> table, const AlignOptions& options,
                              int& failed);

/// A map of courtyards of at most 100,000 points each, side by side on a square grid of 64 m and drawn from
/// seeds of their own: more points are more voxels, not fuller ones. The first courtyard is where the scans
/// were taken.
PointCloud microbench_map(int points);

/// A scan of the first courtyard; its pose in the map is the identity.
PointCloud microbench_scan(int points);

/// The points that a scanner sees in the built-in town, in the order in which it sees them.
PointCloud microbench_sweep(const town::LidarModel& lidar);

/// The pose where alignments start: about 0.36 m and 1.7 degrees away.
Transform microbench_guess();

/// An 8 x 8 grid of poses, 0.1 m apart in x and y, around the true one.
std::vector<Transform> microbench_poses();

}  // namespace ndt::harness
