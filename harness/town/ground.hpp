// The ground of the town: hills in flat triangles, and blocks a curb above the streets. Square cells of 4 m, whose borders
// are the curbs; the same cells find the solids a ray may meet.
#pragma once

#include <vector>

#include "town/exact.hpp"
#include "town/solids.hpp"
#include "town/streets.hpp"

namespace ndt::harness::town {

inline constexpr double kCurbM = 0.12;

/// The cells of an area, row by row.
struct Cells {
  static constexpr double kEdge = 4;

  double x0 = 0, y0 = 0;  ///< corner of cell (0, 0)
  int columns = 0, rows = 0;

  explicit Cells(const Footprint& area)
      : x0(area.x0),
        y0(area.y0),
        columns(static_cast<int>(whole_below((area.x1 - area.x0) / kEdge + 0.5))),
        rows(static_cast<int>(whole_below((area.y1 - area.y0) / kEdge + 0.5))) {}

  int column_of(double x) const { return static_cast<int>(whole_below((x - x0) / kEdge)); }
  int row_of(double y) const { return static_cast<int>(whole_below((y - y0) / kEdge)); }
  bool holds(int column, int row) const { return column >= 0 && column < columns && row >= 0 && row < rows; }
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  }
};

class Ground {
 public:
  /// `area` must be bounded by cell borders (block_area's are). The hills are drawn from `seed`.
  Ground(const Footprint& area, const Streets& streets, std::uint64_t seed);

  const Cells& cells() const { return cells_; }
  /// Height of the hills, without the curb. The place must lie in the area.
  double hill(double x, double y) const;
  /// What one stands on: the hill, and the curb where there is a block.
  double height(double x, double y) const;

  /// Distance to the ground or to the curb at the cell's border, or kNoHit. The ray is in the cell from `enter` to
  /// `leave`, and was above the ground before.
  double hit(const Ray& ray, int column, int row, double enter, double leave) const;

 private:
  struct Corners {
    double h00, h10, h01, h11, raised;
  };
  Corners corners(int column, int row) const;

  Cells cells_;
  std::vector<double> corner_heights_;
  std::vector<char> is_block_;
};

}  // namespace ndt::harness::town
