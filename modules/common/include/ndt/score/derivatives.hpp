// From the sums of a scan to score, gradient and Hessian at a pose.
#pragma once

#include <cmath>

#include "ndt/core/pose.hpp"
#include "ndt/score/derivative_sums.hpp"

namespace ndt {

/// Score and its derivatives with respect to (x, y, z, roll, pitch, yaw), and the counts that stop test and
/// result need.
struct Derivatives {
  double score = 0;
  Vec6 gradient;
  Mat6 hessian;
  double nearest = 0;
  std::int64_t pairs = 0, points = 0;

  NDT_HD double nvtl() const { return points > 0 ? nearest / static_cast<double>(points) : 0.0; }
};

/// Map-frame axes about which roll, pitch and yaw turn a point: with R = Rx Ry Rz, ∂(R x)/∂θᵢ = aᵢ × R x.
struct AngleAxes {
  Vec3<double> a[3];
  NDT_HD explicit AngleAxes(const SinCos& angles) {
    const double ca = angles.cosine[0], sa = angles.sine[0];
    const double cb = angles.cosine[1], sb = angles.sine[1];
    a[0] = {1, 0, 0};
    a[1] = {0, ca, sa};
    a[2] = {sb, -sa * cb, ca * cb};
  }
};

/// Turns sums into derivatives; the sums must belong to the pose. For i <= j,
/// ∂²(R x)/∂θᵢ∂θⱼ = aᵢ × (aⱼ × R x), because the outer rotation carries the inner axes along; so the
/// second-order term is aⱼᵀ(Σ v yᵀ)aᵢ - tr(Σ v yᵀ) aᵢ·aⱼ. curvature_share: share of that term in the Hessian,
/// the one with which the sums' constants were made.
NDT_HD inline Derivatives derivatives_of(const DerivativeSums<double>& sums, const SinCos& angles,
                                         double curvature_share = 1) {
  const AngleAxes axes(angles);
  Derivatives out;
  out.score = sums.score;
  out.nearest = sums.nearest;
  out.pairs = sums.pairs;
  out.points = sums.points;

  const Mat3<double>& g = sums.vy;
  const Vec3<double> torque{g(2, 1) - g(1, 2), g(0, 2) - g(2, 0), g(1, 0) - g(0, 1)};  // Σ y × v
  out.gradient[0] = sums.v.x, out.gradient[1] = sums.v.y, out.gradient[2] = sums.v.z;
  for (int i = 0; i < 3; ++i) out.gradient[3 + i] = dot(axes.a[i], torque);

  const Mat3<double> m = full(sums.m), ymy = full(sums.ymy);
  const double trace = curvature_share * (g(0, 0) + g(1, 1) + g(2, 2));
  NDT_UNROLL
  for (int j = 0; j < 3; ++j) {
    const Vec3<double>& aj = axes.a[j];
    const Vec3<double> h = sums.my * aj;  // a × y = -[y]× a
    const double cross[3] = {-h.x, -h.y, -h.z};
    const Vec3<double> q = ymy * aj, ga = curvature_share * (transpose(g) * aj);
    NDT_UNROLL
    for (int i = 0; i < 3; ++i) {
      out.hessian(i, j) = m(i, j);
      out.hessian(i, 3 + j) = out.hessian(3 + j, i) = cross[i];
      if (i > j) continue;
      const double angular = dot(axes.a[i], q) + dot(ga, axes.a[i]) - trace * dot(axes.a[i], aj);
      out.hessian(3 + i, 3 + j) = out.hessian(3 + j, 3 + i) = angular;
    }
  }
  return out;
}

/// Makes the Hessian that of HessianForm::autoware_1_9: in ∂²(R x)/∂pitch², the map's x has the scan's z with
/// -sin(pitch), there with +sin(pitch). The scan's z is a₂ · y, because yaw turns about it.
NDT_HD inline void turn_sign_of_autoware_1_9(const DerivativeSums<double>& sums, const SinCos& angles,
                                             Derivatives& d) {
  const Vec3<double> v_x_y{sums.vy(0, 0), sums.vy(0, 1), sums.vy(0, 2)};  // Σ v.x y
  d.hessian(4, 4) += 2 * angles.sine[1] * dot(AngleAxes(angles).a[2], v_x_y);
}

NDT_HD inline Derivatives derivatives_of(const DerivativeSums<double>& sums, const Pose& pose) {
  return derivatives_of(sums, sin_cos_of(pose));
}

/// Position from another sensor that pulls the pose along its heading only, weighted by the number of pairs.
struct Regularisation {
  bool active = false;
  double scale = 0, x = 0, y = 0;  ///< target in the map-local frame, metres
};

/// Adds the reference's terms. The reference leaves out the derivatives with respect to yaw, so they are left
/// out here. s, c: sine and cosine of yaw.
NDT_HD inline void add_regularisation(const Regularisation& r, const Pose& pose, double s, double c,
                                      Derivatives& d) {
  if (!r.active) return;
  const double along = (r.y - pose.y) * s + (r.x - pose.x) * c;
  const double weight = r.scale * static_cast<double>(d.pairs);
  d.score -= weight * along * along;
  d.gradient[0] += 2 * weight * c * along;
  d.gradient[1] += 2 * weight * s * along;
  d.hessian(0, 0) -= 2 * weight * c * c;
  d.hessian(0, 1) -= 2 * weight * c * s;
  d.hessian(1, 0) -= 2 * weight * c * s;
  d.hessian(1, 1) -= 2 * weight * s * s;
}
NDT_HD inline void add_regularisation(const Regularisation& r, const Pose& pose, Derivatives& d) {
  if (r.active) add_regularisation(r, pose, std::sin(pose.yaw), std::cos(pose.yaw), d);
}

}  // namespace ndt
