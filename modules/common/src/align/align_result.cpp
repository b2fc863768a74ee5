#include "ndt/align/align_result.hpp"

#include <algorithm>

namespace ndt {

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::converged: return "converged";
    case Stop::max_iterations: return "max_iterations";
    case Stop::no_overlap: return "no_overlap";
    case Stop::degenerate: return "degenerate";
    case Stop::non_finite: return "non_finite";
    case Stop::line_search_failed: return "line_search_failed";
    case Stop::cancelled: return "cancelled";
    case Stop::timeout: return "timeout";
  }
  return "?";
}

namespace {

/// M C M^T for the upper left 2x2 of a rotation.
PositionCovariance turned(const PositionCovariance& c, double m00, double m01, double m10, double m11) {
  const double a = m00 * c.xx + m01 * c.xy, b = m00 * c.xy + m01 * c.yy;
  const double d = m10 * c.xx + m11 * c.xy, e = m10 * c.xy + m11 * c.yy;
  return {a * m00 + b * m01, a * m10 + b * m11, d * m10 + e * m11};
}

}  // namespace

PositionCovariance with_variance_floor(const PositionCovariance& covariance, const Transform& map_from_scan,
                                       double floor) {
  const Transform& t = map_from_scan;
  PositionCovariance vehicle = turned(covariance, t(0, 0), t(1, 0), t(0, 1), t(1, 1));
  vehicle.xx = std::max(vehicle.xx, floor);
  vehicle.yy = std::max(vehicle.yy, floor);
  return turned(vehicle, t(0, 0), t(0, 1), t(1, 0), t(1, 1));
}

Mat6 pose_covariance(const std::optional<PositionCovariance>& xy, double position_variance_m2,
                     double angle_variance_rad2) {
  // A variance that is the same along all three axes is the same in every frame.
  Mat6 covariance;
  for (int i = 0; i < 3; ++i) {
    covariance(i, i) = position_variance_m2;
    covariance(i + 3, i + 3) = angle_variance_rad2;
  }
  if (!xy) return covariance;
  covariance(0, 0) = xy->xx;
  covariance(0, 1) = covariance(1, 0) = xy->xy;
  covariance(1, 1) = xy->yy;
  return covariance;
}

}  // namespace ndt
