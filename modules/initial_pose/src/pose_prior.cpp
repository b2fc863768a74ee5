#include "ndt/initial_pose/pose_prior.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "ndt/align/option_bounds.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::initial_pose {
namespace {

constexpr const char* kNames[] = {"x", "y", "z", "roll", "pitch", "yaw"};
constexpr double kSigmaMostM = 10000;

}  // namespace

void require_valid(const PosePrior& prior) {
  for (int i = 0; i < 6; ++i)
    if (const double value = coordinate(prior.mean, i); !std::isfinite(value))
      throw std::invalid_argument(
          fmt::format("initial pose: {} of the guess is {}; give metres and radians", kNames[i], value));
  for (int i = 0; i < 5; ++i)
    require_closed(fmt::format("sigma {}", kNames[i]), prior.sigma[i], 0, i < 3 ? kSigmaMostM : kPi);
}

Pose PriorSampler::operator()(std::mt19937_64& random) {
  Pose pose;
  for (int i = 0; i < 5; ++i) coordinate(pose, i) = normal_[i](random) * prior_.sigma[i] + coordinate(prior_.mean, i);
  pose.yaw = std::uniform_real_distribution<double>(-kPi, kPi)(random);
  return pose;
}

}  // namespace ndt::initial_pose
