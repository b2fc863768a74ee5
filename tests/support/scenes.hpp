// Small seeded scenes and numbers for tests.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ndt/core/pose.hpp"
#include "ndt/harness/courtyard.hpp"

namespace ndt::scenes {

inline const PointCloud& map() {
  static const PointCloud cloud = harness::courtyard_map();
  return cloud;
}
inline const PointCloud& scan() {
  static const PointCloud cloud = harness::courtyard_scan();
  return cloud;
}

/// Seeded pose offsets up to the given sizes on every axis.
inline std::vector<Pose> offsets(int count, double metres, double radians, std::uint32_t seed = 7) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Pose> out;
  for (int i = 0; i < count; ++i) {
    Pose p;
    p.x = metres * unit(random), p.y = metres * unit(random), p.z = metres * unit(random);
    p.roll = radians * unit(random), p.pitch = radians * unit(random), p.yaw = radians * unit(random);
    out.push_back(p);
  }
  return out;
}

}  // namespace ndt::scenes
