// Guesses at offsets from the truth, counted and found by position without holding them all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "data/dataset.hpp"
#include "run/presets.hpp"

namespace ndt::harness {

/// Every combination of each grid's offsets, grid after grid; a combination that an earlier grid has is there
/// once.
class GuessGrids {
 public:
  /// At most Limits::kGrids grids, because each is a bit of a mask, and at most Limits::kMeasurements
  /// combinations of each.
  explicit GuessGrids(const std::vector<GuessGrid>& grids);

  std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  /// Returns "x+1_y+0_z+0_yaw-5" and the offset of guess k.
  struct Offset {
    std::string name;
    GuessOffset offset;
  };
  Offset at(std::size_t k) const;

 private:
  static constexpr std::size_t kAxes = 4;
  /// The offsets of one axis: two with the same text are one.
  struct Axis {
    std::vector<double> values;
    std::vector<std::string> texts;
    std::vector<std::uint64_t> holders;  ///< of each, the grids that have it on this axis, one bit a grid
  };
  struct Grid {
    Axis axes[kAxes];
    std::vector<std::uint32_t> own;  ///< combinations that no earlier grid has; empty for the first: all
    std::size_t combinations() const;
  };

  void find_own(std::size_t index);

  std::vector<Grid> grids_;
  std::vector<std::size_t> ends_;  ///< guesses up to and with each grid
};

/// Returns the combinations of a grid, duplicates included, as a number that does not overflow.
double combinations(const GuessGrid& grid);

}  // namespace ndt::harness
