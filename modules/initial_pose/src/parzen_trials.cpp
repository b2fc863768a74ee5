#include "ndt/initial_pose/parzen_trials.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace ndt::initial_pose {
namespace {

constexpr std::size_t kGoodMost = 10, kTenth = 10;
/// Kernels so far below the largest (e^-50) would not change a sum of a million of them in double.
constexpr double kNegligible = 50;

double wrapped(double angle) { return std::remainder(angle, 2 * kPi); }

/// Exponents of `count` kernels at a place, into `out`, and the largest. Written for the compiler's vector unit: no branch, and a
/// largest for each lane.
double exponents_at(const double* x, const double* y, const double* yaw, std::size_t count, double at_x, double at_y,
                    double at_yaw, double* out) {
  constexpr double kPerM = 0.5 / (ParzenTrials::kWidthM * ParzenTrials::kWidthM);
  constexpr double kPerRad = 0.5 / (ParzenTrials::kWidthRad * ParzenTrials::kWidthRad);
  for (std::size_t i = 0; i < count; ++i) {
    const double dx = at_x - x[i], dy = at_y - y[i], angle = std::abs(at_yaw - yaw[i]);
    const double around = 2 * kPi - angle, dyaw = angle < around ? angle : around;
    out[i] = -((dx * dx + dy * dy) * kPerM + dyaw * dyaw * kPerRad);
  }
  constexpr std::size_t kLanes = 8;
  double largest[kLanes];
  std::fill_n(largest, kLanes, out[0]);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      largest[lane] = out[i + lane] > largest[lane] ? out[i + lane] : largest[lane];
  for (; i < count; ++i) largest[0] = std::max(largest[0], out[i]);
  return *std::max_element(largest, largest + kLanes);
}

}  // namespace

void ParzenTrials::add(const Pose& at, double score) {
  if (std::isnan(score)) score = -std::numeric_limits<double>::infinity();
  const auto place = std::ranges::upper_bound(scores_, score, std::greater<>()) - scores_.begin();
  scores_.insert(scores_.begin() + place, score);
  x_.insert(x_.begin() + place, at.x);
  y_.insert(y_.begin() + place, at.y);
  yaw_.insert(yaw_.begin() + place, wrapped(at.yaw));
}

void ParzenTrials::add_pending(const Pose& at) {
  x_.push_back(at.x);
  y_.push_back(at.y);
  yaw_.push_back(wrapped(at.yaw));
}

void ParzenTrials::drop_pending() {
  for (auto* values : {&x_, &y_, &yaw_}) values->resize(size());
}

std::size_t ParzenTrials::good_of(std::size_t trials) { return std::min(kGoodMost, trials / kTenth); }

double ParzenTrials::log_density_ratio(double x, double y, double yaw) const {
  exponents_.resize(x_.size());
  yaw = wrapped(yaw);
  return log_mean_density(0, good(), x, y, yaw) - kRestWeight * log_mean_density(good(), x_.size(), x, y, yaw);
}

double ParzenTrials::log_mean_density(std::size_t first, std::size_t last, double x, double y, double yaw) const {
  static const double kLogPeak =
      -2 * std::log(kWidthM) - std::log(kWidthRad) - 1.5 * std::log(2 * kPi);  // of a kernel
  const std::size_t count = last - first;
  double* exponents = exponents_.data();
  const double largest = exponents_at(&x_[first], &y_[first], &yaw_[first], count, x, y, yaw, exponents);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (exponents[i] > largest - kNegligible) sum += std::exp(exponents[i] - largest);
  return kLogPeak + largest + std::log(sum / static_cast<double>(count));
}

}  // namespace ndt::initial_pose
