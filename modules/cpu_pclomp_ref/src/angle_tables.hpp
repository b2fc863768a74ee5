// First and second derivatives of R(roll, pitch, yaw) x as tables that are multiplied with x. [Magnusson
// 2009, eq. 6.19, 6.21] They are written out for R = Rx Ry Rz. Angles below 1e-4 rad count as zero here (and
// only here), as in the reference.
#pragma once

#include <Eigen/Core>

#include "ndt/align/align_options.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::cpu_pclomp_ref {

struct AngleTables {
  explicit AngleTables(const Pose& pose, HessianForm form = HessianForm::exact);

  /// Non-zero rows of dR/droll (y, z), dR/dpitch (x, y, z), dR/dyaw (x, y, z).
  Eigen::Matrix<double, 8, 3> first;
  /// Non-zero rows of the second derivatives: roll-roll (y, z), roll-pitch (y, z), roll-yaw (y, z),
  /// pitch-pitch (x, y, z), pitch-yaw (x, y, z), yaw-yaw (x, y, z).
  Eigen::Matrix<double, 15, 3> second;
};

}  // namespace ndt::cpu_pclomp_ref
