// Results for people: short lines with units.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/scan_preparation.hpp"
#include "ndt/align/aligner.hpp"

namespace ndt::harness {

/// Points of the files, and what the filters left of them.
std::string clouds_text(const PreparedCloud& map, const PreparedCloud& scan);
/// "scan filters     of 3000 points left: finite 2998, range 2890"; empty if no filter was asked for.
std::string filters_text(std::string_view cloud, const PreparedCloud& prepared);

std::string to_text(const AlignResult& result);
std::string to_text(const Evaluation& evaluation);
std::string trace_text(std::span<const TracePoint> trace);
/// Count, extent, points per voxel, and the first rows.
std::string to_text(std::span<const VoxelRow> voxels, double resolution_m);

/// "3.21 ms (median of 5, 3.10 to 3.90)".
std::string time_text(const std::vector<double>& times_us);

}  // namespace ndt::harness
