// Clouds drawn from flat patches, for tests of what a scene's shape leaves free. Seeded; metres.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::test_clouds {

/// Parallelogram origin + [0, 1] u + [0, 1] v; a line if v is 0.
struct Patch {
  Vec3<double> origin, u, v;
};

/// `points` points spread evenly over the patches' areas, each moved by normal noise on every axis. Patches
/// without an area count by their length.
inline PointCloud sampled(const std::vector<Patch>& patches, int points, double noise_m, std::uint32_t seed) {
  const auto size = [](const Patch& p) {
    const Vec3<double> c{p.u.y * p.v.z - p.u.z * p.v.y, p.u.z * p.v.x - p.u.x * p.v.z,
                         p.u.x * p.v.y - p.u.y * p.v.x};
    const double area = std::sqrt(dot(c, c));
    return area > 0 ? area : std::sqrt(dot(p.u, p.u));
  };
  std::vector<double> sizes;
  for (const Patch& p : patches) sizes.push_back(size(p));
  std::mt19937 random(seed);
  std::discrete_distribution<std::size_t> pick(sizes.begin(), sizes.end());
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal(0, 1);
  PointCloud cloud;
  for (int i = 0; i < points; ++i) {
    const Patch& patch = patches[pick(random)];
    const double s = unit(random), t = unit(random);
    const Vec3<double> noise{normal(random), normal(random), normal(random)};
    cloud.points.push_back(cast<float>(patch.origin + s * patch.u + t * patch.v + noise_m * noise));
  }
  return cloud;
}

/// Square floor around the origin, tilted about x by `tilt_rad`.
inline std::vector<Patch> plane(double edge_m, double tilt_rad = 0) {
  const Vec3<double> u{edge_m, 0, 0}, v{0, edge_m * std::cos(tilt_rad), edge_m * std::sin(tilt_rad)};
  return {{-0.5 * (u + v), u, v}};
}

inline std::vector<Patch> line(double length_m) { return {{{-length_m / 2, 0, 0}, {length_m, 0, 0}, {}}}; }

/// Floor and two walls along x.
inline std::vector<Patch> corridor(double length_m, double width_m, double height_m) {
  const Vec3<double> along{length_m, 0, 0}, up{0, 0, height_m}, corner{-length_m / 2, -width_m / 2, -1};
  return {{corner, along, {0, width_m, 0}},
          {corner, along, up},
          {corner + Vec3<double>{0, width_m, 0}, along, up}};
}

/// A corridor with walls across both ends.
inline std::vector<Patch> room(double length_m, double width_m, double height_m) {
  std::vector<Patch> patches = corridor(length_m, width_m, height_m);
  const Vec3<double> across{0, width_m, 0}, up{0, 0, height_m}, corner = patches[0].origin;
  patches.push_back({corner, across, up});
  patches.push_back({corner + Vec3<double>{length_m, 0, 0}, across, up});
  return patches;
}

}  // namespace ndt::test_clouds
