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

/// Sets an entry of a symmetric matrix, and the one across the diagonal.
NDT_HD inline void set_symmetric(Mat6& matrix, int i, int j, double value) {
  matrix(i, j) = matrix(j, i) = value;
}

/// Map-frame axes about which roll, pitch and yaw turn a point: with R = Rx Ry Rz, ∂(R x)/∂θᵢ = aᵢ × R x.
/// That of roll is (1, 0, 0), and pitch's is normal to the two others.
struct AngleAxes {
  Vec3<double> pitch, yaw;
  NDT_HD explicit AngleAxes(const SinCos& angles) {
    const double ca = angles.cosine[0], sa = angles.sine[0];
    const double cb = angles.cosine[1], sb = angles.sine[1];
    pitch = {0, ca, sa};
    yaw = {sb, -sa * cb, ca * cb};
  }
  /// aᵢ·x for the three axes.
  NDT_HD Vec3<double> along(const Vec3<double>& x) const {
    return {x.x, sum_of_products(pitch.y, x.y, pitch.z, x.z),
            sum_of_products(yaw.x, x.x, yaw.y, x.y) + yaw.z * x.z};
  }
};

/// Turns sums into derivatives; the sums must belong to the pose. The outer rotation carries the inner axes
/// along, so ∂²(R x)/∂θᵢ∂θⱼ = aᵢ × (aⱼ × R x) for i <= j. The second-order term is then aⱼᵀ(Σ v yᵀ)aᵢ - tr(Σ
/// v yᵀ) aᵢ·aⱼ. curvature_share: share of that term in the Hessian, as in the constants of the sums.
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
  const Vec3<double> turning = axes.along(torque);
  out.gradient[0] = sums.v.x, out.gradient[1] = sums.v.y, out.gradient[2] = sums.v.z;
  out.gradient[3] = turning.x, out.gradient[4] = turning.y, out.gradient[5] = turning.z;

  const Mat3<double> m = full(sums.m), ymy = full(sums.ymy);
  Vec3<double> turned[3];  // rows of (Σ [y]×ᵀ M [y]× + share (Σ v yᵀ)ᵀ) [a₀ a₁ a₂]
  NDT_UNROLL
  for (int i = 0; i < 3; ++i) {
    const Vec3<double> cross = axes.along({sums.my(i, 0), sums.my(i, 1), sums.my(i, 2)});  // a × y = -[y]× a
    turned[i] = axes.along({ymy(i, 0) + curvature_share * g(0, i), ymy(i, 1) + curvature_share * g(1, i),
                            ymy(i, 2) + curvature_share * g(2, i)});
    NDT_UNROLL
    for (int j = 0; j < 3; ++j) out.hessian(i, j) = m(i, j);
    set_symmetric(out.hessian, i, 3, -cross.x);
    set_symmetric(out.hessian, i, 4, -cross.y);
    set_symmetric(out.hessian, i, 5, -cross.z);
  }
  const double trace = curvature_share * (g(0, 0) + g(1, 1) + g(2, 2));
  const Vec3<double> by_pitch = axes.along({turned[0].y, turned[1].y, turned[2].y}),
                     by_yaw = axes.along({turned[0].z, turned[1].z, turned[2].z});
  set_symmetric(out.hessian, 3, 3, turned[0].x - trace);
  set_symmetric(out.hessian, 3, 4, by_pitch.x);
  set_symmetric(out.hessian, 4, 4, by_pitch.y - trace);
  set_symmetric(out.hessian, 3, 5, by_yaw.x - trace * axes.yaw.x);
  set_symmetric(out.hessian, 4, 5, by_yaw.y);
  set_symmetric(out.hessian, 5, 5, by_yaw.z - trace);
  return out;
}

/// Makes the Hessian that of HessianForm::autoware_1_9: in ∂²(R x)/∂pitch², the map's x has the scan's z with
/// -sin(pitch), there with +sin(pitch). The scan's z is a₂ · y, because yaw turns about it.
NDT_HD inline void turn_sign_of_autoware_1_9(const DerivativeSums<double>& sums, const SinCos& angles,
                                             Derivatives& d) {
  const Vec3<double> v_x_y{sums.vy(0, 0), sums.vy(0, 1), sums.vy(0, 2)};  // Σ v.x y
  d.hessian(4, 4) += 2 * angles.sine[1] * dot(AngleAxes(angles).yaw, v_x_y);
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
