#include "ndt/solve/conditioning.hpp"

#include <limits>

namespace ndt {
namespace {

/// -H per metre.
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
  if (surfaces.condition_number / kMaxSurfaceConditionNumber > conditioning.condition_number / kMaxConditionNumber)
    conditioning.weak_direction = surfaces.weak_direction;
}

}  // namespace ndt
