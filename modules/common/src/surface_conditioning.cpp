#include "ndt/solve/surface_conditioning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ndt/core/symmetric_eigen.hpp"
#include "ndt/score/scan_points_simd.hpp"

namespace ndt {
namespace {

/// Turns about the map's axes as rates of roll, pitch and yaw: ω = ex roll' + Rx ey pitch' + Rx Ry ez yaw'.
Vec3<double> angle_rates(const Pose& p, const Vec3<double>& w) {
  const double ca = std::cos(p.roll), sa = std::sin(p.roll), cb = std::cos(p.pitch), sb = std::sin(p.pitch);
  const double yaw = (ca * w.z - sa * w.y) / cb;
  return {w.x - sb * yaw, ca * w.y + sa * w.z, yaw};
}

/// The voxel a moved point scores highest in, or -1.
int nearest_voxel(const VoxelMapView& map, const Vec3<float>& p) {
  std::uint32_t hits[kMaxCandidates + 3];
  const int n = simd::find_hits(map, p, hits);
  int nearest = -1;
  float least = std::numeric_limits<float>::infinity();
  for (int k = 0; k < n; ++k) {
    const Voxel& voxel = map.voxels[hits[k]];
    const Vec3<float> q = (p - voxel.centroid) - voxel.mean_offset;
    const float distance = dot(q, voxel.inverse_covariance * q);
    if (distance < least) least = distance, nearest = static_cast<int>(hits[k]);
  }
  return nearest;
}

/// Σ w j jᵀ over points, j = (n, y × n / mean range): how the distance to the surface changes with the pose, per metre.
void add_information(const VoxelSurface& surface, const Vec3<double>& lever, double (&a)[6][6]) {
  const Vec3<double> n = cast<double>(surface.normal);
  const double j[6] = {
      n.x, n.y, n.z, lever.y * n.z - lever.z * n.y, lever.z * n.x - lever.x * n.z, lever.x * n.y - lever.y * n.x};
  for (int row = 0; row < 6; ++row)
    for (int col = row; col < 6; ++col) a[row][col] += static_cast<double>(surface.flatness) * j[row] * j[col];
}

SurfaceConditioning condition_of(double (&a)[6][6], const Pose& pose) {
  for (int row = 0; row < 6; ++row)
    for (int col = 0; col < row; ++col) a[row][col] = a[col][row];
  const SymmetricEigen<6> eigen = symmetric_eigen(a);
  const double(&weak)[6] = eigen.vectors[0];
  const Vec3<double> rates = angle_rates(pose, {weak[3], weak[4], weak[5]});
  SurfaceConditioning out;
  out.condition_number =
      eigen.values[0] > 0 ? eigen.values[5] / eigen.values[0] : std::numeric_limits<double>::infinity();
  out.weak_direction = {{weak[0], weak[1], weak[2], rates.x, rates.y, rates.z}};
  const double length = std::sqrt(dot(out.weak_direction, out.weak_direction));
  for (double& v : out.weak_direction.v) v /= length;
  return out;
}

}  // namespace

SurfaceConditioning surface_conditioning(const VoxelMap& map, const ScanView& scan, const Pose& pose,
                                         double mean_range_m) {
  const VoxelMapView view = map.view();
  const double per_metre = mean_range_m > 0 ? 1 / mean_range_m : 1;
  const Mat3<double> rotation = rotation_of(pose);
  const Vec3<double> translation{pose.x, pose.y, pose.z};
  const std::int64_t count = std::min(scan.size, kSurfacePoints);
  double information[6][6] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    const Vec3<double> lever = rotation * cast<double>(scan.points[i * scan.size / count]);
    const int voxel = nearest_voxel(view, cast<float>(lever + translation));
    if (voxel >= 0) add_information(map.surfaces()[static_cast<std::size_t>(voxel)], per_metre * lever, information);
  }
  return condition_of(information, pose);
}

}  // namespace ndt
