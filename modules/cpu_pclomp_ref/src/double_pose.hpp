// Conversions between transforms and pose vectors in float64, for the alignments that the reference does not
// have.
#pragma once

#include <Eigen/Geometry>

#include "ndt/core/pose.hpp"

namespace ndt::cpu_pclomp_ref {

/// Polar factor and Euler angles of a nearly rigid transform, roll in [0, pi].
Pose pose_of(const Transform& transform);
Eigen::Isometry3d motion_of(const Pose& pose);
Transform transform_of(const Pose& pose);

}  // namespace ndt::cpu_pclomp_ref
