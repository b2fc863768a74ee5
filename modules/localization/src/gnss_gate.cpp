#include "ndt/localization/gnss_gate.hpp"

#include <algorithm>

namespace ndt::localization {
namespace {

constexpr double kFirmSigmaM = 0.15, kGrowthPerS = 1, kMostSigmaM = 30;
/// Exceeded by 0.3 % of squared Mahalanobis distances in two dimensions.
constexpr double kLargest = 11.83;
constexpr int kRefutedMost = 3, kConfirmedAgain = 10;
/// Fixes that make a mean: fewer say little, and errors of a receiver change in a few seconds.
constexpr int kLeastCompared = 10, kMostCompared = 50;

/// The squared Mahalanobis distance; the covariance is positive definite.
double squared_distance(double x, double y, const PositionCovariance& c) {
  return (c.yy * x * x - 2 * c.xy * x * y + c.xx * y * y) / (c.xx * c.yy - c.xy * c.xy);
}

bool agrees(const Fix& fix, const Transform& pose, double sigma_m) {
  PositionCovariance both = fix.covariance;
  both.xx += sigma_m * sigma_m, both.yy += sigma_m * sigma_m;
  return squared_distance(fix.x - pose(0, 3), fix.y - pose(1, 3), both) <= kLargest;
}

}  // namespace

PositionCovariance covariance_of(const std::optional<PositionCovariance>& fix,
                                 const LocalizerOptions& options) {
  if (fix) return *fix;
  const double variance = options.gnss_sigma_m * options.gnss_sigma_m;
  return {.xx = variance, .xy = 0, .yy = variance};
}

bool GnssGate::passes(const Fix& fix, const Transform& prediction) const {
  return trusted_ && agrees(fix, prediction, sigma_m_);
}

Fix GnssGate::corrected(const Fix& fix) const {
  if (compared_ < kLeastCompared || squared_distance(bias_x_, bias_y_, fix.covariance) <= 1) return fix;
  return {fix.x - bias_x_, fix.y - bias_y_, fix.covariance};
}

void GnssGate::follow_firm(const Transform& pose, const Fix* fix) {
  sigma_m_ = kFirmSigmaM;
  if (fix == nullptr) return;
  const bool good = agrees(*fix, pose, sigma_m_);
  refuted_ = good ? 0 : refuted_ + 1;
  confirmed_ = good ? confirmed_ + 1 : 0;
  if (good) {
    compared_ = std::min(compared_ + 1, kMostCompared);
    bias_x_ += (fix->x - pose(0, 3) - bias_x_) / compared_;
    bias_y_ += (fix->y - pose(1, 3) - bias_y_) / compared_;
  }
  if (refuted_ >= kRefutedMost) trusted_ = false;
  if (confirmed_ >= kConfirmedAgain) trusted_ = true;
}

void GnssGate::follow_weak(double gap_s) {
  sigma_m_ = std::max(sigma_m_, std::min(kMostSigmaM, sigma_m_ + kGrowthPerS * gap_s));
}

}  // namespace ndt::localization
