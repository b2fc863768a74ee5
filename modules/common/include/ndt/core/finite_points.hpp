// The finite points of a cloud, as an aligner uses them: copied, counted, and their mean range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/range_kernels.hpp"

namespace ndt {

/// Reference to finite points of a scan, for kernels: [size] points, metres.
struct ScanView {
  const Point* points = nullptr;  ///< the caller's, not owned
  int size = 0;                   ///< number of points
};

/// The finite points of a cloud as float32 offsets from `frame_origin`, and how many were not finite.
struct FinitePoints {
  std::vector<Point> points;  ///< offsets from `frame_origin` [m]
  std::int64_t dropped = 0;   ///< points that were not finite
};
/// A cloud whose origin equals frame_origin keeps its floats bit for bit; otherwise the shift is done in
/// double.
FinitePoints finite_points(const PointCloud& cloud, const Vec3<double>& frame_origin = {});

/// Facts about a cloud that copy_finite() collects on its way.
struct CopiedPoints {
  std::size_t points = 0;    ///< finite points, all copied
  std::int64_t dropped = 0;  ///< points that are not finite
  std::size_t coarse = 0;    ///< copied points with a coordinate of coarse_from_m or more
  std::size_t far = 0;       ///< copied points with a range of far_from_m or more
  double mean_range_m = 0;   ///< mean_range_m() of the copied points
};
/// Told on the way how many points are in the room, once every few thousand points and at the end.
using CopyProgress = std::function<void(std::size_t)>;
/// Writes finite_points() into `room` in one pass. `room` holds cloud.size() points and must not be the
/// cloud's own.
CopiedPoints copy_finite(const PointCloud& cloud, const Vec3<double>& frame_origin, float coarse_from_m,
                         Point* room, float far_from_m = std::numeric_limits<float>::infinity(),
                         const CopyProgress& progress = {});

/// Mean distance of the points from their origin [m], the lever arm that turns radians into metres; 0 without
/// points. Ranges are rounded to float32, with a relative error below 1e-6, because the mean only scales a
/// condition number.
double mean_range_m(const std::vector<Point>& points);

/// mean_range_m() adds a block of kRangeBlock points in float32 if all of them are nearer [m], so that their
/// squares are finite.
inline constexpr float kNearRange_m = 0x1p16F;
/// Ranges of kRangeBlock near points in a row, added up by those who have the points: column c has points c,
/// c + 4, c + 8 and c + 12, in this order.
struct RangeBlock {
  float columns[4] = {};  ///< [m]
};
/// mean_range_m() of points of which only the last, fewer than kRangeBlock, are here.
double mean_range_m(std::span<const RangeBlock> blocks, std::span<const Point> rest);

}  // namespace ndt
