// The information about a pose that the distances to the matched surfaces hold: a sum over a few points of a
// scan.
#pragma once

#include <cmath>

#include "ndt/core/pose.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/score/scan_point.hpp"

namespace ndt {

/// Most scan points that are used, every k-th. Condition numbers are within a third of those of all points.
inline constexpr int kSurfacePoints = 256;
/// Enough to tell whether a map fixes a pose at all.
inline constexpr int kFewSurfacePoints = 64;
NDT_HD inline int surface_points(int scan_points, int most = kSurfacePoints) {
  return scan_points < most ? scan_points : most;
}

/// Σ w j jᵀ over points, j = (n, y × n / mean range): how the distance to the surface changes with the pose,
/// per metre. n, w: normal and flatness of the voxel the point scores highest in; y: its lever arm. Upper
/// triangle, row by row.
template <class Real>
struct SurfaceSums {
  static constexpr int kEntries = 21, kReals = kEntries, kCounts = 0;
  Real entries[kEntries] = {};
};
using SurfaceInformation = SurfaceSums<double>;

template <class Real>
NDT_HD inline void add_folded(SurfaceInformation& total, const SurfaceSums<Real>& part) {
  for (int i = 0; i < SurfaceInformation::kEntries; ++i) total.entries[i] += folded(part.entries[i]);
}

NDT_HD inline void to_columns(const SurfaceSums<float>& s, float (&out)[SurfaceSums<float>::kReals]) {
  for (int i = 0; i < SurfaceSums<float>::kReals; ++i) out[i] = s.entries[i];
}
NDT_HD inline void set_column(SurfaceInformation& s, int column, double value) { s.entries[column] = value; }

/// One over a scan's mean range, which makes metres at that range radians; 1 for an empty scan.
NDT_HD inline double per_metre_at(double mean_range_m) { return mean_range_m > 0 ? 1 / mean_range_m : 1; }

/// The pose at which the information is taken. Map-local.
struct SurfacePose {
  Mat3<double> rotation;
  Vec3<double> translation;
  double per_metre = 1;  ///< one over the scan's mean range: turns radians into metres
  NDT_HD SurfacePose(const Pose& pose, double radians) : SurfacePose(sin_cos_of(pose), pose, radians) {}
  /// Takes the pose's own angles.
  NDT_HD SurfacePose(const SinCos& angles, const Pose& pose, double radians)
      : rotation(rotation_of(angles)), translation{pose.x, pose.y, pose.z}, per_metre(radians) {}
};

/// Finds the voxel in which a moved point scores highest. The lanes share the near voxels; only the lane that
/// found it gets it, the others get -1, and so do all if there is none. Lanes without a point (`there` is
/// false) call it too, because max() needs every lane.
template <class Lanes>
NDT_HD inline int nearest_voxel(const VoxelMapView& map, const Vec3<float>& p, bool there,
                                const Lanes& lanes) {
  constexpr int kNone = 0x7FFFFFFF;
  const NearVoxels range = there ? map.near_voxels(p) : NearVoxels{};
  int nearest = kNone;
  float closeness = -INFINITY;  // minus the distance, so that max() finds the nearest
  NDT_ROLLED
  for (int k = lanes.rank(); k < range.count; k += lanes.width()) {
    const NearVoxel near = load_aligned(range.first + k);
    const Vec3<float> d = p - near.centroid;
    if (!(squared_length(d) < map.squared_radius)) continue;
    const Voxel voxel = load_aligned(map.voxels + near.voxel);
    const Vec3<float> q = d - voxel.mean_offset;
    const float distance = dot(q, voxel.inverse_covariance * q);
    if (-distance > closeness) closeness = -distance, nearest = static_cast<int>(near.voxel);
  }
  // Every lane calls max(), even one that found nothing.
  const float closest = lanes.max(closeness);
  const int winner = -lanes.max(closeness == closest ? -nearest : -kNone);
  return winner == nearest && nearest != kNone ? nearest : -1;
}

/// Adds one scan point if it is there and has a voxel near. surfaces: indexed as map.voxels.
template <class Real, class Lanes>
NDT_HD inline void add_surface(const VoxelMapView& map, const VoxelSurface* surfaces, const SurfacePose& at,
                               const Vec3<float>& x, bool there, const Lanes& lanes, SurfaceSums<Real>& sum) {
  const Vec3<double> y = at.rotation * cast<double>(x);
  const int voxel = nearest_voxel(map, cast<float>(y + at.translation), there, lanes);
  if (voxel < 0) return;
  const Vec3<double> n = cast<double>(surfaces[voxel].normal), arm = at.per_metre * y;
  const double j[6] = {
      n.x, n.y, n.z, arm.y * n.z - arm.z * n.y, arm.z * n.x - arm.x * n.z, arm.x * n.y - arm.y * n.x};
  const double weight = static_cast<double>(surfaces[voxel].flatness);
  int entry = 0;
  NDT_UNROLL
  for (int row = 0; row < 6; ++row) {
    NDT_UNROLL
    for (int col = row; col < 6; ++col) sum.entries[entry++] += static_cast<Real>(weight * j[row] * j[col]);
  }
}

}  // namespace ndt
