#include "base/random.hpp"

#include <random>

namespace ndt::harness {
namespace {

/// Mean 0, deviation 1. std::normal_distribution would draw other numbers with every standard library.
double near_gaussian(std::mt19937_64& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

std::mt19937_64 random_of(std::uint64_t seed, std::uint64_t index) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)};
  return std::mt19937_64(words);
}

/// Off by its deviation in every coordinate but yaw, which is any.
Pose prior_offset(const double (&sigma)[5], std::uint64_t seed, std::uint64_t index) {
  std::mt19937_64 random = random_of(seed, index);
  Pose by;
  for (int i = 0; i < 5; ++i) coordinate(by, i) = sigma[i] * near_gaussian(random);
  by.yaw = kPi * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  return by;
}

}  // namespace

Transform noisy_guess(const Transform& truth, const GuessNoise& noise, std::uint64_t seed,
                      std::uint64_t index) {
  std::mt19937_64 random = random_of(seed, index);
  Pose delta;
  delta.x = noise.xy_m * near_gaussian(random);
  delta.y = noise.xy_m * near_gaussian(random);
  delta.z = noise.z_m * near_gaussian(random);
  delta.roll = noise.roll_pitch_rad * near_gaussian(random);
  delta.pitch = noise.roll_pitch_rad * near_gaussian(random);
  delta.yaw = noise.yaw_rad * near_gaussian(random);
  return truth * to_transform(delta);
}

Transform prior_mean(const Transform& truth, const double (&sigma)[5], std::uint64_t seed,
                     std::uint64_t index) {
  const Pose by = prior_offset(sigma, seed, index);
  Pose mean = principal(derivative_pose(truth));
  for (int i = 0; i < 5; ++i) coordinate(mean, i) += coordinate(by, i);
  mean.yaw = by.yaw;
  return to_transform(mean);
}

Transform upright_prior_mean(const Transform& truth, const double (&sigma)[5], std::uint64_t seed,
                             std::uint64_t index) {
  const Pose by = prior_offset(sigma, seed, index);
  const Pose tilt{0, 0, 0, by.roll, by.pitch, 0}, heading{0, 0, 0, 0, 0, by.yaw};
  return make_transform(rotation_of(heading) * rotation_of(truth) * rotation_of(tilt),
                        translation_of(truth) + Vec3<double>{by.x, by.y, by.z});
}

}  // namespace ndt::harness
