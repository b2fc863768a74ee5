#include "ndt/initial_pose/pose_prior.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ndt/align/option.hpp"
#include "ndt/core/formatted.hpp"

namespace ndt::initial_pose {
namespace {

constexpr const char* kNames[] = {"x", "y", "z", "roll", "pitch", "yaw"};
constexpr double kSigmas = 3;
constexpr double kSigmaMostM = 10000;
constexpr double kSigmaYawMost = 100;  // rad: any heading, long before

}  // namespace

void require_valid(const PosePrior& prior) {
  for (int i = 0; i < 6; ++i)
    if (const double value = coordinate(prior.mean, i); !std::isfinite(value))
      throw std::invalid_argument(
          formatted("initial pose: {} of the guess is {}; give metres and radians", kNames[i], value));
  for (int i = 0; i < 5; ++i)
    require_closed(formatted("sigma {}", kNames[i]), prior.sigma[i], 0, i < 3 ? kSigmaMostM : kPi);
  if (prior.sigma_yaw_rad) require_closed("sigma yaw", *prior.sigma_yaw_rad, 0, kSigmaYawMost);
}

double heading_reach_rad(const PosePrior& prior) {
  return prior.sigma_yaw_rad ? std::min(kSigmas * *prior.sigma_yaw_rad, kPi) : kPi;
}

PlaceRegion around(const PosePrior& prior) {
  const Vec3<double> mean{prior.mean.x, prior.mean.y, prior.mean.z},
      reach{kSigmas * prior.sigma[0], kSigmas * prior.sigma[1], kSigmas * prior.sigma[2]};
  return {mean - reach, mean + reach, false, heading_reach_rad(prior)};
}

}  // namespace ndt::initial_pose
