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
  std::mt19937_64 random = random_of(seed, index);
  Pose mean = principal(derivative_pose(truth));
  for (int i = 0; i < 5; ++i) coordinate(mean, i) += sigma[i] * near_gaussian(random);
  mean.yaw = kPi * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  return to_transform(mean);
}

}  // namespace ndt::harness
