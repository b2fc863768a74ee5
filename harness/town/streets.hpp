// Where the streets run: a chequer of straight streets, 12 m from curb to curb, with blocks between them.
#pragma once

#include <cstdint>

#include "town/exact.hpp"
#include "town/solids.hpp"

namespace ndt::harness::town {

/// Street i runs along x = i * spacing_x and along y = i * spacing_y. Spacings are multiples of Cells::kEdge, so curbs are
/// cell borders of any area that block_area gives.
struct Streets {
  static constexpr double kHalfWidth = 6;
  static constexpr double kLane = 1.75;     ///< middle of the right-hand lane, from the middle of the street
  static constexpr double kParking = 4.85;  ///< middle of the parked cars

  double spacing_x = 120, spacing_y = 100;

  bool is_block(double x, double y) const { return off_street(x, spacing_x) && off_street(y, spacing_y); }

  /// The area of block (column, row), curb to curb; it lies at the greater side of streets `column` and `row`.
  Footprint block(int column, int row) const {
    return {column * spacing_x + kHalfWidth, row * spacing_y + kHalfWidth, (column + 1) * spacing_x - kHalfWidth,
            (row + 1) * spacing_y - kHalfWidth};
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

/// What the blocks cover, with the streets around them.
inline Footprint block_area(const Streets& streets, const Blocks& blocks) {
  return {blocks.first_column * streets.spacing_x - Streets::kHalfWidth,
          blocks.first_row * streets.spacing_y - Streets::kHalfWidth,
          blocks.last_column * streets.spacing_x + Streets::kHalfWidth,
          blocks.last_row * streets.spacing_y + Streets::kHalfWidth};
}

}  // namespace ndt::harness::town
