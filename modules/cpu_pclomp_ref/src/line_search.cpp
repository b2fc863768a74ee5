#include "line_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ndt/core/simd.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

constexpr double kMu = 1e-4, kNu = 0.9;

/// Keeps the rules of acceptance and the fallback in one place.
class Acceptance {
 public:
  Acceptance(const PhiSample& at_zero, double highest) : zero_(at_zero), highest_(highest) {}

  bool accepts(const PhiSample& s) {
    const bool enough = s.phi <= zero_.phi + kMu * s.alpha * zero_.dphi;
    if (!enough) return false;
    if (!fallback_ || s.phi < fallback_->phi) fallback_ = s;
    return std::abs(s.dphi) <= kNu * std::abs(zero_.dphi) || (s.alpha >= highest_ && s.dphi < 0);
  }
  std::optional<PhiSample> fallback() const { return fallback_; }

 private:
  PhiSample zero_;
  double highest_;
  std::optional<PhiSample> fallback_;
};

double cubic_minimiser(const PhiSample& a, const PhiSample& b, double& gamma, double& r) {
  const double theta = 3 * (a.phi - b.phi) / (b.alpha - a.alpha) + a.dphi + b.dphi;
  const double s = std::max({std::abs(theta), std::abs(a.dphi), std::abs(b.dphi)});
  gamma = s * std::sqrt(std::max(0.0, (theta / s) * (theta / s) - a.dphi / s * (b.dphi / s)));
  if (b.alpha < a.alpha) gamma = -gamma;
  r = ((gamma - a.dphi) + theta) / (((gamma - a.dphi) + gamma) + b.dphi);
  return a.alpha + r * (b.alpha - a.alpha);
}

double secant_minimiser(const PhiSample& a, const PhiSample& b) {
  return a.alpha + a.dphi / (a.dphi - b.dphi) * (b.alpha - a.alpha);
}

PhiSample minus_line(const PhiSample& s, double slope) {
  return {s.alpha, s.phi - slope * s.alpha, s.dphi - slope};
}

/// Interval of uncertainty and the trial selection of section 4.
struct Interval {
  PhiSample x, y;  ///< best point so far; the other end
  bool bracketed = false;
  double low = 0, high = 0;

  double select(const PhiSample& t) {
    double gamma, r, trial;
    const bool opposite = t.dphi * x.dphi < 0;
    const bool right = t.alpha > x.alpha;
    if (t.phi > x.phi) {
      const double c = cubic_minimiser(x, t, gamma, r);
      const double q =
          x.alpha + x.dphi / ((x.phi - t.phi) / (t.alpha - x.alpha) + x.dphi) / 2 * (t.alpha - x.alpha);
      trial = std::abs(c - x.alpha) < std::abs(q - x.alpha) ? c : c + (q - c) / 2;
      bracketed = true;
    } else if (opposite) {
      const double c = cubic_minimiser(t, x, gamma, r), s = secant_minimiser(t, x);
      trial = std::abs(c - t.alpha) > std::abs(s - t.alpha) ? c : s;
      bracketed = true;
    } else if (std::abs(t.dphi) < std::abs(x.dphi)) {
      double c = cubic_minimiser(t, x, gamma, r);
      if (!(r < 0 && gamma != 0)) c = right ? high : low;
      const double s = secant_minimiser(t, x);
      const bool c_is_nearer = std::abs(c - t.alpha) < std::abs(s - t.alpha);
      if (bracketed) {
        trial = c_is_nearer ? c : s;
        const double limit = t.alpha + 0.66 * (y.alpha - t.alpha);
        trial = right ? std::min(trial, limit) : std::max(trial, limit);
      } else {
        trial = std::clamp(c_is_nearer ? s : c, low, high);
      }
    } else if (bracketed) {
      trial = cubic_minimiser(t, y, gamma, r);
    } else {
      trial = right ? high : low;
    }
    if (t.phi > x.phi) {
      y = t;
    } else {
      if (opposite) y = x;
      x = t;
    }
    return trial;
  }
};

}  // namespace

std::optional<PhiSample> search_more_thuente(const Phi& phi, const PhiSample& at_zero,
                                             const SearchBounds& bounds) {
  Acceptance acceptance(at_zero, bounds.highest);
  Interval interval{at_zero, at_zero, false, 0, 5 * bounds.first};
  const double line_slope = kMu * at_zero.dphi;
  double width = bounds.highest - bounds.lowest, width_before = 2 * width;
  bool auxiliary = true;
  double alpha = bounds.first;
  for (int trial = 0; trial < 10; ++trial) {
    const PhiSample t = phi(alpha);
    if (acceptance.accepts(t)) return t;
    const double on_line = at_zero.phi + line_slope * t.alpha;
    if (auxiliary && t.phi <= on_line && t.dphi >= 0) auxiliary = false;
    double next;
    if (auxiliary && t.phi <= interval.x.phi && t.phi > on_line) {
      interval.x = minus_line(interval.x, line_slope), interval.y = minus_line(interval.y, line_slope);
      next = interval.select(minus_line(t, line_slope));
      interval.x = minus_line(interval.x, -line_slope), interval.y = minus_line(interval.y, -line_slope);
    } else {
      next = interval.select(t);
    }
    if (interval.bracketed) {
      const double size = std::abs(interval.y.alpha - interval.x.alpha);
      if (size >= 0.66 * width_before) next = (interval.x.alpha + interval.y.alpha) / 2;
      width_before = width;
      width = size;
      interval.low = std::min(interval.x.alpha, interval.y.alpha);
      interval.high = std::max(interval.x.alpha, interval.y.alpha);
    } else {
      interval.low = next + 1.1 * (next - interval.x.alpha);
      interval.high = next + 4.0 * (next - interval.x.alpha);
    }
    next = std::clamp(next, bounds.lowest, bounds.highest);
    if (!(std::abs(next - alpha) > 1e-12)) break;  // the same step would give the same values
    alpha = next;
  }
  return acceptance.fallback();
}

std::optional<PhiSample> search_candidates(const Phi& phi, const PhiSample& at_zero,
                                           const SearchBounds& bounds, StepRatios set) {
  static constexpr std::array<double, 8> kFixed8 = {1, 0.75, 0.618, 0.5, 0.382, 0.25, 0.125, 0.0625};
  Acceptance acceptance(at_zero, bounds.highest);
  for (std::size_t k = 0; k < kFixed8.size(); ++k) {
    const double ratio = set == StepRatios::fixed8 ? kFixed8[k] : std::pow(0.618, static_cast<double>(k));
    const PhiSample t = phi(std::clamp(bounds.first * ratio, bounds.lowest, bounds.highest));
    if (acceptance.accepts(t)) return t;
  }
  return acceptance.fallback();
}

}  // namespace ndt::cpu_pclomp_ref
