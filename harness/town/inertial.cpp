#include "town/inertial.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

constexpr double kGravity = 9.81;
constexpr double kBias = 0.004, kRateNoise = 0.003, kAccelerationNoise = 0.05;
constexpr double kTooFast = 1.01, kSpeedNoise = 0.02, kYawRateNoise = 0.02;

Vec3<double> noise(IntegerRandom& random, double sigma) {
  const double x = normal_number(random);
  const double y = normal_number(random);
  const double z = normal_number(random);
  return {sigma * x, sigma * y, sigma * z};
}

/// The small turn of a rotation as a vector; the sine stands for the angle.
Vec3<double> small_turn(const Mat3<double>& r) {
  return {(r(2, 1) - r(1, 2)) / 2, (r(0, 2) - r(2, 0)) / 2, (r(1, 0) - r(0, 1)) / 2};
}

}  // namespace

std::vector<Pace> paces_of(std::span<const StampedTransform> poses, std::span<const std::size_t> carried) {
  std::vector<Pace> paces;
  Vec3<double> before;  // the velocity in the map
  for (std::size_t i = 0; i + 1 < poses.size(); ++i) {
    const Transform &from = poses[i].map_from_body, step = inverse(from) * poses[i + 1].map_from_body;
    const double per_s = 1 / (poses[i + 1].time_s - poses[i].time_s);
    const Mat3<double> body_from_map = transpose(rotation_of(from));
    Pace pace{poses[i].time_s,
              per_s * translation_of(step),
              per_s * small_turn(rotation_of(step)),
              body_from_map * Vec3<double>{0, 0, 1},
              {}};
    const bool driven = std::ranges::find(carried, i + 1) == carried.end();
    if (!driven) pace.linear = paces.back().linear, pace.angular = paces.back().angular;
    const Vec3<double> velocity = rotation_of(from) * pace.linear;
    if (i > 0 && driven) pace.acceleration = per_s * (body_from_map * (velocity - before));
    before = velocity;
    paces.push_back(pace);
  }
  return paces;
}

std::vector<localization::StampedImu> imu_of(std::span<const Pace> paces, std::uint64_t seed) {
  IntegerRandom random(seed);
  const Vec3<double> bias = noise(random, kBias);
  std::vector<localization::StampedImu> samples;
  for (const Pace& pace : paces) {
    const Vec3<double> rate = pace.angular + bias + noise(random, kRateNoise);
    const Vec3<double> force = pace.acceleration + kGravity * pace.up + noise(random, kAccelerationNoise);
    samples.push_back({pace.stamp_s, rate, force});
  }
  return samples;
}

std::vector<localization::StampedTwist> twists_of(std::span<const Pace> paces, std::uint64_t seed) {
  IntegerRandom random(seed);
  std::vector<localization::StampedTwist> twists;
  for (const Pace& pace : paces) {
    const double ahead = kTooFast * pace.linear.x + kSpeedNoise * normal_number(random);
    const double yaw_rate = pace.angular.z + kYawRateNoise * normal_number(random);
    twists.push_back({pace.stamp_s, {{ahead, 0, 0}, {0, 0, yaw_rate}}});
  }
  return twists;
}

}  // namespace ndt::harness::town
