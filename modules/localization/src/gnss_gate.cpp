#include "ndt/localization/gnss_gate.hpp"

#include <algorithm>

namespace ndt::localization {
namespace {

constexpr double kFirmSigmaM = 0.15, kGrowthPerS = 1, kMostSigmaM = 30;
/// Exceeded by 0.3 % of squared Mahalanobis distances in two dimensions.
constexpr double kLargest = 11.83;
constexpr int kRefutedMost = 3, kConfirmedAgain = 10;

bool agrees(const Fix& fix, const Transform& pose, double sigma_m) {
  const double x = fix.x - pose(0, 3), y = fix.y - pose(1, 3);
  const double xx = fix.covariance.xx + sigma_m * sigma_m, yy = fix.covariance.yy + sigma_m * sigma_m,
               xy = fix.covariance.xy;
  const double determinant = xx * yy - xy * xy;
  return determinant > 0 && (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant <= kLargest;
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

void GnssGate::follow_firm(const Transform& pose, const Fix* fix) {
  sigma_m_ = kFirmSigmaM;
  if (fix == nullptr) return;
  const bool good = agrees(*fix, pose, sigma_m_);
  refuted_ = good ? 0 : refuted_ + 1;
  confirmed_ = good ? confirmed_ + 1 : 0;
  if (refuted_ >= kRefutedMost) trusted_ = false;
  if (confirmed_ >= kConfirmedAgain) trusted_ = true;
}

void GnssGate::follow_weak(double gap_s) {
  sigma_m_ = std::max(sigma_m_, std::min(kMostSigmaM, sigma_m_ + kGrowthPerS * gap_s));
}

}  // namespace ndt::localization
