// Which cells must list a voxel, and which box of cells gets the dense index. Host only: used when a map is built.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// The cells that hold a point nearer than one resolution to a centroid: the 3x3x3 around it less the corners out of reach.
class CandidateCells {
 public:
  explicit CandidateCells(float resolution_m) : resolution_m_(resolution_m) {}

  template <class F>
  void for_each(const Vec3<float>& centroid, F&& f) const {
    const Span x(centroid.x, resolution_m_), y(centroid.y, resolution_m_), z(centroid.z, resolution_m_);
    // The margins in the gaps cover the rounding of cell_of and of the float32 radius test.
    const double reach = resolution_m_ * (1 + 1e-5);
    for (int k = z.first; k <= z.last; ++k)
      for (int j = y.first; j <= y.last; ++j)
        for (int i = x.first; i <= x.last; ++i) {
          const double dx = x.gap(i), dy = y.gap(j), dz = z.gap(k);
          if (dx * dx + dy * dy + dz * dz <= reach * reach) f(Cell{i, j, k});
        }
  }

 private:
  /// Cells of one axis within reach, and the distance from the centroid to each.
  struct Span {
    double centre, edge, margin;
    int first, last;

    Span(float centroid, float resolution_m)
        : centre(centroid), edge(resolution_m), margin(4e-7 * (std::abs(centre) + edge)) {
      const double reach = edge * (1 + 1e-5) + margin;
      first = std::max(static_cast<int>(std::floor((centre - reach) / edge)), -kCellLimit);
      last = std::min(static_cast<int>(std::floor((centre + reach) / edge)), kCellLimit - 1);
    }
    double gap(int cell) const {
      const double low = cell * edge - margin, high = (cell + 1) * edge + margin;
      return centre < low ? low - centre : centre > high ? centre - high : 0.0;
    }
  };

  float resolution_m_;
};

/// Calls f(cell) for the cells that list a voxel under a direct policy: those that have the voxel's own cell among their
/// own (direct1), their own and face neighbours (direct7), or their 3x3x3 (direct27). The relation is symmetric.
template <class F>
void for_each_direct_cell(Neighbours policy, const Cell& own, F&& f) {
  const int largest_offset = policy == Neighbours::direct1 ? 0 : policy == Neighbours::direct7 ? 1 : 3;
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const Cell c{own.x + i, own.y + j, own.z + k};
        if (std::abs(i) + std::abs(j) + std::abs(k) <= largest_offset && in_limits(c)) f(c);
      }
}

/// The box of cells that holds every voxel's reach if that fits the budget; otherwise the box of the inner quantiles that
/// does, so that a few outliers cost a hash probe and not the memory of the space between.
CellWindow choose_window(const std::vector<Cell>& voxels, std::uint64_t max_cells);

}  // namespace ndt
