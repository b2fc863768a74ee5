#include "ndt/initial_pose/prior_sampler.hpp"

#include <cmath>
#include <cstdint>

namespace ndt::initial_pose {
namespace {

/// As the cast, which takes a branch on x86-64 that no processor predicts. Both halves are exact, and their
/// sum is rounded once.
double to_double(std::uint64_t number) {
  const auto high = static_cast<std::int64_t>(number >> 32),
             low = static_cast<std::int64_t>(number & 0xFFFFFFFF);
  return static_cast<double>(high) * 0x1p32 + static_cast<double>(low);
}

/// Uniform in [0, 1).
double unit_number(std::mt19937_64& random) {
  const double number = to_double(random()) * 0x1p-64;
  return number < 1 ? number : std::nextafter(1.0, 0.0);  // the largest draws round up
}

}  // namespace

double PolarNumber::value() const {
  return component * std::sqrt(-2 * std::log(squared_radius) / squared_radius);
}

PolarNumber PriorSampler::normal(int i, std::mt19937_64& random) {
  if (has_kept_[i]) {
    has_kept_[i] = false;
    return kept_[i];
  }
  double x, y, squared_radius;
  do {
    x = 2 * unit_number(random) - 1;
    y = 2 * unit_number(random) - 1;
    squared_radius = x * x + y * y;
  } while (squared_radius > 1 || squared_radius == 0);
  kept_[i] = {x, squared_radius};
  has_kept_[i] = true;
  return {y, squared_radius};
}

PriorDraw PriorSampler::draw(std::mt19937_64& random) {
  PriorDraw draw;
  for (int i = 0; i < 5; ++i) draw.normal[i] = normal(i, random);
  draw.yaw =
      prior_.sigma_yaw_rad
          ? std::remainder(prior_.mean.yaw + *prior_.sigma_yaw_rad * normal(5, random).value(), 2 * kPi)
          : unit_number(random) * (2 * kPi) - kPi;
  return draw;
}

Pose PriorSampler::pose(const PriorDraw& draw) const {
  return {of(draw, 0), of(draw, 1), of(draw, 2), of(draw, 3), of(draw, 4), draw.yaw};
}

}  // namespace ndt::initial_pose
