// The reference's target: one Gaussian per voxel of the global grid, and a k-d tree over the voxels' float32
// centroids.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ndt/align/aligner.hpp"

namespace ndt::cpu_pclomp_ref {

struct Leaf {
  std::int64_t key[3] = {};
  int points = 0;
  Eigen::Vector3f centroid = Eigen::Vector3f::Zero();  ///< accumulated in float32, in cloud order
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d inverse_covariance_transposed = Eigen::Matrix3d::Zero();
  /// Not in the reference, conditioning.hpp needs them: direction of the points' own smallest variance, and
  /// 1 - smallest / middle (0 for a line).
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  double flatness = 0;
};

/// Squared distance and leaf index, ordered as the reference's sorted radius search returns them.
struct Neighbour {
  float squared_distance;
  std::uint32_t leaf;
};

class VoxelGrid {
 public:
  /// points: finite, global float32 coordinates. Leaves with fewer than options.min_points do not exist.
  VoxelGrid(const std::vector<Point>& points, const AlignOptions& options);
  ~VoxelGrid();

  const std::vector<Leaf>& leaves() const { return leaves_; }
  std::int64_t occupied_voxels() const { return occupied_voxels_; }
  CovarianceStart covariance_start() const { return covariance_start_; }
  double resolution_m() const { return 1 / static_cast<double>(inverse_resolution_); }

  /// The leaves a point is scored against, by options.neighbours. Thread-safe.
  void find_neighbours(const float query[3], std::vector<Neighbour>& out) const {
    if (neighbours_ == Neighbours::radius)
      radius_search(query, out);
    else
      direct_search(query, out);
  }
  /// All leaves whose centroid is strictly nearer than the resolution, nearest first. Float32 arithmetic.
  void radius_search(const float query[3], std::vector<Neighbour>& out) const;
  /// The leaf of the query's voxel (direct1), with its face neighbours (direct7) or all 26 (direct27); no
  /// distance test, and squared_distance is 0.
  void direct_search(const float query[3], std::vector<Neighbour>& out) const;

 private:
  struct Tree;
  std::vector<Leaf> leaves_;
  std::int64_t occupied_voxels_ = 0;
  float squared_radius_, inverse_resolution_;
  Neighbours neighbours_;
  CovarianceStart covariance_start_;
  std::map<std::array<std::int64_t, 3>, std::uint32_t> leaf_of_voxel_;  // z, y, x; for direct policies only
  std::unique_ptr<Tree> tree_;
};

}  // namespace ndt::cpu_pclomp_ref
