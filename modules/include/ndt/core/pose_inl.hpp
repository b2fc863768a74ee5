// Host/device bodies of pose.hpp.
#pragma once

#include <cmath>

#include "ndt/core/pose.hpp"

namespace ndt {

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
