#include "ndt/edge/conditioning.hpp"

#include <cmath>
#include <limits>

#include "ndt/core/finite_points.hpp"

namespace ndt {
namespace {

/// -H with rotations scaled to metres.
void copy_matrix(const Mat6& hessian, double mean_range_m, double (&a)[6][6]) {
  const double arm = mean_range_m > 0 ? mean_range_m : 1.0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a[i][j] = -hessian(i, j) / ((i < 3 ? 1.0 : arm) * (j < 3 ? 1.0 : arm));
}

Conditioning conditioning_of(const SymmetricEigen<6>& eigen) {
  Conditioning out;
  out.condition_number =
      eigen.values[0] > 0 ? eigen.values[5] / eigen.values[0] : std::numeric_limits<double>::infinity();
  for (int i = 0; i < 6; ++i) out.weak_direction[i] = eigen.vectors[0][i];
  return out;
}

}  // namespace

Conditioning conditioning_of(const Mat6& hessian, double mean_range_m) {
  double a[6][6];
  copy_matrix(hessian, mean_range_m, a);
  return conditioning_of(symmetric_eigen(a));
}

Conditioning conditioning_of(const Mat6& hessian, double mean_range_m, const SurfaceInformation& surfaces,
                             const Pose& pose) {
  double a[6][6], b[6][6];
  copy_matrix(hessian, mean_range_m, a);
  copy_matrix(surfaces, b);
  const SymmetricEigenPair<6> eigen = symmetric_eigen(a, b);
  Conditioning out = conditioning_of(eigen.first);
  add_surfaces(surface_conditioning(eigen.second, pose), out);
  return out;
}

std::optional<PositionCovariance> laplace_covariance(const Mat6& hessian) {
  const double xx = -hessian(0, 0), xy = -hessian(0, 1), yy = -hessian(1, 1);
  const double determinant = xx * yy - xy * xy;
  if (!(xx > 0 && determinant > 0)) return std::nullopt;
  return PositionCovariance{yy / determinant, -xy / determinant, xx / determinant};
}

void add_surfaces(const SurfaceConditioning& surfaces, Conditioning& conditioning) {
  conditioning.surface_condition_number = surfaces.condition_number;
  if (surfaces.condition_number / kMaxSurfaceConditionNumber >
      conditioning.condition_number / kMaxConditionNumber)
    conditioning.weak_direction = surfaces.weak_direction;
}

namespace {

/// Turns about the map's axes as rates of roll, pitch and yaw: ω = ex roll' + Rx ey pitch' + Rx Ry ez yaw'.
Vec3<double> angle_rates(const Pose& p, const Vec3<double>& w) {
  const double ca = std::cos(p.roll), sa = std::sin(p.roll), cb = std::cos(p.pitch), sb = std::sin(p.pitch);
  const double yaw = (ca * w.z - sa * w.y) / cb;
  return {w.x - sb * yaw, ca * w.y + sa * w.z, yaw};
}

}  // namespace

SurfaceInformation surface_information(const LevelMap& map, const ScanView& scan, const SurfacePose& at,
                                       int most) {
  const std::int64_t count = surface_points(scan.size, most);
  SurfaceInformation information;
  for (std::int64_t i = 0; i < count; ++i)
    add_surface(map.view, map.surfaces, at, scan.points[i * scan.size / count], true, SingleLane{},
                information);
  return information;
}

SurfaceInformation surface_information(const VoxelMap& map, const ScanView& scan, const Pose& pose,
                                       double mean_range_m, int most) {
  return surface_information({map.view(), {}, map.surfaces().data()}, scan,
                             {pose, per_metre_at(mean_range_m)}, most);
}

double push_sigmas(const LevelMap& map, const ScanView& scan, const SurfaceInformation& information,
                   const SurfacePose& at, double push_m, double score_error) {
  PushScratch scratch;
  prepare_pushes(SoloCrew{}, information, at, push_m, scratch);
  const int count = pushed_points(scan.size);
  PushSums<double> total;
  for (std::int64_t i = 0; i < count; ++i) {
    PushSums<float> one;
    add_pushed_point(map, scratch.motions, scan.points[i * scan.size / count], one);
    add_folded(total, one);
  }
  return push_sigmas(total, scan.size, score_error);
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
