#include "pose_vectors.hpp"

#include <Eigen/SVD>

namespace ndt::cpu_pclomp_ref {

Eigen::Matrix4f to_float(const Transform& t) {
  Eigen::Matrix4f m;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) m(i, j) = static_cast<float>(t(i, j));
  return m;
}

Transform to_double(const Eigen::Matrix4f& m) {
  Transform t;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) t(i, j) = static_cast<double>(m(i, j));
  return t;
}

Pose pose_of(const Eigen::Matrix4f& matrix) {
  Eigen::Transform<float, 3, Eigen::Affine, Eigen::ColMajor> transform;
  transform.matrix() = matrix;
  const Eigen::Vector3f t = transform.translation();
  const Eigen::Vector3f angles = transform.rotation().eulerAngles(0, 1, 2);
  return {t(0), t(1), t(2), angles(0), angles(1), angles(2)};
}

Eigen::Matrix4f matrix_of(const Pose& p) {
  return (Eigen::Translation<float, 3>(static_cast<float>(p.x), static_cast<float>(p.y),
                                       static_cast<float>(p.z)) *
          Eigen::AngleAxis<float>(static_cast<float>(p.roll), Eigen::Vector3f::UnitX()) *
          Eigen::AngleAxis<float>(static_cast<float>(p.pitch), Eigen::Vector3f::UnitY()) *
          Eigen::AngleAxis<float>(static_cast<float>(p.yaw), Eigen::Vector3f::UnitZ()))
      .matrix();
}

Pose pose_of(const Transform& transform) {
  Eigen::Affine3d affine;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) affine.matrix()(i, j) = transform(i, j);
  const Eigen::Vector3d t = affine.translation();
  const Eigen::Vector3d angles = affine.rotation().eulerAngles(0, 1, 2);
  return {t(0), t(1), t(2), angles(0), angles(1), angles(2)};
}

Eigen::Isometry3d motion_of(const Pose& p) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.translate(Eigen::Vector3d(p.x, p.y, p.z));
  motion.rotate(Eigen::AngleAxisd(p.roll, Eigen::Vector3d::UnitX()) *
                Eigen::AngleAxisd(p.pitch, Eigen::Vector3d::UnitY()) *
                Eigen::AngleAxisd(p.yaw, Eigen::Vector3d::UnitZ()));
  return motion;
}

Transform transform_of(const Pose& pose) {
  const Eigen::Isometry3d motion = motion_of(pose);
  Transform out;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) out(i, j) = motion.matrix()(i, j);
  return out;
}

}  // namespace ndt::cpu_pclomp_ref
