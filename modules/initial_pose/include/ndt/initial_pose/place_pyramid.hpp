// The map as a search for places sees it: how near each cell is to the map's points, and the largest such
// value that a box of translations can reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ndt/align/option.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/initial_pose/pooled_view.hpp"

namespace ndt::initial_pose {

/// Values of a grid of cells, and for each level k >= 1 of all cells the largest value among the 2^k x 2^k
/// cells that begin there in x and y; z is never pooled. Cells outside are 0.
class PooledGrid {
 public:
  /// One level: a box of cells.
  struct Level {
    int size[3] = {};                  ///< cells in x, y and z
    int offset = 0;                    ///< x and y of the first cell are -offset
    std::vector<std::uint8_t> values;  ///< x fastest, z slowest

    /// Returns a view of the level for kernels; valid as long as the level.
    PooledView view() const { return {{size[0], size[1], size[2]}, offset, values.data()}; }
    /// Value of a cell, 0 outside.
    std::uint8_t at(int x, int y, int z) const { return view().at(x, y, z); }
    /// Place of a cell in `values`.
    unsigned index(unsigned i, unsigned j, unsigned k) const { return view().index(i, j, k); }
  };

  PooledGrid() = default;
  /// Pools `cells`, level 0, into levels 1 to levels - 1.
  PooledGrid(Level cells, int levels);
  /// As many levels above cells of this size, each filled by fill(), the finest first.
  PooledGrid(const int (&size)[3], int levels, const std::function<void(std::span<std::uint8_t>)>& fill);
  /// Level k, 0 the finest.
  const Level& level(int k) const { return levels_[static_cast<std::size_t>(k)]; }
  std::uint64_t bytes() const;  ///< memory of all levels

 private:
  std::vector<Level> levels_;
};

/// Built once for a map, read by any number of searches at once.
class PlacePyramid {
 public:
  /// Value of a cell that holds a point of the map.
  static constexpr int kFull = PooledView::kFull;
  /// Edges that can be asked for [m].
  static constexpr Bounds kCellBoundsM = Bounds::closed(0.05, 100);
  /// The edge is doubled until all levels take no more memory.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 29;

  /// cell_m: edge of a cell [m], within kCellBoundsM. up: the map's up direction, of any length; where it is
  /// not z, the cells are those of the map turned level. Throws std::invalid_argument for another edge and
  /// for an up without a direction, InputError if the map has no finite point.
  PlacePyramid(const PointCloud& map, double cell_m, const Vec3<double>& up = {0, 0, 1});

  /// All but its cells.
  struct Frame {
    double cell_m = 0;    ///< edge of the cells
    Vec3<double> corner;  ///< of cell 0 [m]
    int size[3] = {};     ///< cells in x, y and z
  };
  /// Memory of all levels of both grids; nothing if no map has such a pyramid.
  static std::optional<std::uint64_t> bytes_of(const Frame& frame);
  /// A pyramid that was kept. fill() writes all cells of each level: those of values(), then those of
  /// footing(), the finest first. Throws std::invalid_argument for a frame without bytes_of(), and what
  /// fill() throws.
  PlacePyramid(const Frame& frame, const Vec3<double>& up,
               const std::function<void(std::span<std::uint8_t>)>& fill);
  /// The frame of this pyramid.
  Frame frame() const;

  /// Edge of the cells: the one asked for, or longer.
  double cell_m() const { return cell_m_; }
  /// Corner of cell 0 [m], in the frame of the level map.
  const Vec3<double>& corner() const { return corner_; }
  /// Opposite corner of the last cell [m].
  Vec3<double> far_corner() const;
  int levels() const { return levels_; }  ///< number of levels
  /// A pose in the level map as one in the map.
  Pose in_map(const Pose& in_level_map) const;
  /// 255 where the map has points, 128 in the cells that share a face with such a one, 64 at an edge or a
  /// corner.
  const PooledGrid& values() const { return values_; }
  /// 1 in cells that a vehicle or a person may stand on: one within two cells in x and y and one in z holds
  /// points with an empty cell above.
  const PooledGrid& footing() const { return footing_; }
  /// Memory of all levels.
  std::uint64_t bytes() const { return values_.bytes() + footing_.bytes(); }

 private:
  double cell_m_ = 0;
  std::optional<Mat3<double>> level_from_map_;  ///< nothing: the map is level
  Vec3<double> corner_;
  int levels_ = 0;
  PooledGrid values_, footing_;
};

}  // namespace ndt::initial_pose
