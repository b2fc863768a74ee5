#include "ndt/localization/rigid_motion.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace ndt::localization {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Vector = Eigen::Vector3d;

constexpr double kSmallRad = 1e-4;  // below it the series below are exact to double precision

Vector eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vec3<double> plain(const Vector& v) { return {v.x(), v.y(), v.z()}; }

Matrix rotation_matrix(const Transform& t) {
  const Mat3<double> rotation = rotation_of(t);
  return Eigen::Map<const Matrix>(rotation.m);
}

Transform transform(const Eigen::Quaterniond& rotation, const Vector& translation) {
  Mat3<double> m;
  Eigen::Map<Matrix>(m.m) = rotation.toRotationMatrix();
  return make_transform(m, plain(translation));
}

Eigen::Quaterniond quaternion(const Matrix& rotation) { return Eigen::Quaterniond(rotation).normalized(); }

/// Axis times angle, of at most half a turn.
Vector rotation_vector(const Matrix& rotation) {
  Eigen::Quaterniond q = quaternion(rotation);
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  return sine == 0 ? Vector::Zero() : Vector(2 * std::atan2(sine, q.w()) / sine * q.vec());
}

Eigen::Quaterniond turn(const Vector& rotation_vector) {
  const double angle = rotation_vector.norm();
  if (angle == 0) return Eigen::Quaterniond::Identity();
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, rotation_vector / angle));
}

}  // namespace

Transform moved_by(const Twist& twist, double seconds) {
  const Vector w = seconds * eigen(twist.angular), v = seconds * eigen(twist.linear);
  const double angle = w.norm(), square = angle * angle;
  const bool small = angle < kSmallRad;
  const double a = small ? 0.5 - square / 24 : (1 - std::cos(angle)) / square;
  const double b = small ? 1.0 / 6 - square / 120 : (angle - std::sin(angle)) / (square * angle);
  const Vector once = w.cross(v);
  return transform(turn(w), v + a * once + b * w.cross(once));
}

Twist twist_between(const Transform& from, const Transform& to, double seconds) {
  const Transform step = inverse(from) * to;
  const Vector w = rotation_vector(rotation_matrix(step)), p = eigen(translation_of(step));
  const double angle = w.norm(), half = angle / 2;
  const double c =
      angle < kSmallRad ? 1.0 / 12 + angle * angle / 720 : (1 - half / std::tan(half)) / (angle * angle);
  const Vector once = w.cross(p), v = p - 0.5 * once + c * w.cross(once);
  return {plain(v / seconds), plain(w / seconds)};
}

Transform interpolated(const Transform& from, const Transform& to, double share) {
  const Eigen::Quaterniond rotation =
      quaternion(rotation_matrix(from)).slerp(share, quaternion(rotation_matrix(to)));
  const Vector a = eigen(translation_of(from)), b = eigen(translation_of(to));
  return transform(rotation, a + share * (b - a));
}

Transform levelled(const Vec3<double>& up) {
  return transform(Eigen::Quaterniond::FromTwoVectors(eigen(up), Vector::UnitZ()), Vector::Zero());
}

}  // namespace ndt::localization
