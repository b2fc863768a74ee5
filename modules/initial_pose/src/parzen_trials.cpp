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

/// Exponents of the kernels [first, last) at a place, and their largest.
struct Exponents {
  const double *x, *y, *yaw;

  double at(std::size_t i, double px, double py, double pyaw) const {
    constexpr double kPerM = 0.5 / (ParzenTrials::kWidthM * ParzenTrials::kWidthM);
    constexpr double kPerRad = 0.5 / (ParzenTrials::kWidthRad * ParzenTrials::kWidthRad);
    const double dx = px - x[i], dy = py - y[i], angle = std::abs(pyaw - yaw[i]);
    const double around = 2 * kPi - angle, dyaw = angle < around ? angle : around;
    return -((dx * dx + dy * dy) * kPerM + dyaw * dyaw * kPerRad);
  }
};

/// log of the mean of the kernels' densities, their largest exponent taken out before any exp. `exponents`: scratch.
double log_mean_density(const Exponents& kernels, std::size_t first, std::size_t last, const Pose& at,
                        std::vector<double>& exponents) {
  const double log_peak = -2 * std::log(ParzenTrials::kWidthM) - std::log(ParzenTrials::kWidthRad) -
                          1.5 * std::log(2 * kPi);  // of a kernel
  exponents.resize(last - first);
  for (std::size_t i = first; i < last; ++i) exponents[i - first] = kernels.at(i, at.x, at.y, at.yaw);
  const double largest = *std::ranges::max_element(exponents);
  double sum = 0;
  for (const double exponent : exponents)
    if (exponent > largest - kNegligible) sum += std::exp(exponent - largest);
  return log_peak + largest + std::log(sum / static_cast<double>(last - first));
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

std::size_t ParzenTrials::good() const { return std::min(kGoodMost, size() / kTenth); }

double ParzenTrials::log_density_ratio(const Pose& at) const {
  thread_local std::vector<double> exponents;  // this is most of what a search costs the host: nothing is allocated
  Pose here = at;
  here.yaw = wrapped(at.yaw);
  const Exponents kernels{x_.data(), y_.data(), yaw_.data()};
  return log_mean_density(kernels, 0, good(), here, exponents) -
         kRestWeight * log_mean_density(kernels, good(), x_.size(), here, exponents);
}

}  // namespace ndt::initial_pose
