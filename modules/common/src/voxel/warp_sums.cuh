// The sums over the points of a cell, and the voxel that they make.
#pragma once

#include "ndt/align/align_options.hpp"
#include "ndt/exec/warp.cuh"
#include "ndt/voxel/voxel.hpp"
#include "warp_lanes.cuh"

namespace ndt {

/// Sums the points of a cell about `reference`, by all lanes of a warp. point(i, p): gives the ith point;
/// false if there are no more. Float32 is added point by point in cloud order, as the reference does; doubles
/// are added lane by lane.
template <class F>
__device__ VoxelSums sum_by_warp(const Vec3<double>& reference, F&& point) {
  const unsigned lane = threadIdx.x & 31;
  VoxelSums sums;
  for (unsigned first = 0;; first += 32) {
    Point p;
    const bool mine = point(first + lane, p);
    if (mine) add_moments(sums, p, reference);
    const int count = __popc(__ballot_sync(kWholeWarp, mine));
    for (int k = 0; k < count; ++k) {
      sums.centroid_sum.x += __shfl_sync(kWholeWarp, p.x, k);
      sums.centroid_sum.y += __shfl_sync(kWholeWarp, p.y, k);
      sums.centroid_sum.z += __shfl_sync(kWholeWarp, p.z, k);
    }
    sums.n += count;
    if (count < 32) break;
  }
  Vec3<double>& s = sums.sum;
  s = {warp_sum(s.x), warp_sum(s.y), warp_sum(s.z)};
  Sym3<double>& t = sums.second;
  t = {warp_sum(t.xx), warp_sum(t.xy), warp_sum(t.xz), warp_sum(t.yy), warp_sum(t.yz), warp_sum(t.zz)};
  return sums;
}

/// The rule that turns sums into a voxel.
struct VoxelRule {
  double resolution_m, start, eigenvalue_ratio;
  unsigned least;  ///< points

  explicit VoxelRule(const AlignOptions& options)
      : resolution_m(options.resolution_m),
        start(options.covariance_start == CovarianceStart::identity ? 1.0 : 0.0),
        eigenvalue_ratio(options.eigenvalue_ratio),
        least(options.min_points > 1 ? static_cast<unsigned>(options.min_points) : 1) {}

  __device__ Vec3<double> reference(std::uint64_t key) const { return centre_of(unpack(key), resolution_m); }
  /// False if the sums have too few points or define no Gaussian.
  __device__ bool finish(std::uint64_t key, const VoxelSums& sums, VoxelStatistics& out) const {
    return static_cast<unsigned>(sums.n) >= least &&
           ndt::finish(sums, reference(key), start, eigenvalue_ratio, out);
  }
};

}  // namespace ndt
