// The project's one statement of its conventions. Metres, radians, row-major matrices.
//   p_map = R p_scan + t,   R = Rx(roll) Ry(pitch) Rz(yaw)                    [Magnusson 2009, eq. 6.17]
//
// Derivative branch. Two angle triples describe every rotation; like the reference, all gradients and
// Hessians are taken at the one with roll in [0, pi] (`derivative_pose`). A pose shown to a person is the one
// with |pitch| <= pi/2 (`principal`). The two differ only in the sign of the pitch row and column of the
// derivatives.
#pragma once

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

/// Tells why a matrix is not a rigid transform, and by how much: NaN, a last row other than 0 0 0 1, scale,
/// shear or reflection. Empty if it is rigid. Float32 matrices pass, because |R Rt - I| may reach
/// Limits::kRigid.
std::string rigid_defect(const Transform& map_from_scan);
/// Throws std::invalid_argument "<where>: not a rigid transform: <rigid_defect>" if there is one.
void require_rigid(const Transform& map_from_scan, const char* where);

/// Distance between the translations [m], and the angle of the relative rotation [rad].
double translation_error_m(const Transform& a, const Transform& b);
/// Angle of the relative rotation [rad].
double rotation_error_rad(const Transform& a, const Transform& b);

}  // namespace ndt

#include "ndt/core/pose_inl.hpp"
