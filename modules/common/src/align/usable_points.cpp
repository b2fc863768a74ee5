#include "ndt/align/usable_points.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

#include "ndt/core/error.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {
namespace {

constexpr double kMedianRanges = 1000;  // beyond so many median ranges a number is not a measurement

float largest_coordinate(const Point& p) { return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}); }

/// The lower median of `size(p)` over the finite points, of which there is at least one.
template <class Size>
auto median_of(std::span<const Point> points, Size&& size) {
  std::vector<decltype(size(points[0]))> values;
  values.reserve(points.size());
  for (const Point& p : points)
    if (is_finite(p)) values.push_back(size(p));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}
float median_coordinate(std::span<const Point> points) { return median_of(points, largest_coordinate); }

/// In double, in which no float's square overflows.
double range_in_double_m(const Point& p) {
  const Vec3<double> v = cast<double>(p);
  return std::sqrt(dot(v, v));
}

/// Range beyond which a point is not a measurement, in a scan with points of kFar_m or more. At least kFar_m,
/// because drivers also write (0, 0, 0) for no return.
double farthest_measurement_m(std::span<const Point> points) {
  return std::max(kFar_m, kMedianRanges * median_of(points, range_in_double_m));
}

/// Copies again without the points that are not measurements.
CopiedPoints without_beyond(const CopiedPoints& copied, float coarse_from_m, Point* room) {
  const std::span points(room, copied.points);
  const double farthest = farthest_measurement_m(points);
  PointCloud measured;
  std::ranges::copy_if(points, std::back_inserter(measured.points),
                       [&](const Point& p) { return range_in_double_m(p) <= farthest; });
  CopiedPoints out = copy_finite(measured, {}, coarse_from_m, room);
  out.dropped = copied.dropped + static_cast<std::int64_t>(copied.points - out.points);
  return out;
}

[[noreturn]] void refuse(std::span<const Point> points, double allowed, const char* where, const char* cloud,
                         const char* advice) {
  const float near = median_coordinate(points);
  const double step =
      static_cast<double>(std::nextafter(near, std::numeric_limits<float>::infinity()) - near);
  throw InputError(
      formatted("{}: precision_lost: the float32 coordinates of the {} are {} m apart near {:.0f} m, more "
                "than the {} m allowed; {}",
                where, cloud, step, near, allowed, advice));
}

void require_map(std::span<const Point> points, const AlignOptions& options, const char* cloud,
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

float coarse_from_m(double step_m) {
  int exponent = 0;
  std::frexp(step_m, &exponent);  // 2^exponent is the smallest power of two above step_m
  return std::ldexp(1.0F, exponent + std::numeric_limits<float>::digits - 1);
}

bool too_coarse(std::span<const Point> points, double step_m) {
  const float limit = coarse_from_m(step_m);
  std::size_t finite = 0, coarse = 0;
  for (const Point& p : points) {
    if (!is_finite(p)) continue;
    ++finite;
    coarse += largest_coordinate(p) >= limit ? 1 : 0;
  }
  return most(coarse, finite);
}

void require_map_precision(std::span<const Point> points, const AlignOptions& options) {
  require_map(points, options, "map", kMapAdvice);
}

void require_global_map_precision(const std::vector<Point>& global, const AlignOptions& options) {
  require_map(global, options, "map in the global frame that this row keeps",
              "shift the map towards its origin, or use an implementation that keeps a double origin "
              "(persistent_cpu)");
}

CopiedPoints copy_scan_points(const PointCloud& scan, const AlignOptions& options, const char* where,
                              Point* room, const CopyProgress& progress) {
  const double allowed = coarsest_step_m(options);
  const float coarse_from = coarse_from_m(allowed);
  CopiedPoints copied = copy_finite(scan, {}, coarse_from, room, static_cast<float>(kFar_m), progress);
  if (copied.far > 0) copied = without_beyond(copied, coarse_from, room);
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

std::vector<std::size_t> usable_indices(const PointCloud& scan) {
  std::vector<std::size_t> indices;
  std::vector<Point> points;
  for (std::size_t i = 0; i < scan.size(); ++i) {
    const Point p = cast<float>(scan.origin + cast<double>(scan.points[i]));
    if (!is_finite(p)) continue;
    indices.push_back(i);
    points.push_back(p);
  }
  if (std::ranges::none_of(points, [](const Point& p) { return range_in_double_m(p) >= kFar_m; }))
    return indices;
  const double farthest = farthest_measurement_m(points);
  std::size_t k = 0;
  std::erase_if(indices, [&](std::size_t) { return range_in_double_m(points[k++]) > farthest; });
  return indices;
}

}  // namespace ndt
