// The project's one statement of its conventions. Metres, radians, row-major matrices.
//   p_map = R p_scan + t,   R = Rx(roll) Ry(pitch) Rz(yaw)                    [Magnusson 2009, eq. 6.17]
//
// Derivative branch. Two angle triples describe every rotation; like the reference, all gradients and
// Hessians are taken at the one with roll in [0, pi] (`derivative_pose`). A pose shown to a person is the one
// with |pitch| <= pi/2 (`principal`). The two differ only in the sign of the pitch row and column of the
// derivatives.
#pragma once

#include <cmath>
#include <string>

#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// Rigid pose map_from_scan. Translation in metres, angles in radians.
struct Pose {
  double x = 0, y = 0, z = 0, roll = 0, pitch = 0, yaw = 0;  ///< [m], [rad]
};

/// Coordinate i of a pose in the order of its members.
NDT_HD inline double& coordinate(Pose& pose, int i) { return reinterpret_cast<double*>(&pose)[i]; }
/// As above, to read.
NDT_HD inline double coordinate(const Pose& pose, int i) { return reinterpret_cast<const double*>(&pose)[i]; }
static_assert(sizeof(Pose) == 6 * sizeof(double));

/// Homogeneous 4x4, row-major, map_from_scan.
struct Transform {
  double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};  ///< row by row
  /// Entry of a row and column, from 0.
  NDT_HD double& operator()(int row, int col) { return m[4 * row + col]; }
  /// As above, to read.
  NDT_HD double operator()(int row, int col) const { return m[4 * row + col]; }
};

/// The upper left 3x3.
NDT_HD inline Mat3<double> rotation_of(const Transform& t) {
  return {{t.m[0], t.m[1], t.m[2], t.m[4], t.m[5], t.m[6], t.m[8], t.m[9], t.m[10]}};
}
/// The upper right column [m].
NDT_HD inline Vec3<double> translation_of(const Transform& t) { return {t.m[3], t.m[7], t.m[11]}; }

/// Sines and cosines of roll, pitch and yaw.
struct SinCos {
  double sine[3] = {}, cosine[3] = {1, 1, 1};  ///< of roll, pitch, yaw
};
/// Sines and cosines of a pose's angles.
NDT_HD SinCos sin_cos_of(const Pose& pose);

/// R = Rx(roll) Ry(pitch) Rz(yaw).
NDT_HD Mat3<double> rotation_of(const SinCos& angles);
/// A row of it, 0 to 2.
NDT_HD Vec3<double> rotation_row(const SinCos& angles, int row);
/// R of a pose's angles.
NDT_HD Mat3<double> rotation_of(const Pose& pose);
/// The matrix of a pose.
NDT_HD Transform to_transform(const Pose& pose);
/// The matrix of a rotation and a translation [m].
NDT_HD Transform make_transform(const Mat3<double>& rotation, const Vec3<double>& translation);

/// Chains two transforms: map_from_scan = map_from_guess * guess_from_scan.
inline Transform operator*(const Transform& a, const Transform& b) {
  return make_transform(rotation_of(a) * rotation_of(b),
                        rotation_of(a) * translation_of(b) + translation_of(a));
}
/// scan_from_map of a rigid map_from_scan.
inline Transform inverse(const Transform& t) {
  const Mat3<double> back = transpose(rotation_of(t));
  return make_transform(back, -1.0 * (back * translation_of(t)));
}

/// Angles with roll in [0, pi]: the branch in which derivatives are taken. The matrix must be rigid.
NDT_HD Pose derivative_pose(const Transform& map_from_scan);
/// Returns the same rotation with |pitch| <= pi/2: the form for people.
NDT_HD Pose principal(const Pose& pose);

/// Tells why a matrix is not a rigid transform, and by how much. Causes are NaN, a last row other than 0 0 0
/// 1, scale, shear and reflection. Empty if it is rigid. Float32 matrices pass, because |R Rt - I| may reach
/// Limits::kRigid.
std::string rigid_defect(const Transform& map_from_scan);
/// Throws std::invalid_argument "<where>: not a rigid transform: <rigid_defect>" if there is one.
void require_rigid(const Transform& map_from_scan, const char* where);

/// Distance between the translations [m], and the angle of the relative rotation [rad].
double translation_error_m(const Transform& a, const Transform& b);
/// Angle of the relative rotation [rad].
double rotation_error_rad(const Transform& a, const Transform& b);

// Bodies for host and device.

/// Half a turn [rad].
inline constexpr double kPi = 3.14159265358979323846;

/// Both of an angle [rad].
NDT_HD inline void sin_cos(double angle, double& sine, double& cosine) {
#if defined(__CUDA_ARCH__)
  // Not sincos(): its path for huge angles needs an array in memory.
  sincospi(angle * (1 / kPi), &sine, &cosine);
#else
  sine = std::sin(angle), cosine = std::cos(angle);
#endif
}

NDT_HD inline SinCos sin_cos_of(const Pose& p) {
  SinCos out;
  NDT_UNROLL
  for (int i = 0; i < 3; ++i) sin_cos(coordinate(p, 3 + i), out.sine[i], out.cosine[i]);
  return out;
}

NDT_HD inline Mat3<double> rotation_of(const Pose& pose) { return rotation_of(sin_cos_of(pose)); }

NDT_HD inline Vec3<double> rotation_row(const SinCos& angles, int row) {
  const double sa = angles.sine[0], sb = angles.sine[1], sc = angles.sine[2];
  const double ca = angles.cosine[0], cb = angles.cosine[1], cc = angles.cosine[2];
  // The last two rows differ by a quarter turn of the roll. The first is written as they are, so that threads
  // with different rows do the same.
  const double across = row == 0 ? 0 : row == 1 ? ca : sa, turned = row == 1 ? sa : -ca;
  const double along = row == 0 ? cb : turned * sb;
  return {sum_of_products(across, sc, along, cc), sum_of_products(across, cc, -along, sc),
          row == 0 ? sb : -turned * cb};
}

NDT_HD inline Mat3<double> rotation_of(const SinCos& angles) {
  Mat3<double> out;
  NDT_UNROLL
  for (int row = 0; row < 3; ++row) {
    const Vec3<double> r = rotation_row(angles, row);
    out(row, 0) = r.x, out(row, 1) = r.y, out(row, 2) = r.z;
  }
  return out;
}

NDT_HD inline Transform make_transform(const Mat3<double>& r, const Vec3<double>& t) {
  return {
      {r.m[0], r.m[1], r.m[2], t.x, r.m[3], r.m[4], r.m[5], t.y, r.m[6], r.m[7], r.m[8], t.z, 0, 0, 0, 1}};
}

NDT_HD inline Transform to_transform(const Pose& p) {
  return make_transform(rotation_of(p), {p.x, p.y, p.z});
}

NDT_HD inline Pose derivative_pose(const Transform& t) {
  double roll = std::atan2(-t(1, 2), t(2, 2));
  if (roll < 0) roll += kPi;
  const double ca = std::cos(roll), sa = std::sin(roll);
  // With Rx(-roll) R = Ry(pitch) Rz(yaw), the rest is read off without dividing by cos(pitch).
  const double pitch = std::atan2(t(0, 2), ca * t(2, 2) - sa * t(1, 2));
  const double yaw = std::atan2(ca * t(1, 0) + sa * t(2, 0), ca * t(1, 1) + sa * t(2, 1));
  return {t(0, 3), t(1, 3), t(2, 3), roll, pitch, yaw};
}

/// Returns the same angle in [-pi, pi].
NDT_HD inline double wrap_angle(double angle) { return std::atan2(std::sin(angle), std::cos(angle)); }

NDT_HD inline Pose principal(const Pose& p) {
  Pose q{p.x, p.y, p.z, wrap_angle(p.roll), wrap_angle(p.pitch), wrap_angle(p.yaw)};
  if (std::cos(p.pitch) < 0) {
    q.roll = wrap_angle(p.roll + kPi);
    q.pitch = wrap_angle(kPi - p.pitch);
    q.yaw = wrap_angle(p.yaw + kPi);
  }
  return q;
}

}  // namespace ndt
