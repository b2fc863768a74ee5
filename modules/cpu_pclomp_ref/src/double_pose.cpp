#include "double_pose.hpp"

#include <Eigen/SVD>

namespace ndt::cpu_pclomp_ref {

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
