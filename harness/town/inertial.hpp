// The angular velocities, accelerations and speeds that an IMU and wheels would tell of a drive.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/io_names.hpp"
#include "ndt/io/trajectory.hpp"
#include "ndt/localization/stamped_pose.hpp"

namespace ndt::harness::town {

/// The motion from one time to the next, in the sensor's own frame.
struct Pace {
  double stamp_s = 0;                ///< its begin [s]
  Vec3<double> linear, angular, up;  ///< [m/s], [rad/s], the map's upward direction
  Vec3<double> acceleration;         ///< of the motion alone [m/s²]
};

/// Motions between neighbours of poses at even times, one fewer than poses. A pose that `carried` names is
/// not driven to: the motion before goes on.
std::vector<Pace> paces_of(std::span<const StampedTransform> poses, std::span<const std::size_t> carried);

/// An IMU in the sensor's axes. The bias of its rate is 0.004 rad/s (1 sigma) about each axis. Its noise is
/// 0.003 rad/s and 0.05 m/s² (1 sigma) from measurement to measurement.
std::vector<localization::StampedImu> imu_of(std::span<const Pace> paces, std::uint64_t seed);

/// Wheels and steering: the speed ahead is 1 % too high and off by another 0.02 m/s, the yaw rate by 0.02
/// rad/s (1 sigma). They know no other motion.
std::vector<localization::StampedTwist> twists_of(std::span<const Pace> paces, std::uint64_t seed);

}  // namespace ndt::harness::town
