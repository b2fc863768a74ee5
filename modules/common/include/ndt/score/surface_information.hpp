// The information that distances to the matched surfaces hold on a pose: a sum over a few points of a scan.
#pragma once

#include "ndt/core/pose.hpp"
#include "ndt/score/scan_point.hpp"

namespace ndt {

/// No more scan points are looked at, every k-th: condition numbers within a third of those of all points.
inline constexpr int kSurfacePoints = 256;
NDT_HD inline int surface_points(int scan_points) {
  return scan_points < kSurfacePoints ? scan_points : kSurfacePoints;
}

/// Σ w j jᵀ over points, j = (n, y × n / mean range): how the distance to the surface changes with the pose, per metre.
/// n, w: normal and flatness of the voxel the point scores highest in; y: its lever arm. Upper triangle, row by row.
struct SurfaceInformation {
  static constexpr int kEntries = 21;
  double entries[kEntries] = {};
};

/// Where the information is taken. Map-local.
struct SurfacePose {
  Mat3<double> rotation;
  Vec3<double> translation;
  double per_metre = 1;  ///< one over the scan's mean range: turns radians into metres
  NDT_HD SurfacePose(const Pose& pose, double mean_range_m)
      : rotation(rotation_of(pose)),
        translation{pose.x, pose.y, pose.z},
        per_metre(mean_range_m > 0 ? 1 / mean_range_m : 1) {}
};

/// The voxel a moved point scores highest in, or -1.
NDT_HD inline int nearest_voxel(const VoxelMapView& map, const Vec3<float>& p) {
  const CandidateRange range = map.candidates_near(p);
  int nearest = -1;
  float least = 0;
  for (int k = 0; k < range.count; ++k) {
    const Candidate& candidate = range.first[k];
    const Vec3<float> d = p - candidate.centroid;
    if (!(squared_length(d) < map.squared_radius)) continue;
    const Voxel& voxel = map.voxels[candidate.voxel];
    const Vec3<float> q = d - voxel.mean_offset;
    const float distance = dot(q, voxel.inverse_covariance * q);
    if (nearest < 0 || distance < least) least = distance, nearest = static_cast<int>(candidate.voxel);
  }
  return nearest;
}

/// Adds one scan point; nothing if no voxel is near. surfaces: indexed as map.voxels.
NDT_HD inline void add_surface(const VoxelMapView& map, const VoxelSurface* surfaces, const SurfacePose& at,
                               const Vec3<float>& x, SurfaceInformation& sum) {
  const Vec3<double> y = at.rotation * cast<double>(x);
  const int voxel = nearest_voxel(map, cast<float>(y + at.translation));
  if (voxel < 0) return;
  const Vec3<double> n = cast<double>(surfaces[voxel].normal), arm = at.per_metre * y;
  const double j[6] = {n.x, n.y, n.z, arm.y * n.z - arm.z * n.y, arm.z * n.x - arm.x * n.z, arm.x * n.y - arm.y * n.x};
  const double weight = static_cast<double>(surfaces[voxel].flatness);
  int entry = 0;
  for (int row = 0; row < 6; ++row)
    for (int col = row; col < 6; ++col) sum.entries[entry++] += weight * j[row] * j[col];
}

}  // namespace ndt
