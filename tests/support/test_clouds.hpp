// Small seeded clouds, guesses and numbers for tests.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "data/courtyard.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::test_clouds {

inline const PointCloud& map() {
  static const PointCloud cloud = harness::courtyard_map();
  return cloud;
}
inline const PointCloud& scan() {
  static const PointCloud cloud = harness::courtyard_scan();
  return cloud;
}

/// Points all over the courtyard; beyond its scan the same again, each round some millimetres on.
inline PointCloud scan_of(std::size_t points) {
  const std::vector<Point>& all = scan().points;
  const std::size_t apart = points > 0 && points < all.size() ? all.size() / points : 1;
  PointCloud out;
  for (std::size_t i = 0; i < points; ++i) {
    Point p = all[i * apart % all.size()];
    const std::size_t round = i / all.size();
    p.x += 0.001F * static_cast<float>(round % 7), p.y += 0.001F * static_cast<float>(round % 11);
    out.points.push_back(p);
  }
  return out;
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

/// Good guesses, bad ones, and some with nothing to match, mixed: they end after very different numbers of
/// iterations.
inline std::vector<Transform> mixed_guesses(std::size_t count) {
  std::vector<Transform> out;
  const std::vector<Pose> near = offsets(static_cast<int>(count), 0.3, 0.03),
                          far = offsets(static_cast<int>(count), 3, 0.6, 8);
  for (std::size_t k = 0; k < count; ++k) {
    Pose pose = k % 3 == 0 ? near[k] : far[k];
    if (k % 7 == 2) pose.x += 700;
    if (k % 11 == 4) pose.yaw += kPi;
    out.push_back(to_transform(pose));
  }
  return out;
}

}  // namespace ndt::test_clouds
