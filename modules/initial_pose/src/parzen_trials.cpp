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
constexpr double kRounding = 1e-9;

double wrapped(double angle) { return std::remainder(angle, 2 * kPi); }

constexpr std::size_t kBlock = 16;  // kernels between two looks at the largest

/// Exponents of `count` kernels at a place, into `out`, and the largest. Written for the compiler's vector unit.
double exponents_at(const double* x, const double* y, const double* yaw, std::size_t count, double at_x, double at_y,
                    double at_yaw, double* out) {
  constexpr double kPerM = 0.5 / (ParzenTrials::kWidthM * ParzenTrials::kWidthM);
  constexpr double kPerRad = 0.5 / (ParzenTrials::kWidthRad * ParzenTrials::kWidthRad);
  for (std::size_t i = 0; i < count; ++i) {
    const double dx = at_x - x[i], dy = at_y - y[i], angle = std::abs(at_yaw - yaw[i]);
    const double around = 2 * kPi - angle, dyaw = angle < around ? angle : around;
    out[i] = -((dx * dx + dy * dy) * kPerM + dyaw * dyaw * kPerRad);
  }
  return *std::max_element(out, out + count);
}

}  // namespace

void ParzenTrials::add(const Pose& at, double score) {
  if (std::isnan(score)) score = -kInfinity;
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

double ParzenTrials::log_density_ratio(double x, double y, double yaw, double to_beat) const {
  exponents_.resize(x_.size());
  yaw = wrapped(yaw);
  const double above = log_mean_density(0, good(), x, y, yaw, kInfinity);
  const double enough = (above - to_beat) / kRestWeight;
  return above - kRestWeight * log_mean_density(good(), x_.size(), x, y, yaw, enough);
}

double ParzenTrials::log_mean_density(std::size_t first, std::size_t last, double x, double y, double yaw,
                                      double enough) const {
  static const double kLogPeak = -2 * std::log(kWidthM) - std::log(kWidthRad) - 1.5 * std::log(2 * kPi);  // of a kernel
  const auto count = static_cast<double>(last - first);
  // The largest kernel alone is that much; what rounding may take is left on top.
  const double suffices = enough - kLogPeak + std::log(count) + kRounding * (1 + std::abs(enough));
  double* exponents = exponents_.data();
  double largest = -kInfinity;
  for (std::size_t i = first; i < last; i += kBlock) {
    largest = std::max(largest, exponents_at(&x_[i], &y_[i], &yaw_[i], std::min(kBlock, last - i), x, y, yaw,
                                             exponents + (i - first)));
    if (largest >= suffices) return kInfinity;
  }
  double sum = 0;
  for (std::size_t i = 0; i < last - first; ++i)
    if (exponents[i] > largest - kNegligible) sum += std::exp(exponents[i] - largest);
  return kLogPeak + largest + std::log(sum / count);
}

}  // namespace ndt::initial_pose
