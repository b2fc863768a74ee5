// The ground of the town: a chequer of straight streets, 12 m from curb to curb, with blocks a curb above
// them, on hills in flat triangles. Square cells of 4 m, whose borders are the curbs; the same cells find the
// solids a ray may meet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "town/exact.hpp"
#include "town/solids.hpp"
#include "town/waves.hpp"

namespace ndt::harness::town {

/// Street i runs along x = i * spacing_x and along y = i * spacing_y. Spacings are multiples of Cells::kEdge,
/// so curbs are cell borders of any area that block_area gives.
struct Streets {
  static constexpr double kHalfWidth = 6;
  static constexpr double kLane = 1.75;     ///< middle of the right-hand lane, from the middle of the street
  static constexpr double kParking = 4.85;  ///< middle of the parked cars

  double spacing_x = 120, spacing_y = 100;

  bool is_block(double x, double y) const { return off_street(x, spacing_x) && off_street(y, spacing_y); }

  /// The area of block (column, row), curb to curb, on the greater side of streets `column` and `row`.
  Footprint block(int column, int row) const {
    return {column * spacing_x + kHalfWidth, row * spacing_y + kHalfWidth,
            (column + 1) * spacing_x - kHalfWidth, (row + 1) * spacing_y - kHalfWidth};
  }

 private:
  /// At least half a street away from every street of that spacing.
  static bool off_street(double at, double spacing) {
    const double from_street = at - spacing * static_cast<double>(whole_below(at / spacing));
    return from_street > kHalfWidth && from_street < spacing - kHalfWidth;
  }
};

/// Blocks [first, last) in both directions.
struct Blocks {
  int first_column = 0, first_row = 0, last_column = 0, last_row = 0;
};

/// The blocks that reach to within `reach` of the area; at least one.
inline Blocks blocks_around(const Streets& streets, const Footprint& area, double reach) {
  const auto below = [](double at, double spacing) { return static_cast<int>(whole_below(at / spacing)); };
  return {below(area.x0 - reach, streets.spacing_x), below(area.y0 - reach, streets.spacing_y),
          below(area.x1 + reach, streets.spacing_x) + 1, below(area.y1 + reach, streets.spacing_y) + 1};
}

/// The area that the blocks cover, with the streets around them.
inline Footprint block_area(const Streets& streets, const Blocks& blocks) {
  return {blocks.first_column * streets.spacing_x - Streets::kHalfWidth,
          blocks.first_row * streets.spacing_y - Streets::kHalfWidth,
          blocks.last_column * streets.spacing_x + Streets::kHalfWidth,
          blocks.last_row * streets.spacing_y + Streets::kHalfWidth};
}

/// The area and what is within `reach` of it, bounded by cell borders.
Footprint open_area(const Footprint& area, double reach);

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
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

class Ground {
 public:
  /// `area` must be bounded by cell borders (block_area's are). The hills are drawn from `seed`.
  Ground(const Footprint& area, const Streets& streets, std::uint64_t seed);
  /// Open land without streets: on hills drawn from `seed`, flat at height 0 without one.
  Ground(const Footprint& area, std::optional<std::uint64_t> seed);
  /// Open land that waves shape.
  Ground(const Footprint& area, Waves waves);

  const Cells& cells() const { return cells_; }
  /// Height of the hills, without the curb. The place must be in the area.
  double hill(double x, double y) const;
  /// Height of the surface: the hill, and the curb where there is a block.
  double height(double x, double y) const;

  /// Distance to the ground or to the curb at the cell's border, or kNoHit. The ray is in the cell from
  /// `enter` to `leave`, and was above the ground before.
  double hit(const Ray& ray, int column, int row, double enter, double leave) const;

 private:
  struct Corners {
    double h00, h10, h01, h11, raised;
  };
  Corners corners(int column, int row) const;
  void rise(std::uint64_t seed);  ///< draws the heights of all corners

  Cells cells_;
  std::vector<double> corner_heights_;
  std::vector<char> is_block_;
  std::optional<Waves> waves_;  ///< instead of corners
};

}  // namespace ndt::harness::town
