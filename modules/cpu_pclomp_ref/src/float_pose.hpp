// Conversions between matrices and pose vectors with the reference's own float32 arithmetic.
#pragma once

#include <Eigen/Core>

#include "ndt/core/pose.hpp"

namespace ndt::cpu_pclomp_ref {

Eigen::Matrix4f to_float(const Transform& transform);
Transform to_double(const Eigen::Matrix4f& matrix);

/// The reference's pose vector of a matrix: polar factor and Euler angles in float32, roll in [0, pi].
Pose pose_of(const Eigen::Matrix4f& matrix);
/// The reference's matrix of a pose vector: every factor in float32.
Eigen::Matrix4f matrix_of(const Pose& pose);

}  // namespace ndt::cpu_pclomp_ref
