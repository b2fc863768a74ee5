// The cells that must list a voxel, and the box of cells with a dense index. Only builders of a map need
// them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// Most cells of the dense window (4 bytes each). Voxels beyond it are found through a hash.
inline constexpr std::uint64_t kWindowCells = 1ULL << 24;

/// The cells that hold a point nearer than one resolution to a centroid: the 3x3x3 around it without the
/// corners out of reach.
class CandidateCells {
 public:
  NDT_HD explicit CandidateCells(float resolution_m) : resolution_m_(resolution_m) {}

  /// Calls f(cell) for every cell: alone, each axis' gaps are squared once.
  template <class F>
  NDT_BODY void for_each(const Vec3<float>& centroid, const SingleLane&, F&& f) const {
    const Span x(centroid.x, resolution_m_), y(centroid.y, resolution_m_), z(centroid.z, resolution_m_);
    const double reach = resolution_m_ * (1 + 1e-5);
    const auto squared = [](double gap) { return gap * gap; };
    double xx[Span::kMost];
    for (int i = 0; i <= x.last - x.first; ++i) xx[i] = squared(x.gap(x.first + i));
    for (Cell c{0, 0, z.first}; c.z <= z.last; ++c.z) {
      const double zz = squared(z.gap(c.z));
      for (c.y = y.first; c.y <= y.last; ++c.y) {
        const double yy = squared(y.gap(c.y));
        for (c.x = x.first; c.x <= x.last; ++c.x)
          if (xx[c.x - x.first] + yy + zz <= reach * reach) f(c);
      }
    }
  }
  /// Calls f(cell); the lanes share the cells.
  template <class Lanes, class F>
  NDT_BODY void for_each(const Vec3<float>& centroid, const Lanes& lanes, F&& f) const {
    const Span x(centroid.x, resolution_m_), y(centroid.y, resolution_m_), z(centroid.z, resolution_m_);
    // The margins in the gaps cover the rounding of cell_of and of the float32 radius test.
    const double reach = resolution_m_ * (1 + 1e-5);
    Cell c{x.first, y.first, z.first};
    const int row = x.last - x.first + 1;
    const auto advance = [&](int cells) {
      for (c.x += cells; c.x > x.last; c.x -= row)
        if (++c.y > y.last) c.y = y.first, ++c.z;
    };
    // The lanes look at their cells at the same time: a warp whose lanes took turns would do so one by one.
    for (advance(lanes.rank()); c.z <= z.last; advance(lanes.width())) {
      const double dx = x.gap(c.x), dy = y.gap(c.y), dz = z.gap(c.z);
      if (dx * dx + dy * dy + dz * dz <= reach * reach) f(c);
    }
  }

 private:
  /// Cells of one axis within reach, and the distance from the centroid to each.
  struct Span {
    static constexpr int kMost = 5;  // one on either side, and another for the margin
    double centre, edge, margin;
    int first, last;

    NDT_HD Span(float centroid, float resolution_m)
        : centre(centroid), edge(resolution_m), margin(4e-7 * (std::fabs(centre) + edge)) {
      const double reach = edge * (1 + 1e-5) + margin;
      first = static_cast<int>(std::floor((centre - reach) / edge));
      last = static_cast<int>(std::floor((centre + reach) / edge));
      if (first < -kCellLimit) first = -kCellLimit;
      if (last > kCellLimit - 1) last = kCellLimit - 1;
    }
    NDT_HD double gap(int cell) const {
      const double low = cell * edge - margin, high = (cell + 1) * edge + margin;
      return centre < low ? low - centre : centre > high ? centre - high : 0.0;
    }
  };

  float resolution_m_;
};

/// Calls f(cell) for the cells that list a voxel under a direct policy: those that have the voxel's own cell
/// among their own (direct1), their own and face neighbours (direct7), or their 3x3x3 (direct27). The
/// relation is symmetric.
template <class Lanes, class F>
NDT_BODY void for_each_direct_cell(Neighbours policy, const Cell& own, const Lanes& lanes, F&& f) {
  if (policy == Neighbours::direct1) {
    if (lanes.rank() == 0) f(own);
    return;
  }
  const int largest_offset = policy == Neighbours::direct7 ? 1 : 3;
  for (int turn = lanes.rank(); turn < 27; turn += lanes.width()) {
    const int i = turn % 3 - 1, j = turn / 3 % 3 - 1, k = turn / 9 - 1;
    const Cell c{own.x + i, own.y + j, own.z + k};
    if (i * i + j * j + k * k <= largest_offset && in_limits(c)) f(c);
  }
}

/// Calls f(cell) for every cell that lists a voxel; the lanes share the cells.
struct ListingCells {
  Neighbours policy = Neighbours::radius;
  float resolution_m = 0;

  template <class Lanes, class F>
  NDT_BODY void for_each(const Cell& own, const Vec3<float>& centroid, const Lanes& lanes, F&& f) const {
    if (policy == Neighbours::radius)
      CandidateCells(resolution_m).for_each(centroid, lanes, f);
    else
      for_each_direct_cell(policy, own, lanes, f);
  }
};

/// A point or a voxel on its way to its place among the keys.
struct KeyedIndex {
  std::uint64_t key;
  std::uint32_t index;
};

/// Shares of the voxels' coordinates that the window leaves out at either end of every axis. The first that
/// fits is taken, so a few outliers cost a hash probe and not the memory of the space between.
inline constexpr double kWindowCuts[] = {0.0, 0.0005, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5};

/// Index of the first of n sorted coordinates (n >= 1) that a cut keeps; the cut leaves out as many at the
/// end.
inline std::size_t first_kept(double cut, std::size_t n) {
  return static_cast<std::size_t>(cut * static_cast<double>(n - 1));
}

/// Size of the hash for so many entries outside the window: a power of two, at least twice as many; 0 for
/// none.
inline std::uint64_t hash_slots(std::uint64_t entries) {
  return entries == 0 ? 0 : std::bit_ceil(2 * entries);
}

/// Cells around the voxels on every side of the window: they reach no farther.
inline constexpr int kWindowBorder = 2;

/// The box between two cells with a border for the voxels' reach; nothing if it exceeds the budget.
std::optional<CellWindow> window_around(const Cell& low, const Cell& high, std::uint64_t max_cells);

/// The box of cells that holds every voxel's reach; nothing if it exceeds the budget.
std::optional<CellWindow> window_of_all(const std::vector<Cell>& voxels, std::uint64_t max_cells);

/// The box of cells that holds every voxel's reach if it fits the budget; otherwise the largest box of inner
/// quantiles that fits; an empty box if none fits.
CellWindow choose_window(const std::vector<Cell>& voxels, std::uint64_t max_cells);

}  // namespace ndt
