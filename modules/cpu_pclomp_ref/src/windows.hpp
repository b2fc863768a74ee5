// The twin of the shared core's overlapping windows, each the Gaussian of 3 x 3 x 3 fine cells. A window is
// made when a point asks for it. The reference has nothing like it.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/core/point_cloud.hpp"
#include "voxel_grid.hpp"

namespace ndt::cpu_pclomp_ref {

class Windows {
 public:
  /// points: finite, global float32 coordinates.
  Windows(const std::vector<Point>& points, const AlignOptions& options);

  /// The window around the point's own cell. If that has too few points, it is the one around the cell of
  /// twice the edge, then of four times. Nothing if all have too few. Nothing, too, in a cell without points,
  /// unless the first has too few and the cell of twice the edge has some. Thread-safe.
  std::optional<Leaf> around(const Eigen::Vector3f& point) const;

 private:
  using Cell = std::array<std::int64_t, 3>;
  /// Sums over a cell's points, about its own centre.
  struct Moments {
    double n = 0;
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  };
  /// Cells of one edge.
  struct Layer {
    double edge_m;
    std::map<Cell, Moments> cells;
    Eigen::Vector3d centre(const Cell& cell) const;
  };

  Moments sum_about(const Eigen::Vector3d& centre, const Layer& layer, const Cell& own) const;
  bool make_window(const Moments& sums, const Eigen::Vector3d& centre, Leaf& out) const;

  float inverse_edge_;
  int min_points_;
  double eigenvalue_ratio_;
  std::vector<Layer> layers_;  ///< fine to coarse
};

}  // namespace ndt::cpu_pclomp_ref
