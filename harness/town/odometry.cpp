#include "town/odometry.hpp"

#include <cmath>

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

constexpr double kTooLong = 1.01, kDistanceSigma = 0.01;
constexpr double kDegree = 3.141592653589793 / 180;
constexpr double kDriftRad = 1 * kDegree / 100;  // per metre
constexpr double kHeadingSigmaRad = 0.05 * kDegree;

/// A turn about z, exact but for roundings: the angle is small, and its tangent stands for it.
Mat3<double> turn(double angle_rad) {
  const double half = angle_rad / 2, c = (1 - half * half) / (1 + half * half),
               s = 2 * half / (1 + half * half);
  return {{c, -s, 0, s, c, 0, 0, 0, 1}};
}

}  // namespace

std::vector<StampedTransform> odometry_of(std::span<const StampedTransform> poses, std::uint64_t seed,
                                          std::optional<std::size_t> carried) {
  IntegerRandom random(seed);
  std::vector<StampedTransform> odometry;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (i == 0) {
      odometry.push_back({poses[0].time_s, {}});
      continue;
    }
    const std::size_t to = i == carried ? i - 1 : i;  // what it did not drive it does not know
    const Transform step = inverse(poses[to - 1].map_from_body) * poses[to].map_from_body;
    const Vec3<double> way = translation_of(step);
    const double metres = std::sqrt(dot(way, way));
    const double stretch = kTooLong + kDistanceSigma * normal_number(random);
    const double drift = kDriftRad * metres + kHeadingSigmaRad * normal_number(random);
    const Transform seen = make_transform(rotation_of(step) * turn(drift), stretch * way);
    odometry.push_back({poses[i].time_s, odometry.back().map_from_body * seen});
  }
  return odometry;
}

}  // namespace ndt::harness::town
