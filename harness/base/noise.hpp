// Seeded noise that is the same on every machine.
#pragma once

#include <cstdint>

#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// Standard deviations of a guess around the truth, in the truth's frame.
struct GuessNoise {
  double xy_m = 0.3, z_m = 0.05, roll_pitch_rad = 0, yaw_rad = 0;
};

/// truth * delta with every component of delta drawn by itself, near Gaussian (the sum of twelve uniform numbers, so within
/// six deviations). The same seed and index give the same guess.
Transform noisy_guess(const Transform& truth, const GuessNoise& noise, std::uint64_t seed, std::uint64_t index);

/// The mean of a prior that the truth could have been drawn from: each of x, y, z, roll and pitch off by a deviation of its
/// own, near Gaussian as above, the heading any. The same seed and index give the same mean.
Transform prior_mean(const Transform& truth, const double (&sigma)[5], std::uint64_t seed, std::uint64_t index);

}  // namespace ndt::harness
