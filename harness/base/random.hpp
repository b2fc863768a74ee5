// Random numbers that are the same on every machine and with every compiler: integers, and guesses and priors
// with noise.
#pragma once

#include <cstdint>

#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// 64-bit linear congruential generator; the high half of the state is the draw.
class IntegerRandom {
 public:
  explicit IntegerRandom(std::uint64_t seed) : state_(seed) {}

  /// Uniform in [0, n), n up to 2^32.
  std::int64_t below(std::int64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>(((state_ >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }

 private:
  std::uint64_t state_;
};

/// Near Gaussian with mean 0 and deviation 1: twelve uniform numbers, added up as integers.
inline double normal_number(IntegerRandom& random) {
  constexpr std::int64_t kUnit = 1 << 20;
  std::int64_t sum = 0;
  for (int k = 0; k < 12; ++k) sum += random.below(kUnit);
  return static_cast<double>(sum - 6 * kUnit) / static_cast<double>(kUnit);
}

/// Uniform in [least, most).
inline double between(IntegerRandom& random, double least, double most) {
  constexpr std::int64_t kSteps = 1 << 24;
  return least + (most - least) * (static_cast<double>(random.below(kSteps)) / kSteps);
}

/// Exponential with mean 1, by comparisons alone [von Neumann, Various techniques used in connection with
/// random digits, 1951]. A falling run of an odd number of draws has its first one as the fraction.
inline double exponential_number(IntegerRandom& random) {
  constexpr std::int64_t kUnit = std::int64_t{1} << 32;
  for (int whole = 0;; ++whole) {
    const std::int64_t first = random.below(kUnit);
    bool odd = true;
    std::int64_t last = first;
    for (std::int64_t next = random.below(kUnit); next < last; next = random.below(kUnit)) {
      last = next;
      odd = !odd;
    }
    if (odd) return whole + static_cast<double>(first) / static_cast<double>(kUnit);
  }
}

/// A one-to-one map in which every output bit depends on every input bit [Stafford's mix 13 of MurmurHash3's
/// finaliser].
inline std::uint64_t scattered(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31);
}

/// Derives seed number `index` from one seed, so that draws by index need no order.
inline std::uint64_t seed_of(std::uint64_t seed, std::uint64_t index) {
  return scattered(seed + 0x9E3779B97F4A7C15ULL * (index + 1));
}

/// Standard deviations of a guess around the truth, in the truth's frame.
struct GuessNoise {
  double xy_m = 0.3, z_m = 0.05, roll_pitch_rad = 0, yaw_rad = 0;
};

/// Returns truth * delta with every component of delta drawn by itself, near Gaussian (the sum of twelve
/// uniform numbers, so within six deviations). The same seed and index give the same guess.
Transform noisy_guess(const Transform& truth, const GuessNoise& noise, std::uint64_t seed,
                      std::uint64_t index);

/// Returns the mean of a prior that the truth could have been drawn from: each of x, y, z, roll and pitch off
/// by a deviation of its own, near Gaussian as above, any heading. The same seed and index give the same
/// mean.
Transform prior_mean(const Transform& truth, const double (&sigma)[5], std::uint64_t seed,
                     std::uint64_t index);
/// Returns a mean at the same position: the truth, turned about the map's vertical to any heading. Roll and
/// pitch are off in the scan's frame: the sensor's tilt is known, as from an accelerometer.
Transform upright_prior_mean(const Transform& truth, const double (&sigma)[5], std::uint64_t seed,
                             std::uint64_t index);

}  // namespace ndt::harness
