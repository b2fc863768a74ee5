// Motions of a rigid body: how far a velocity carries it, and the pose between two others.
#pragma once

#include "ndt/localization/stamped_pose.hpp"

namespace ndt::localization {

/// Pose of the body after `seconds`, in the frame it had before: the exponential of SE(3).
Transform moved_by(const Twist& twist, double seconds);

/// The velocity that carries the body from one pose to the other: the logarithm of SE(3), with the shorter
/// of the two rotations. Inverse of moved_by() below half a turn. `seconds` must not be 0.
Twist twist_between(const Transform& from, const Transform& to, double seconds);

/// The pose at `share` of the way: straight in position, at a constant rate about one axis in rotation.
Transform interpolated(const Transform& from, const Transform& to, double share);

/// The smallest turn of a body at which `up`, a direction in its own frame, points along z.
Transform levelled(const Vec3<double>& up);

}  // namespace ndt::localization
