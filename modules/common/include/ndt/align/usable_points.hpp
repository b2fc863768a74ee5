// Coordinates that float32 cannot hold finely enough are refused, not aligned: what it rounded away no registration finds again.
#pragma once

#include "ndt/align/align_options.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Coarsest spacing of float32 coordinates that is worth aligning [m]: epsilon, but never less than Limits::kFloatStepM, for who asks
/// for shorter last steps does not ask for finer clouds.
double coarsest_step_m(const AlignOptions& options);

/// Whether most of the finite points lie where neighbouring float32 numbers are further apart than `step_m`. A few outliers
/// do not count.
bool too_coarse(const std::vector<Point>& points, double step_m);

/// Throws InputError "set_map: precision_lost: <spacing>, <where>; <what to do>" if the map was stored too coarsely.
void require_map_precision(const PointCloud& map, const AlignOptions& options);
/// The same for a row that keeps global float32 coordinates, whatever the map was stored in.
void require_global_map_precision(const std::vector<Point>& global, const AlignOptions& options);

/// The finite points of a scan in the frame its pose is asked for. Throws InputError "<where>: precision_lost: ..." if they
/// are too coarse in it.
FinitePoints scan_points(const PointCloud& scan, const AlignOptions& options, const char* where);
/// The same into `room` for scan.size() points.
CopiedPoints copy_scan_points(const PointCloud& scan, const AlignOptions& options, const char* where, Point* room);

}  // namespace ndt
