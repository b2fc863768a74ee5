// The parts of PCL that the implementation needs, without PCL's headers, which only one translation unit
// reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ndt/align/aligner.hpp"

namespace ndt::pcl_ndt {

/// Score and derivatives of the scan at one pose, from PCL's own functions.
struct Sums {
  double score = 0;
  Vec6 gradient;
  Mat6 hessian;
  double nearest_voxel_score = 0;  ///< sum over points of their largest pair score
  std::int64_t pairs = 0;
  std::int64_t points_with_voxels = 0;
  std::vector<float> point_scores;  ///< one per point

  double nvtl() const {
    return points_with_voxels > 0 ? nearest_voxel_score / static_cast<double>(points_with_voxels) : 0.0;
  }
};

/// How PCL's loop ended. PCL itself calls the first two `converged`.
enum class End { step_rule_met, max_iterations, non_finite, line_search_failed, interrupted };

struct Iteration {
  Transform pose;
  double step = 0;  ///< norm over metres and radians
};

struct Path {
  End end = End::non_finite;
  std::vector<Iteration> iterations;
  std::int64_t passes = 0;  ///< over all scan points, line search included
};

/// A map in PCL's voxel grid and a scan. Coordinates are float32 in one frame, the map's.
class Matcher {
 public:
  /// points: finite, at least one. Throws InputError if PCL's 32-bit voxel index cannot hold their extent.
  Matcher(const std::vector<Point>& points, const AlignOptions& options);
  ~Matcher();

  /// Finite points, at least one.
  void set_scan(const std::vector<Point>& points);
  /// Whether any scan point is near a voxel. Returns at the first that is.
  bool overlaps(const Transform& pose);
  Sums sums_at(const Transform& pose);
  /// Asks after every iteration whether to give up.
  Path align(const Transform& guess, const std::function<bool()>& give_up);

  /// Voxels with enough points in increasing key order, z slowest. Keys and coordinates in the map's frame.
  std::vector<VoxelInfo> voxels();
  std::int64_t occupied_voxels();

 private:
  class Ndt;
  std::unique_ptr<Ndt> ndt_;
};

}  // namespace ndt::pcl_ndt
