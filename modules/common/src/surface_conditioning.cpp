#include "ndt/solve/surface_conditioning.hpp"

#include <cmath>
#include <limits>

namespace ndt {
namespace {

/// Turns about the map's axes as rates of roll, pitch and yaw: ω = ex roll' + Rx ey pitch' + Rx Ry ez yaw'.
Vec3<double> angle_rates(const Pose& p, const Vec3<double>& w) {
  const double ca = std::cos(p.roll), sa = std::sin(p.roll), cb = std::cos(p.pitch), sb = std::sin(p.pitch);
  const double yaw = (ca * w.z - sa * w.y) / cb;
  return {w.x - sb * yaw, ca * w.y + sa * w.z, yaw};
}

}  // namespace

SurfaceInformation surface_information(const VoxelMap& map, const ScanView& scan, const Pose& pose,
                                       double mean_range_m) {
  const VoxelMapView view = map.view();
  const SurfacePose at(pose, mean_range_m);
  const std::int64_t count = surface_points(scan.size);
  SurfaceInformation information;
  for (std::int64_t i = 0; i < count; ++i)
    add_surface(view, map.surfaces().data(), at, scan.points[i * scan.size / count], true, SingleLane{}, information);
  return information;
}

void copy_matrix(const SurfaceInformation& information, double (&a)[6][6]) {
  int entry = 0;
  for (int row = 0; row < 6; ++row)
    for (int col = row; col < 6; ++col) a[row][col] = a[col][row] = information.entries[entry++];
}

SurfaceConditioning surface_conditioning(const SymmetricEigen<6>& eigen, const Pose& pose) {
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

SurfaceConditioning surface_conditioning(const SurfaceInformation& information, const Pose& pose) {
  double a[6][6];
  copy_matrix(information, a);
  return surface_conditioning(symmetric_eigen(a), pose);
}

}  // namespace ndt
