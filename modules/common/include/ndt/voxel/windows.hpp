// The overlapping windows of Finish::windows: the Gaussian of the 3 x 3 x 3 fine cells around each. A surface
// that passes a cell is then near the middle of the cell's window, and not cut by its faces. Cells with
// points have a window. Where a map is thin, so have empty ones beside them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/voxel.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// Sums over a cell's points, about its centre or another place.
struct Moments {
  double n = 0;
  Vec3<double> sum;
  Sym3<double> second;
};

/// Adds sums that were taken about a place `offset` from that of the total.
NDT_HD inline void add_moved(const Moments& part, const Vec3<double>& offset, Moments& total) {
  const Vec3<double>&s = part.sum, &t = offset;
  const double n = part.n;
  Sym3<double>& to = total.second;
  const Sym3<double>& from = part.second;
  to.xx += from.xx + 2 * s.x * t.x + n * t.x * t.x;
  to.xy += from.xy + s.x * t.y + t.x * s.y + n * t.x * t.y;
  to.xz += from.xz + s.x * t.z + t.x * s.z + n * t.x * t.z;
  to.yy += from.yy + 2 * s.y * t.y + n * t.y * t.y;
  to.yz += from.yz + s.y * t.z + t.y * s.z + n * t.y * t.z;
  to.zz += from.zz + 2 * s.z * t.z + n * t.z * t.z;
  total.sum = total.sum + s + n * t;
  total.n += n;
}

/// The cells of one edge that have points, found by their keys. Cells are relative to that of the map's
/// origin.
struct CellLayer {
  double edge_m = 0;
  std::int64_t origin[3] = {};  ///< cell of the global grid
  Vec3<double> zero;            ///< the map's origin [m]
  const CellEntry* entries = nullptr;
  std::uint64_t mask = 0;         ///< of the entries, a power of two minus 1
  const Moments* sums = nullptr;  ///< about the centres, at CellEntry::first

  /// Map-local position of a cell's centre.
  NDT_HD Vec3<double> centre(const Cell& c) const {
    return Vec3<double>{along(c.x, 0), along(c.y, 1), along(c.z, 2)} - zero;
  }
  /// The cell of the next layer, of twice the edge, that holds a cell.
  NDT_HD Cell parent(const Cell& c) const { return {parent(c.x, 0), parent(c.y, 1), parent(c.z, 2)}; }
  /// Sums of the cells [low, low + size) of every axis, about a place.
  NDT_HD Moments box(const Cell& low, int size, const Vec3<double>& place) const {
    Moments total;
    for (int z = 0; z < size; ++z)
      for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) {
          const Cell cell{low.x + x, low.y + y, low.z + z};
          if (!in_limits(cell)) continue;
          if (const CellEntry* found = find_entry(entries, mask, pack(cell)))
            add_moved(sums[found->first], centre(cell) - place, total);
        }
    return total;
  }
  /// Sums of the 3 x 3 x 3 cells around one, about a place.
  NDT_HD Moments around(const Cell& c, const Vec3<double>& place) const {
    return box({c.x - 1, c.y - 1, c.z - 1}, 3, place);
  }
  NDT_HD bool has_points(const Cell& c) const { return find_entry(entries, mask, pack(c)) != nullptr; }
  /// The lowest of the 8 cells whose parent is this cell of the next layer.
  NDT_HD Cell first_child(const CellLayer& next, const Cell& c) const {
    const auto low = [&](int coordinate, int k) {
      return static_cast<int>(2 * (next.origin[k] + coordinate) - origin[k]);
    };
    return {low(c.x, 0), low(c.y, 1), low(c.z, 2)};
  }
  /// Sums of these 8 cells, about the centre of their parent.
  NDT_HD Moments children(const CellLayer& next, const Cell& c) const {
    return box(first_child(next, c), 2, next.centre(c));
  }
  /// The layer of twice the edge; it has no cells yet.
  CellLayer next() const {
    return {2 * edge_m, {origin[0] >> 1, origin[1] >> 1, origin[2] >> 1}, zero, nullptr, 0, nullptr};
  }

 private:
  NDT_HD double along(int coordinate, int k) const {
    return (static_cast<double>(origin[k] + coordinate) + 0.5) * edge_m;
  }
  NDT_HD int parent(int coordinate, int k) const {
    return static_cast<int>(((origin[k] + coordinate) >> 1) - (origin[k] >> 1));
  }
};

/// The Gaussian of a window, scaled so that its middle variance is 1/2. Its inverse then tells how flat the
/// points lie, and not how far they reach. sums: about `centre`. False if they define none.
NDT_HD inline bool make_window(const Moments& sums, const Vec3<double>& centre, double eigenvalue_ratio,
                               VoxelStatistics& out) {
  constexpr double kLeastMiddle = 0.01;  // of the largest: beyond it, the points form a line
  const double scale = 1 / (sums.n - 1);
  const Vec3<double> mean = (1 / sums.n) * sums.sum;
  const auto entry = [&](double second, double sum, double m) { return (second - sum * m) * scale; };
  const Sym3<double>& s = sums.second;
  const Vec3<double>& sum = sums.sum;
  SymmetricEigen<3> eigen =
      eigen_of({entry(s.xx, sum.x, mean.x), entry(s.xy, sum.x, mean.y), entry(s.xz, sum.x, mean.z),
                entry(s.yy, sum.y, mean.y), entry(s.yz, sum.y, mean.z), entry(s.zz, sum.z, mean.z)});
  double(&values)[3] = eigen.values;
  if (!(values[2] > kSmallestVariance)) return false;
  const double scaled = 0.5 / std::fmax(values[1], kLeastMiddle * values[2]);
  const double lowest = eigenvalue_ratio * values[2] * scaled;
  for (double& value : values) value = std::fmax(value * scaled, lowest);
  if (!(values[0] > 0)) return false;
  out.n = static_cast<int>(sums.n);
  out.mean = centre + mean;
  out.centroid = cast<float>(out.mean);
  out.covariance = with_values(eigen, values[0], values[1], values[2]);
  out.inverse_covariance = with_values(eigen, 1 / values[0], 1 / values[1], 1 / values[2]);
  return true;
}

/// The rule of a window. Where the 3 x 3 x 3 cells have too few points, cells of twice the edge count, then
/// of four times. Cells whose parent has points are asked. An empty one has a window only where the
/// 3 x 3 x 3 have too few points: elsewhere the surface passes cells with points.
struct WindowRule {
  static constexpr int kLayers = 3;
  CellLayer layers[kLayers];  ///< fine to coarse
  int min_points = 0;
  double eigenvalue_ratio = 0;

  /// The window of a cell of the finest layer. False if it has none.
  NDT_HD bool operator()(const Cell& cell, VoxelStatistics& out) const {
    return fit(cell, layers[0].around(cell, layers[0].centre(cell)), out);
  }
  /// Does so from the sums of the finest layer around it.
  NDT_HD bool fit(Cell cell, Moments sums, VoxelStatistics& out) const {
    if (sums.n >= min_points && !layers[0].has_points(cell)) return false;
    const Vec3<double> place = layers[0].centre(cell);
    for (int l = 1;; ++l) {
      if (sums.n >= min_points && make_window(sums, place, eigenvalue_ratio, out)) return true;
      if (l == kLayers) return false;
      cell = layers[l - 1].parent(cell);
      sums = layers[l].around(cell, place);
    }
  }
};

/// The options of the map that windows are: every point sees the window of its own cell.
AlignOptions window_options(const AlignOptions& options);

/// The windows that differ between two maps whose points differ in some boxes only. A window reads the cells
/// of the coarsest layer around its own, and nothing beyond.
class ChangedWindows {
 public:
  /// boxes: of points, not relative to the origin. options: of the map that windows are.
  ChangedWindows(std::span<const PointBox> boxes, const MapOrigin& origin, const AlignOptions& options);

  /// Whether every window may differ, because a box is outside the limits of cells.
  bool all() const { return all_; }
  bool has(const Cell& cell) const { return is_near(cell, 1); }
  /// Whether a point, relative to nothing, is in a cell that one of these windows reads.
  bool reads(const Point& p) const;

 private:
  struct Range {
    std::int64_t low[3], high[3];  // cells of the coarsest layer, of the global grid
  };
  Point local(const Point& p) const { return MapPoints{nullptr, 0, shift_}.shifted(p); }
  std::int64_t coarse(int coordinate, int k) const;
  bool is_near(const Cell& cell, int cells) const;

  MapOrigin origin_;
  Vec3<double> shift_;
  float inverse_edge_;
  std::vector<Range> ranges_;
  bool all_ = false;
};

/// The windows of all cells of edge finish_cell_m() that have one by WindowRule, on the CPU.
class Windows {
 public:
  /// points: relative to the origin. Throws InputError for a point outside the limits of cells.
  Windows(const MapPoints& points, const MapOrigin& origin, const AlignOptions& options);
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  /// Calls f(cell, window) for every cell that has a window, by increasing key. Fits them by
  /// AlignOptions::threads.
  void for_each(const std::function<void(const Cell&, const VoxelStatistics&)>& f) const;
  /// Number of cells that may have a window.
  std::size_t at_most() const { return asked_.size(); }
  /// Number of cells with points.
  std::int64_t occupied() const { return occupied_; }

 private:
  void ask_children();
  void fit(std::size_t first, std::size_t end, VoxelStatistics* out) const;

  /// The memory of a CellLayer.
  struct Layer {
    std::vector<std::uint64_t> keys;  // of the finest layer: increasing
    std::vector<Moments> sums;
    std::vector<CellEntry> entries;

    void enter_keys(CellLayer& view);
  };

  Layer layers_[WindowRule::kLayers];
  WindowRule rule_;
  std::vector<std::uint64_t> asked_;  // increasing
  std::int64_t occupied_ = 0;
  int threads_;
};

}  // namespace ndt
