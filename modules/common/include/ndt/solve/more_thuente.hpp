// Trial step lengths by More and Thuente's safeguarded interpolation, as a state machine: the caller
// evaluates, this decides. [More & Thuente 1994, ACM TOMS 20(3), sections 2-4]
#pragma once

#include <cmath>

#include "ndt/core/hd.hpp"

namespace ndt {

/// A step length, and the function's value and slope there.
struct LinePoint {
  double alpha = 0, value = 0, slope = 0;
};

/// Minimises f along a ray from f(0), f'(0) < 0, for steps in [low, high].
class MoreThuente {
 public:
  static constexpr double kSufficientDecrease = 1e-4;  // mu

  MoreThuente() = default;
  NDT_HD MoreThuente(double value0, double slope0, double first, double low, double high,
                     double sufficient_decrease = kSufficientDecrease)
      : value0_(value0),
        slope_test_(sufficient_decrease * slope0),
        low_(low),
        high_(high),
        width_(high - low),
        previous_width_(2 * (high - low)),
        best_{0, value0, slope0},
        other_{0, value0, slope0},
        search_high_(5 * first) {}

  /// The step to try after `trial` was not accepted.
  NDT_HD double next(const LinePoint& trial) {
    const double line = value0_ + trial.alpha * slope_test_;
    if (first_stage_ && trial.value <= line && trial.slope >= 0) first_stage_ = false;
    double alpha;
    if (first_stage_ && trial.value <= best_.value && trial.value > line) {
      // Interpolate f minus the line of sufficient decrease: its minimiser satisfies the decrease condition.
      best_ = tilted(best_, -1), other_ = tilted(other_, -1);
      alpha = interpolate(tilted(trial, -1));
      best_ = tilted(best_, +1), other_ = tilted(other_, +1);
    } else {
      alpha = interpolate(trial);
    }
    return safeguarded(alpha);
  }

 private:
  NDT_HD LinePoint tilted(const LinePoint& p, int sign) const {
    return {p.alpha, p.value + sign * p.alpha * slope_test_, p.slope + sign * slope_test_};
  }

  /// Minimiser of the cubic through two points, written from `from`. `away` is set if it is beyond `from`,
  /// seen from `to`.
  NDT_HD static double cubic(const LinePoint& from, const LinePoint& to, bool* away = nullptr) {
    const double theta = 3 * (from.value - to.value) / (to.alpha - from.alpha) + from.slope + to.slope;
    const double scale = std::fmax(std::fabs(theta), std::fmax(std::fabs(from.slope), std::fabs(to.slope)));
    const double under = (theta / scale) * (theta / scale) - (from.slope / scale) * (to.slope / scale);
    const double root = (to.alpha < from.alpha ? -scale : scale) * std::sqrt(std::fmax(under, 0.0));
    const double ratio = ((root - from.slope) + theta) / (((root - from.slope) + root) + to.slope);
    if (away != nullptr) *away = ratio < 0 && root != 0;
    return from.alpha + ratio * (to.alpha - from.alpha);
  }
  NDT_HD static double secant(const LinePoint& from, const LinePoint& to) {
    return from.alpha + from.slope / (from.slope - to.slope) * (to.alpha - from.alpha);
  }

  /// Case 1: the value rose, so there is a minimiser in between.
  NDT_HD double after_rise(const LinePoint& t) const {
    const double by_cubic = cubic(best_, t);
    const double chord = (best_.value - t.value) / (t.alpha - best_.alpha) + best_.slope;
    const double by_quadratic = best_.alpha + best_.slope / chord / 2 * (t.alpha - best_.alpha);
    const bool cubic_nearer = std::fabs(by_cubic - best_.alpha) < std::fabs(by_quadratic - best_.alpha);
    return cubic_nearer ? by_cubic : by_cubic + (by_quadratic - by_cubic) / 2;
  }
  /// Case 2: the slope changed sign.
  NDT_HD double after_sign_change(const LinePoint& t) const {
    const double by_cubic = cubic(t, best_), by_secant = secant(t, best_);
    return std::fabs(by_cubic - t.alpha) > std::fabs(by_secant - t.alpha) ? by_cubic : by_secant;
  }
  /// Case 3: same sign, and the slope got smaller.
  NDT_HD double after_flattening(const LinePoint& t) const {
    const bool forward = t.alpha > best_.alpha;
    bool away = false;
    double by_cubic = cubic(t, best_, &away);
    if (!away) by_cubic = forward ? search_high_ : search_low_;
    const double by_secant = secant(t, best_);
    const bool cubic_nearer = std::fabs(by_cubic - t.alpha) < std::fabs(by_secant - t.alpha);
    if (!bracketed_)
      return std::fmax(search_low_, std::fmin(cubic_nearer ? by_secant : by_cubic, search_high_));
    const double chosen = cubic_nearer ? by_cubic : by_secant,
                 limit = t.alpha + 0.66 * (other_.alpha - t.alpha);
    return forward ? std::fmin(limit, chosen) : std::fmax(limit, chosen);
  }
  /// Case 4: same sign, and the slope did not get smaller.
  NDT_HD double after_steepening(const LinePoint& t) const {
    if (bracketed_) return cubic(t, other_);
    return t.alpha > best_.alpha ? search_high_ : search_low_;
  }

  NDT_HD double interpolate(const LinePoint& t) {
    const bool sign_changed = t.slope * (best_.slope < 0 ? -1.0 : 1.0) < 0;
    double alpha;
    if (t.value > best_.value) {
      alpha = after_rise(t);
      bracketed_ = true;
    } else if (sign_changed) {
      alpha = after_sign_change(t);
      bracketed_ = true;
    } else {
      alpha = std::fabs(t.slope) < std::fabs(best_.slope) ? after_flattening(t) : after_steepening(t);
    }
    if (t.value > best_.value) {
      other_ = t;
    } else {
      if (sign_changed) other_ = best_;
      best_ = t;
    }
    return alpha;
  }

  /// Bisects if the interval shrinks too slowly, and keeps the step inside its bounds.
  NDT_HD double safeguarded(double alpha) {
    if (bracketed_) {
      const double interval = std::fabs(other_.alpha - best_.alpha);
      if (interval >= 0.66 * previous_width_) alpha = best_.alpha + 0.5 * (other_.alpha - best_.alpha);
      previous_width_ = width_;
      width_ = interval;
      search_low_ = std::fmin(best_.alpha, other_.alpha);
      search_high_ = std::fmax(best_.alpha, other_.alpha);
    } else {
      search_low_ = alpha + 1.1 * (alpha - best_.alpha);
      search_high_ = alpha + 4.0 * (alpha - best_.alpha);
    }
    return std::fmax(low_, std::fmin(alpha, high_));
  }

  double value0_ = 0, slope_test_ = 0, low_ = 0, high_ = 0, width_ = 0, previous_width_ = 0;
  LinePoint best_, other_;
  double search_low_ = 0, search_high_ = 0;
  bool bracketed_ = false, first_stage_ = true;
};

}  // namespace ndt
