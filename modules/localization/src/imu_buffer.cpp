#include "ndt/localization/imu_buffer.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {
namespace {

constexpr double kBiasS = 1, kUpS = 0.5;
constexpr std::size_t kFewest = 5;
/// A gyroscope's bias is below 6 degrees a second; its noise at rest is below 3.
constexpr double kLargestBias = 0.1, kRestNoise = 0.05;
/// How far the acceleration may be from gravity, and from its mean [m/s²].
constexpr double kGravity = 9.81, kGravityError = 0.3, kShaking = 0.5;

double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

/// Numbers of a stretch of time: their mean, and how far the farthest is from it.
struct Steady {
  std::size_t count = 0;
  Vec3<double> mean;
  double farthest = 0;
};

Steady steady(const std::deque<StampedImu>& samples, double from_s, double to_s,
              Vec3<double> StampedImu::*quantity) {
  const auto in = [&](const StampedImu& s) { return s.stamp_s >= from_s && s.stamp_s <= to_s; };
  Steady result;
  for (const StampedImu& sample : samples)
    if (in(sample)) result.mean = result.mean + sample.*quantity, ++result.count;
  if (result.count == 0) return result;
  result.mean = (1 / static_cast<double>(result.count)) * result.mean;
  for (const StampedImu& sample : samples)
    if (in(sample)) result.farthest = std::max(result.farthest, length(sample.*quantity - result.mean));
  return result;
}

}  // namespace

void ImuBuffer::push(const StampedImu& imu) {
  const Vec3<double>&w = imu.angular_velocity, &a = imu.acceleration;
  for (const double number : {imu.stamp_s, w.x, w.y, w.z, a.x, a.y, a.z})
    if (!std::isfinite(number))
      throw std::invalid_argument(formatted("IMU of time {}: {} is not finite", imu.stamp_s, number));
  if (!samples_.empty() && imu.stamp_s < samples_.back().stamp_s) samples_.clear();
  samples_.push_back(imu);
}

SensedMotion ImuBuffer::motion(double from_s, double to_s,
                               const std::function<Vec3<double>(double stamp_s)>& linear) const {
  return integrated(samples_, from_s, to_s, age_s_, [&](std::size_t k) {
    const StampedImu &sample = samples_[k], &next = samples_[std::min(k + 1, samples_.size() - 1)];
    const Vec3<double> mean = 0.5 * (sample.angular_velocity + next.angular_velocity);
    return Twist{linear(sample.stamp_s), mean - bias_};
  });
}

void ImuBuffer::learn_bias(double until_s) {
  const Steady rest = steady(samples_, until_s - kBiasS, until_s, &StampedImu::angular_velocity);
  if (rest.count >= kFewest && rest.farthest < kRestNoise && length(rest.mean) < kLargestBias)
    bias_ = rest.mean;
}

std::optional<Vec3<double>> ImuBuffer::up_at(double stamp_s) const {
  const Steady up = steady(samples_, stamp_s - kUpS, stamp_s, &StampedImu::acceleration);
  const double size = length(up.mean);
  if (up.count < kFewest || up.farthest > kShaking || std::abs(size - kGravity) > kGravityError)
    return std::nullopt;
  return (1 / size) * up.mean;
}

void ImuBuffer::forget_before(double stamp_s) {
  while (samples_.size() > 1 && samples_[1].stamp_s <= stamp_s - kBiasS) samples_.pop_front();
}

}  // namespace ndt::localization
