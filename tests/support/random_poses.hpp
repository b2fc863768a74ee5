// Seeded poses over the whole range of angles, and how a failure message prints what it is about.
#pragma once

#include <ostream>
#include <random>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt {

inline std::ostream& operator<<(std::ostream& out, const Pose& p) {
  return out << "pose (" << p.x << ", " << p.y << ", " << p.z << " m; " << p.roll << ", " << p.pitch << ", "
             << p.yaw << " rad)";
}

inline std::ostream& operator<<(std::ostream& out, const Transform& t) {
  for (int i = 0; i < 4; ++i)
    out << "\n  " << t(i, 0) << "  " << t(i, 1) << "  " << t(i, 2) << "  " << t(i, 3);
  return out;
}

inline std::vector<Pose> random_poses(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> metres(-50, 50), angle(-kPi, kPi);
  std::vector<Pose> poses;
  for (int i = 0; i < count; ++i)
    poses.push_back(
        {metres(random), metres(random), metres(random), angle(random), angle(random), angle(random)});
  return poses;
}

}  // namespace ndt
