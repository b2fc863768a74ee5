// Cuts a map into square tiles, with the metadata that Autoware reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/progress.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

struct CutSummary {
  std::size_t tiles = 0;
  std::int64_t points = 0, dropped_points = 0;  ///< dropped: not finite
};

/// Writes a tile for every square [i·size, (i+1)·size) × [j·size, (j+1)·size) metres that has points, all
/// heights, as tile_<x>_<y>.pcd named by its lower-left corner, and pointcloud_map_metadata.yaml. Every
/// finite point is in exactly one tile, with its bits and in the order of the cloud. `folder` is made and
/// must be new or empty; it is complete or not there. Throws std::invalid_argument for a size outside [0.1,
/// 1e6], and InputError for a cloud without finite points, points beyond Limits::kOriginM, more tiles than
/// kTilesMost, and what cannot be written.
CutSummary cut_map(const PointCloud& cloud, double size_m, const std::filesystem::path& folder,
                   const ReportProgress& report = {});

}  // namespace ndt::harness
