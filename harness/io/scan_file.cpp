#include "io/scan_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/io_names.hpp"
#include "io/time_unit.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::harness {
namespace {

constexpr double kShortestS = 0.005, kLongestS = 0.5;  // of sweeps; units are farther apart
constexpr double kNearS = 1;                           // from the stamp; absolute times are farther

std::pair<double, double> range_of(const std::vector<double>& times) {
  double first = HUGE_VAL, last = -HUGE_VAL;
  for (const double t : times)
    if (std::isfinite(t)) first = std::min(first, t), last = std::max(last, t);
  return {first, last};
}

TimeUnit unit_of_sweep(const io::PointTimes& times, double length) {
  for (const TimeUnit unit : all_values<TimeUnit>()) {
    if (times.field.ends_with("_" + std::string(to_string(unit)))) return unit;
    if (const double s = length * seconds_in(unit); s >= kShortestS && s <= kLongestS) return unit;
  }
  return TimeUnit::s;
}

std::vector<float> seconds_of(const io::PointTimes& times) {
  const auto [first, last] = range_of(times.values);
  const double unit_s = seconds_in(unit_of_sweep(times, last - first));
  const bool absolute = first * unit_s > kNearS || last * unit_s < -kNearS;
  std::vector<float> seconds;
  for (const double t : times.values)
    seconds.push_back(static_cast<float>((t - (absolute ? first : 0)) * unit_s));
  return seconds;
}

bool is_pcd(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".pcd" || ending == ".PCD";
}

}  // namespace

PointCloud read_scan(const std::filesystem::path& file, io::BinFields fields) {
  PointCloud scan = io::read_cloud(file, nullptr, fields);
  if (is_pcd(file))
    if (const io::PointTimes times = io::read_point_times(file); !times.field.empty())
      scan.times = seconds_of(times);
  return scan;
}

void set_stamp(PointCloud& scan, StampAt at) {
  if (scan.times.empty() || at == StampAt::as_written) return;
  const auto [first, last] = std::ranges::minmax_element(scan.times);
  const float zero = at == StampAt::start ? *first : at == StampAt::end ? *last : (*first + *last) / 2;
  for (float& t : scan.times) t -= zero;
}

}  // namespace ndt::harness
