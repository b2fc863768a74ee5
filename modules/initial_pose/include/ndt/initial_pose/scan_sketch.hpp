// The part of a scan that a search for places uses: a few hundred points, level with the ground, and how high
// above it the sensor was.
#pragma once

#include <optional>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt::initial_pose {

/// The points that are left of the scan.
struct ScanSketch {
  /// Points that a sketch has at most.
  static constexpr int kMostPoints = 400;

  std::vector<Vec3<double>> points;  ///< relative to the sensor, z up [m]
  /// 90th percentile of the points' horizontal ranges [m]: the lever arm of a heading.
  double reach_m = 0;
  /// The sensor's height above its ground [m]; nothing if the scan shows none.
  std::optional<double> ground_below_m;
};

/// One point, the first, of each cell of a voxel grid, whose edge starts at cell_m and grows until at most
/// kMostPoints are left. The ground is the fullest layer of 0.2 m below the sensor, counted in cells within
/// 25 m; a layer with less than a twentieth of those cells is none. `level_from_scan` turns the scan upright,
/// as gravity or a guess tells.
ScanSketch sketch_of(const PointCloud& scan, const Mat3<double>& level_from_scan, double cell_m);

}  // namespace ndt::initial_pose
