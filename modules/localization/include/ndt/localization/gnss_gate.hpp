// Tells whether a GNSS fix can be believed. It compares the innovation with the covariances of fix and
// prediction, and remembers how far fixes were from poses that the map fixed.
#pragma once

#include <optional>

#include "ndt/align/align_result.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/localization/localizer_options.hpp"

namespace ndt::localization {

/// A place in the map with its covariance.
struct Fix {
  double x = 0, y = 0;            ///< [m]
  PositionCovariance covariance;  ///< [m²]
};

/// The covariance of a fix, or the one that the options give to a fix without.
PositionCovariance covariance_of(const std::optional<PositionCovariance>& fix,
                                 const LocalizerOptions& options);

/// The prediction's covariance is a circle: small after a pose that the map fixes in all directions, and
/// growing with time while it does not.
class GnssGate {
 public:
  /// Deviation of a start that a person or another method gave [m].
  static constexpr double kStartSigmaM = 1;
  /// Begins with that deviation of the first prediction [m].
  explicit GnssGate(double start_sigma_m = kStartSigmaM) : sigma_m_(start_sigma_m) {}
  /// Begins anew.
  void reset(double start_sigma_m = kStartSigmaM) { *this = GnssGate(start_sigma_m); }
  /// Whether the fix agrees with the prediction, and the fixes before did not contradict poses that are firm.
  bool passes(const Fix& fix, const Transform& prediction) const;
  /// Returns the fix less the mean offset of earlier fixes from firm poses. An offset within the deviation of
  /// a fix may be chance, and is not taken off.
  Fix corrected(const Fix& fix) const;

  /// The pose of a scan that the map fixes in all directions. `fix`: of its time, if there was one.
  void follow_firm(const Transform& pose, const Fix* fix);
  /// The pose of another scan, this long after the one before.
  void follow_weak(double gap_s);

 private:
  double sigma_m_;                   ///< of the prediction
  int refuted_ = 0, confirmed_ = 0;  ///< fixes in a row, by poses that are firm
  int compared_ = 0;                 ///< fixes that make the mean, at most as many as count
  double bias_x_ = 0, bias_y_ = 0;   ///< of fixes that were confirmed [m]
  bool trusted_ = true;
};

}  // namespace ndt::localization
