// Conversions between matrices and pose vectors: with the reference's own float32 arithmetic, and in float64
// for the alignments that the reference does not have.
#pragma once

#include <Eigen/Geometry>

#include "ndt/core/pose.hpp"

namespace ndt::cpu_pclomp_ref {

Eigen::Matrix4f to_float(const Transform& transform);
Transform to_double(const Eigen::Matrix4f& matrix);

/// The reference's pose vector of a matrix: polar factor and Euler angles in float32, roll in [0, pi].
Pose pose_of(const Eigen::Matrix4f& matrix);
/// The reference's matrix of a pose vector: every factor in float32.
Eigen::Matrix4f matrix_of(const Pose& pose);

/// Polar factor and Euler angles of a nearly rigid transform, roll in [0, pi].
Pose pose_of(const Transform& transform);
Eigen::Isometry3d motion_of(const Pose& pose);
Transform transform_of(const Pose& pose);

}  // namespace ndt::cpu_pclomp_ref
