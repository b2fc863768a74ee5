#include "ndt/align/usable_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ndt/core/error.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {
namespace {

bool is_finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }
float largest_coordinate(const Point& p) { return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}); }

/// The smallest power of two from which on float32 numbers are further apart than step_m.
float coarse_from_m(double step_m) {
  int exponent = 0;
  std::frexp(step_m, &exponent);  // 2^exponent is the smallest power of two above step_m
  return std::ldexp(1.0F, exponent + std::numeric_limits<float>::digits - 1);
}

/// Median of the largest coordinates of the finite points, of which there is at least one.
float median_coordinate(std::span<const Point> points) {
  std::vector<float> values;
  values.reserve(points.size());
  for (const Point& p : points)
    if (is_finite(p)) values.push_back(largest_coordinate(p));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

[[noreturn]] void refuse(std::span<const Point> points, double allowed, const char* where, const char* cloud,
                         const char* advice) {
  const float near = median_coordinate(points);
  const double step =
      static_cast<double>(std::nextafter(near, std::numeric_limits<float>::infinity()) - near);
  throw InputError(
      fmt::format("{}: precision_lost: the float32 coordinates of the {} are {} m apart near {:.0f} m, {} m "
                  "at most are of use; {}",
                  where, cloud, step, near, allowed, advice));
}

void require_map(const std::vector<Point>& points, const AlignOptions& options, const char* cloud,
                 const char* advice) {
  const double allowed = coarsest_step_m(options);
  if (too_coarse(points, allowed)) refuse(points, allowed, "set_map", cloud, advice);
}

constexpr const char* kMapAdvice =
    "store double coordinates (PCD `F 8`) or shift the map towards its origin before rounding";

bool most(std::size_t some, std::size_t all) { return 2 * some > all; }

}  // namespace

double coarsest_step_m(const AlignOptions& options) {
  return std::max(options.epsilon_m, Limits::kFloatStepM);
}

bool too_coarse(const std::vector<Point>& points, double step_m) {
  const float limit = coarse_from_m(step_m);
  std::size_t finite = 0, coarse = 0;
  for (const Point& p : points) {
    if (!is_finite(p)) continue;
    ++finite;
    coarse += largest_coordinate(p) >= limit ? 1 : 0;
  }
  return most(coarse, finite);
}

void require_map_precision(const PointCloud& map, const AlignOptions& options) {
  require_map(map.points, options, "map", kMapAdvice);
}

FinitePoints map_points(const PointCloud& map, const AlignOptions& options) {
  const double allowed = coarsest_step_m(options);
  FinitePoints out;
  out.points.resize(map.size());
  const CopiedPoints copied = copy_finite(map, map.origin, coarse_from_m(allowed), out.points.data());
  out.points.resize(copied.points);
  out.dropped = copied.dropped;
  if (most(copied.coarse, copied.points)) refuse(out.points, allowed, "set_map", "map", kMapAdvice);
  return out;
}

void require_global_map_precision(const std::vector<Point>& global, const AlignOptions& options) {
  require_map(global, options, "map in the global frame that this row keeps",
              "shift the map towards its origin, or use an implementation that keeps a double origin "
              "(persistent_cpu)");
}

CopiedPoints copy_scan_points(const PointCloud& scan, const AlignOptions& options, const char* where,
                              Point* room) {
  const double allowed = coarsest_step_m(options);
  const CopiedPoints copied = copy_finite(scan, {}, coarse_from_m(allowed), room);
  if (most(copied.coarse, copied.points))
    refuse({room, copied.points}, allowed, where, "scan",
           "give the scan relative to its sensor: store double coordinates (PCD `F 8`) and shift them, or "
           "export it so");
  return copied;
}

FinitePoints scan_points(const PointCloud& scan, const AlignOptions& options, const char* where) {
  FinitePoints out;
  out.points.resize(scan.size());
  const CopiedPoints copied = copy_scan_points(scan, options, where, out.points.data());
  out.points.resize(copied.points);
  out.dropped = copied.dropped;
  return out;
}

}  // namespace ndt
