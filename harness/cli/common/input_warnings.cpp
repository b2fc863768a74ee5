#include "cli/common/input_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/standard_streams.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::harness {
namespace {

constexpr std::size_t kLooked = 10000;     // points of a cloud that are looked at
constexpr std::size_t kDenseScan = 30000;  // points
constexpr float kMapExtent_m = 20000, kScanReach_m = 1000;

using Axis = float Point::*;
constexpr Axis kAxes[] = {&Point::x, &Point::y, &Point::z};

/// Coordinates of finite points, evenly taken from the whole cloud, in increasing order.
std::vector<float> sorted_axis(const PointCloud& cloud, Axis axis) {
  std::vector<float> values;
  const std::size_t step = cloud.size() / kLooked + 1;
  for (std::size_t i = 0; i < cloud.size(); i += step)
    if (std::isfinite(cloud.points[i].*axis)) values.push_back(cloud.points[i].*axis);
  std::ranges::sort(values);
  return values;
}

/// Distance between the quantiles `share` and 1 - share on the axis where it is longest.
float spread_m(const PointCloud& cloud, double share) {
  float most = 0;
  for (const Axis axis : kAxes) {
    const std::vector<float> values = sorted_axis(cloud, axis);
    if (values.empty()) continue;
    const auto low = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
    most = std::max(most, values[values.size() - 1 - low] - values[low]);
  }
  return most;
}

void warn(std::string_view cloud, std::string_view what, float metres) {
  notice("ndt-bench: warning: {} of the {} is {:.0f} m: millimetres? Clouds must be in metres\n", what, cloud,
         metres);
}

}  // namespace

void warn_of_degrees(std::span<const double> pose, std::string_view option) {
  constexpr const char* kNames[] = {"roll", "pitch", "yaw"};
  for (std::size_t i = 3; pose.size() == 6 && i < 6; ++i)
    if (std::abs(pose[i]) > 2 * kPi)
      notice(
          "ndt-bench: warning: {}: {} {:g} is taken for radians, which is {:.1f} degrees; degrees? Then give "
          "{:.6g}\n",
          option, kNames[i - 3], pose[i], std::remainder(pose[i], 2 * kPi) * 180 / kPi, pose[i] * kPi / 180);
}

void notice_dense_scan(std::size_t points, bool filtered) {
  if (points > kDenseScan && !filtered)
    notice("ndt-bench: the scan has {} points; --scan-voxel-leaf 1 thins it, which is several times faster\n",
           points);
}

void warn_of_thin_map(double covered, double edge_m) {
  if (covered < initial_pose::kThinMap)
    notice(
        "ndt-bench: warning: only {:.0f} % of the map's points have a voxel of {:g} m with enough points; a "
        "denser map or a larger --resolution gives firmer poses\n",
        100 * covered, edge_m);
}

void warn_of_millimetres(const PointCloud& map, const PointCloud& scan) {
  if (const float extent = spread_m(map, 0.05); extent > kMapExtent_m) warn("map", "the extent", extent);
  if (const float middle = spread_m(scan, 0.25); middle > kScanReach_m)
    warn("scan", "the extent of the middle half", middle);
}

}  // namespace ndt::harness
