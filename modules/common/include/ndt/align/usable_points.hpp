// The points of a scan that a registration uses. Refuses coordinates that float32 cannot hold finely enough,
// because no registration recovers what rounding has removed.
#pragma once

#include <span>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Coarsest spacing of float32 coordinates that is worth aligning [m]: epsilon, and at least
/// Limits::kFloatStepM, because a smaller epsilon does not demand a finer cloud.
double coarsest_step_m(const AlignOptions& options);

/// Whether most of the finite points have coordinates at which neighbouring float32 numbers are further apart
/// than `step_m`. A few outliers do not count.
bool too_coarse(std::span<const Point> points, double step_m);

/// Throws InputError "set_map: precision_lost: <spacing>, <where>; <what to do>" if the map was stored too
/// coarsely.
void require_map_precision(std::span<const Point> points, const AlignOptions& options);
/// Checks the same for an implementation that keeps global float32 coordinates, however the map was stored.
void require_global_map_precision(const std::vector<Point>& global, const AlignOptions& options);

/// A range that few sensors measure [m]: a scan with points so far away is looked at again, as below. Far
/// less than where float32 is coarse.
inline constexpr double kFar_m = 1000;

/// Returns the finite points of a scan in the frame whose pose is wanted. Drops points more than 1 km and
/// more than 1,000 times the median range away. Drivers write huge numbers for no return, and a single one
/// would hide all others by its lever arm. Throws InputError "<where>: precision_lost: ..." if the points are
/// too coarse in that frame.
FinitePoints scan_points(const PointCloud& scan, const AlignOptions& options, const char* where);
/// Writes the same points into `room`, which has space for scan.size() points. If all points are kept, the
/// points in the room when `progress` is told of them stay as they are.
CopiedPoints copy_scan_points(const PointCloud& scan, const AlignOptions& options, const char* where,
                              Point* room, const CopyProgress& progress = {});

/// The smallest coordinate from which on float32 numbers are further apart than step_m: a power of two.
float coarse_from_m(double step_m);

/// Indices of the points that scan_points() keeps.
std::vector<std::size_t> usable_indices(const PointCloud& scan);

}  // namespace ndt
