#include "noise.hpp"

#include <random>

namespace ndt::harness {
namespace {

/// Mean 0, deviation 1. std::normal_distribution would draw other numbers with every standard library.
double near_gaussian(std::mt19937_64& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

}  // namespace

Transform noisy_guess(const Transform& truth, const GuessNoise& noise, std::uint64_t seed, std::uint64_t index) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)};
  std::mt19937_64 random(words);
  Pose delta;
  delta.x = noise.xy_m * near_gaussian(random);
  delta.y = noise.xy_m * near_gaussian(random);
  delta.z = noise.z_m * near_gaussian(random);
  delta.roll = noise.roll_pitch_rad * near_gaussian(random);
  delta.pitch = noise.roll_pitch_rad * near_gaussian(random);
  delta.yaw = noise.yaw_rad * near_gaussian(random);
  return truth * to_transform(delta);
}

}  // namespace ndt::harness
