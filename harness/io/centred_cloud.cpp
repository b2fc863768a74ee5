#include "io/centred_cloud.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/refusal.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

static_assert(std::numeric_limits<float>::is_iec559, "doubles beyond float32 are to become infinite");

constexpr double kNearM = 1000;
constexpr double kOriginStepM = 1000;

bool finite(const Vec3<double>& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }
bool near(const Vec3<double>& p) {
  return std::abs(p.x) <= kNearM && std::abs(p.y) <= kNearM && std::abs(p.z) <= kNearM;
}

/// The upper median of one coordinate of the finite points, of which there is at least one.
double median(const std::vector<Vec3<double>>& points, double Vec3<double>::*axis) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Vec3<double>& p : points)
    if (finite(p)) values.push_back(p.*axis);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double origin(const std::vector<Vec3<double>>& points, double Vec3<double>::*axis, std::string_view file) {
  const double centre = median(points, axis);
  if (std::abs(centre) > Limits::kOriginM)
    throw refusal(file, "", fmt::format("the points lie around {} m, past the limit of {} m", centre, Limits::kOriginM),
                  "export the cloud in metres");
  return std::floor(centre / kOriginStepM) * kOriginStepM;
}

}  // namespace

PointCloud centred_cloud(const std::vector<Vec3<double>>& absolute, std::string_view file) {
  PointCloud cloud;
  if (!std::all_of(absolute.begin(), absolute.end(), [](const auto& p) { return !finite(p) || near(p); }))
    cloud.origin = {origin(absolute, &Vec3<double>::x, file), origin(absolute, &Vec3<double>::y, file),
                    origin(absolute, &Vec3<double>::z, file)};
  cloud.points.reserve(absolute.size());
  for (const Vec3<double>& p : absolute) cloud.points.push_back(cast<float>(p - cloud.origin));
  return cloud;
}

}  // namespace ndt::harness
