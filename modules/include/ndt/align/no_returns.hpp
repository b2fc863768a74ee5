// Finds the points of a scan that a driver wrote where nothing came back. They are zeros, huge numbers, one
// value many times, or the sensor's largest range.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ndt/core/enum_names.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Why a point is taken for a driver's value and not for a measurement.
enum class NoReturn : std::uint8_t {
  none,       ///< it is a measurement
  zero,       ///< at (0, 0, 0)
  sentinel,   ///< a coordinate of 1e7 m or more, or all three 9999, -9999, 99999 or -99999
  identical,  ///< one and the same point more than once in 100, and 5 times at least
  max_range   ///< within 1 mm of the largest range, as many, and no surface
};
constexpr auto enum_names(NoReturn) {
  return std::array{"none", "zero", "sentinel", "identical", "max_range"};
}

/// Counts of points by cause.
struct NoReturns {
  std::int64_t zero = 0, sentinel = 0, identical = 0, max_range = 0;  ///< points

  std::int64_t total() const { return zero + sentinel + identical + max_range; }  ///< points of all causes
  /// Adds the counts of another scan.
  NoReturns& operator+=(const NoReturns& other);
};
/// Lists the counts, "1234 zero, 56 identical"; empty if there are none.
std::string to_text(const NoReturns& counts);

/// Returns the cause of each point of a scan in the scanner's frame, in metres; empty if all are
/// measurements. Ignores non-finite points, also in shares. Keeps a largest range that many points have if
/// they are a surface. They are one if half as many or more lie in the 5 cm below it, or if they are 90 % of
/// the scan. A dome is one, too: a cap above nearly all other points, if the farthest 2 % of those reach 70 %
/// of its range.
std::vector<NoReturn> find_no_returns(const PointCloud& scan);
/// Counts what find_no_returns() found.
NoReturns counted(const std::vector<NoReturn>& causes);

/// Removes the points that find_no_returns() finds; the others keep their order, bits and times.
NoReturns drop_no_returns(PointCloud& scan);
/// Returns the scan itself if it has none, else `room` with the points that are left.
const PointCloud& without_no_returns(const PointCloud& scan, PointCloud& room, NoReturns* dropped = nullptr);

}  // namespace ndt
