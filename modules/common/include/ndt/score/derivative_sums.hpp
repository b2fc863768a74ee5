// The sums a scan needs at a pose: score, counts and 33 numbers from which gradient and Hessian follow.
//
// With u = Cq and f = d1 d2 exp(-d2/2 qᵀu), a point needs only v = Σ f u and M = Σ f (C - d2 u uᵀ) of its
// voxels. A point's lever arm is y = R x, and a small rotation about the map-frame axis a moves it by a × y.
// So the scan needs
//   Σ v,  Σ v yᵀ,  Σ M,  Σ M[y]×  and  Σ [y]×ᵀ M [y]×
// and no Jacobian or trigonometry per point. (derivatives.hpp turns them into gradient and Hessian.)
#pragma once

#include <cmath>
#include <cstdint>

#include "ndt/core/hd.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {

/// A pair scores -d1 exp(-d2/2 qᵀCq), d1 < 0 < d2. The approximation's third constant is an offset, which
/// nothing needs. curvature: the d2 of the Hessian's negative term u uᵀ; d2 itself gives the true Hessian,
/// less of it one that stays definite farther from the optimum.
template <class Real>
struct Gauss {
  Real d1{}, d2{}, curvature = d2;
};

/// The constants of windows, whose middle variance is 1/2. Pairs with d2 e > 1 count as broken; with d2 = 1 a
/// pair at its mean could be one of them by rounding.
inline constexpr Gauss<float> kWindowGauss{-1, 0.5F};

/// The constants in float32, with a share of the negative curvature.
inline NDT_HD Gauss<float> with_curvature(const Gauss<float>& gauss, double share) {
  return {gauss.d1, gauss.d2, static_cast<float>(share) * gauss.d2};
}

/// outlier_ratio in (0, 1), resolution in metres.  [Magnusson 2009, eq. 6.8, with the reference's literal 10
/// inlier weight]
inline Gauss<double> make_gauss(double outlier_ratio, double resolution_m) {
  const double c1 = 10 * (1 - outlier_ratio);
  const double c2 = outlier_ratio / (resolution_m * resolution_m * resolution_m);
  const double d3 = -std::log(c2);
  const double d1 = -std::log(c1 + c2) - d3;
  const double d2 = -2 * std::log((-std::log(c1 * std::exp(-0.5) + c2) - d3) / d1);
  return {d1, d2};
}

/// The members of DerivativeSums that are no derivatives.
struct PoseScore {
  double score = 0;    ///< Σ over pairs
  double nearest = 0;  ///< Σ over points of their largest pair score
  std::int64_t pairs = 0;
  std::int64_t points = 0;  ///< points with at least one voxel

  NDT_HD double nvtl() const { return points > 0 ? nearest / static_cast<double>(points) : 0.0; }
};

/// The type that counts pairs and points. A chunk has few enough for an int, which saves a device's
/// registers.
template <class Real>
struct CountOf {
  using Type = std::int32_t;
};
template <>
struct CountOf<double> {
  using Type = std::int64_t;
};

template <class Real>
struct DerivativeSums {
  static constexpr int kReals = 35, kCounts = 2;
  Real score{};    ///< Σ over pairs
  Real nearest{};  ///< Σ over points of their largest pair score
  Vec3<Real> v;    ///< Σ v
  Mat3<Real> vy;   ///< Σ v yᵀ
  Sym3<Real> m;    ///< Σ M
  Mat3<Real> my;   ///< Σ M[y]×
  Sym3<Real> ymy;  ///< Σ [y]×ᵀ M [y]×
  typename CountOf<Real>::Type pairs = 0;
  typename CountOf<Real>::Type points = 0;  ///< points with at least one voxel
};

/// Adds the sums of a chunk in double, and folds its lanes.
template <class Real>
NDT_HD inline void add_folded(DerivativeSums<double>& total, const DerivativeSums<Real>& part) {
  const auto add_sym = [](Sym3<double>& a, const Sym3<Real>& b) {
    a.xx += folded(b.xx), a.xy += folded(b.xy), a.xz += folded(b.xz);
    a.yy += folded(b.yy), a.yz += folded(b.yz), a.zz += folded(b.zz);
  };
  total.score += folded(part.score), total.nearest += folded(part.nearest);
  total.v.x += folded(part.v.x), total.v.y += folded(part.v.y), total.v.z += folded(part.v.z);
  for (int i = 0; i < 9; ++i) total.vy.m[i] += folded(part.vy.m[i]), total.my.m[i] += folded(part.my.m[i]);
  add_sym(total.m, part.m), add_sym(total.ymy, part.ymy);
  total.pairs += part.pairs, total.points += part.points;
}

/// Copies the real numbers of the sums to an array, in the order of the members, so that they can be reduced
/// side by side.
inline constexpr int kDerivativeSums = DerivativeSums<double>::kReals;
template <class Real>
NDT_HD inline void to_array(const DerivativeSums<Real>& s, Real (&out)[kDerivativeSums]) {
  out[0] = s.score, out[1] = s.nearest, out[2] = s.v.x, out[3] = s.v.y, out[4] = s.v.z;
  for (int i = 0; i < 9; ++i) out[5 + i] = s.vy.m[i], out[20 + i] = s.my.m[i];
  const Sym3<Real>&a = s.m, &b = s.ymy;
  out[14] = a.xx, out[15] = a.xy, out[16] = a.xz, out[17] = a.yy, out[18] = a.yz, out[19] = a.zz;
  out[29] = b.xx, out[30] = b.xy, out[31] = b.xz, out[32] = b.yy, out[33] = b.yz, out[34] = b.zz;
}
/// Writes the same, followed by the counts. A chunk's counts are small enough to be exact in float32.
NDT_HD inline void to_columns(const DerivativeSums<float>& s,
                              float (&out)[kDerivativeSums + DerivativeSums<float>::kCounts]) {
  float reals[kDerivativeSums];
  to_array(s, reals);
  for (int i = 0; i < kDerivativeSums; ++i) out[i] = reals[i];
  out[kDerivativeSums] = static_cast<float>(s.pairs), out[kDerivativeSums + 1] = static_cast<float>(s.points);
}
/// Sets one column, which may be a count.
NDT_HD inline void set_column(DerivativeSums<double>& s, int column, double value) {
  static_assert(sizeof(DerivativeSums<double>) ==
                (DerivativeSums<double>::kReals + DerivativeSums<double>::kCounts) * sizeof(double));
  if (column < kDerivativeSums)
    reinterpret_cast<double*>(&s)[column] = value;
  else
    reinterpret_cast<std::int64_t*>(&s)[column] = static_cast<std::int64_t>(value);
}
/// Sets the real numbers from an array, and leaves the counts as they are.
template <class Real>
NDT_HD inline void from_array(const Real* in, DerivativeSums<Real>& s) {
  s.score = in[0], s.nearest = in[1], s.v = {in[2], in[3], in[4]};
  for (int i = 0; i < 9; ++i) s.vy.m[i] = in[5 + i], s.my.m[i] = in[20 + i];
  s.m = {in[14], in[15], in[16], in[17], in[18], in[19]};
  s.ymy = {in[29], in[30], in[31], in[32], in[33], in[34]};
}

/// The sums that one point collects from its voxels.
template <class Real>
struct PointSums {
  Vec3<Real> v;
  Sym3<Real> m;
  Real score{}, largest{};
};

/// e = exp(-d2/2 qᵀu) of a pair, u = Cq; 0 where `active` is false, or where d2 e is not in [0, 1] as in the
/// reference.
template <class Real, class Mask>
NDT_HD inline Real pair_exponential(const Gauss<Real>& gauss, const Vec3<Real>& q, const Vec3<Real>& u,
                                    Mask active) {
  const Real e = exp_of(gauss.d2 * broadcast<Real>(-0.5F) * dot(q, u));
  const Real weight = gauss.d2 * e;
  return select(active & (weight >= Real{}) & (weight <= broadcast<Real>(1.0F)), e, Real{});
}

/// Adds one point-voxel pair; d = p - centroid. Nothing where pair_exponential() is 0.  [Magnusson 2009, eq.
/// 6.9, 6.12, 6.13]
template <class Real, class Mask>
NDT_HD inline void add_pair(const Gauss<Real>& gauss, const Vec3<Real>& d, const VoxelOf<Real>& voxel,
                            Mask active, PointSums<Real>& sums) {
  const Vec3<Real> q = d - voxel.mean_offset;
  const Sym3<Real>& c = voxel.inverse_covariance;
  const Vec3<Real> u = c * q;
  const Real score = -gauss.d1 * pair_exponential(gauss, q, u, active);
  const Real f = -gauss.d2 * score;
  sums.score += score;
  sums.largest = select(score > sums.largest, score, sums.largest);
  sums.v = sums.v + f * u;
  const Vec3<Real> w = gauss.curvature * u;
  sums.m.xx += f * (c.xx - w.x * u.x);
  sums.m.xy += f * (c.xy - w.x * u.y);
  sums.m.xz += f * (c.xz - w.x * u.z);
  sums.m.yy += f * (c.yy - w.y * u.y);
  sums.m.yz += f * (c.yz - w.y * u.z);
  sums.m.zz += f * (c.zz - w.z * u.z);
}

/// Adds one point's v and M with its lever arm y; linear in both, so lanes that hold parts of a point may
/// each call it.
template <class Real>
NDT_HD inline void add_point(const PointSums<Real>& p, const Vec3<Real>& y, DerivativeSums<Real>& sums) {
  const Vec3<Real>& v = p.v;
  const Sym3<Real>& m = p.m;
  sums.score += p.score;
  sums.v = sums.v + v;
  Real(&vy)[9] = sums.vy.m;
  vy[0] += v.x * y.x, vy[1] += v.x * y.y, vy[2] += v.x * y.z;
  vy[3] += v.y * y.x, vy[4] += v.y * y.y, vy[5] += v.y * y.z;
  vy[6] += v.z * y.x, vy[7] += v.z * y.y, vy[8] += v.z * y.z;
  sums.m.xx += m.xx, sums.m.xy += m.xy, sums.m.xz += m.xz;
  sums.m.yy += m.yy, sums.m.yz += m.yz, sums.m.zz += m.zz;
  // Rows of M[y]×.
  const Vec3<Real> r0{y.z * m.xy - y.y * m.xz, y.x * m.xz - y.z * m.xx, y.y * m.xx - y.x * m.xy};
  const Vec3<Real> r1{y.z * m.yy - y.y * m.yz, y.x * m.yz - y.z * m.xy, y.y * m.xy - y.x * m.yy};
  const Vec3<Real> r2{y.z * m.yz - y.y * m.zz, y.x * m.zz - y.z * m.xz, y.y * m.xz - y.x * m.yz};
  Real(&my)[9] = sums.my.m;
  my[0] += r0.x, my[1] += r0.y, my[2] += r0.z;
  my[3] += r1.x, my[4] += r1.y, my[5] += r1.z;
  my[6] += r2.x, my[7] += r2.y, my[8] += r2.z;
  // [y]×ᵀ (M[y]×): row i is a cross product of y with the rows above.
  sums.ymy.xx += y.z * r1.x - y.y * r2.x;
  sums.ymy.xy += y.z * r1.y - y.y * r2.y;
  sums.ymy.xz += y.z * r1.z - y.y * r2.z;
  sums.ymy.yy += y.x * r2.y - y.z * r0.y;
  sums.ymy.yz += y.x * r2.z - y.z * r0.z;
  sums.ymy.zz += y.y * r0.z - y.x * r1.z;
}

}  // namespace ndt
