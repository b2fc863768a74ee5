#include "ndt/voxel/cell_sums.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "ndt/voxel/near_voxels.hpp"

namespace ndt {
namespace {

/// The points of a map with their cells.
class PointCells {
 public:
  PointCells(const MapPoints& points, double resolution_m)
      : points_(points), inverse_resolution_(1.0F / static_cast<float>(resolution_m)) {}

  std::size_t size() const { return points_.size; }
  /// As cell_of(), of a point within the limits.
  Cell cell(const Point& p) const {
    return {floor_in_limits(p.x * inverse_resolution_), floor_in_limits(p.y * inverse_resolution_),
            floor_in_limits(p.z * inverse_resolution_)};
  }
  /// Calls f(point, cell) for every point, all of which are within the limits.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < points_.size; ++i) {
      const Point p = points_[i];
      f(p, cell(p));
    }
  }
  Point operator[](std::size_t i) const { return points_[i]; }
  /// The smallest and largest coordinates of all points, of which there is at least one.
  std::pair<Point, Point> extent() const {
    if (points_.box.known()) return {points_.shifted(points_.box.low), points_.shifted(points_.box.high)};
    Point low = points_[0], high = low;
    for (std::size_t i = 1; i < points_.size; ++i) {
      const Point p = points_[i];
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    return {low, high};
  }
  bool in_limits(const Point& p) const {
    Cell ignored;
    return cell_of(p, inverse_resolution_, ignored);
  }

 private:
  MapPoints points_;
  float inverse_resolution_;
};

struct Box {
  Cell low, high;
};

/// The box around all points, of which there is at least one. Cells grow with coordinates, so that the cells
/// of the smallest and largest are enough. Throws InputError for the first point outside the limits.
Box box_around(const PointCells& points) {
  const auto [low, high] = points.extent();
  if (!points.in_limits(low) || !points.in_limits(high))
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!points.in_limits(points[i])) refuse_far_point(points[i]);
  return {points.cell(low), points.cell(high)};
}

/// Counts the points by one coordinate of their cells.
class AxisCounts {
 public:
  AxisCounts(int low, int high) : low_(low), counts_(static_cast<std::size_t>(high - low) + 1) {}
  void add(int coordinate) { ++counts_[static_cast<std::size_t>(coordinate - low_)]; }
  /// The coordinate of the point at this place of the sorted ones.
  int at(std::size_t place) const {
    std::size_t c = 0;
    for (std::size_t before = counts_[0]; before <= place; before += counts_[c]) ++c;
    return low_ + static_cast<int>(c);
  }

 private:
  int low_;
  std::vector<std::uint32_t> counts_;
};

/// The box of all points, or the largest box of inner quantiles that has at most max_cells; an empty one if
/// none has.
CellWindow choose_counted(const PointCells& points, std::uint64_t max_cells) {
  const Box box = box_around(points);
  if (const auto whole = window_around(box.low, box.high, max_cells)) return *whole;
  AxisCounts x(box.low.x, box.high.x), y(box.low.y, box.high.y), z(box.low.z, box.high.z);
  points.for_each([&](const Point&, const Cell& c) { x.add(c.x), y.add(c.y), z.add(c.z); });
  for (const double cut : kWindowCuts) {
    const std::size_t first = first_kept(cut, points.size()), last = points.size() - 1 - first;
    if (const auto window = window_around({x.at(first), y.at(first), z.at(first)},
                                          {x.at(last), y.at(last), z.at(last)}, max_cells))
      return *window;
  }
  return {};
}

/// A counting sort by one axis of the keys: the coordinate at `shift`. Points with the same coordinate stay
/// in order. room: as many points.
void sort_by_axis(std::vector<KeyedIndex>& keyed, std::vector<KeyedIndex>& room, int shift) {
  const auto coordinate = [shift](const KeyedIndex& p) { return p.key >> shift & kAxisMask; };
  const auto [low, high] = std::ranges::minmax(keyed, {}, coordinate);
  const std::uint64_t first = coordinate(low);
  std::vector<std::uint32_t> next(coordinate(high) - first + 2);
  for (const KeyedIndex& p : keyed) ++next[coordinate(p) - first + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (const KeyedIndex& p : keyed) room[next[coordinate(p) - first]++] = p;
  keyed.swap(room);
}

/// The points outside the window by key, and by index where keys are equal, because the float32 centroid
/// depends on the cloud order.
std::vector<KeyedIndex> sorted_outside(const PointCells& points, const CellWindow& window, std::size_t n) {
  std::vector<KeyedIndex> keyed;
  keyed.reserve(n);
  std::uint32_t i = 0;
  points.for_each([&](const Point&, const Cell& c) {
    if (std::size_t inside; !window.index_of(c, inside)) keyed.push_back({pack(c), i});
    ++i;
  });
  sort_by_key(keyed);
  return keyed;
}

PointsByCell sorted_by_cell(const PointCells& points) {
  PointsByCell out;
  const std::vector<KeyedIndex> keyed = sorted_outside(points, {}, points.size());
  out.order.reserve(keyed.size());
  for (const KeyedIndex& one : keyed) out.order.push_back(one.index);
  std::uint32_t first = 0;
  for_each_run(keyed, [&](std::span<const KeyedIndex> run) {
    out.cells.push_back({run.front().key, first});
    first += static_cast<std::uint32_t>(run.size());
  });
  out.cells.push_back({0, first});
  return out;
}

/// A counting sort by the number of the cell in a window that holds all points.
PointsByCell counted_by_cell(const PointCells& points, const CellWindow& window) {
  std::vector<std::uint32_t> numbers(points.size()), next(window.cells() + 1);
  std::uint32_t* number = numbers.data();
  points.for_each([&](const Point&, const Cell& c) {
    std::size_t i;
    window.index_of(c, i);
    ++next[i + 1];
    *number++ = static_cast<std::uint32_t>(i);
  });
  PointsByCell out;
  std::size_t i = 0;
  for (unsigned z = 0; z < window.nz; ++z)
    for (unsigned y = 0; y < window.ny; ++y)
      for (unsigned x = 0; x < window.nx; ++x, ++i) {
        if (next[i + 1] > 0)
          out.cells.push_back({pack({window.low.x + static_cast<int>(x), window.low.y + static_cast<int>(y),
                                     window.low.z + static_cast<int>(z)}),
                               next[i]});
        next[i + 1] += next[i];
      }
  out.cells.push_back({0, next[i]});
  out.order.resize(points.size());
  for (std::uint32_t p = 0; p < numbers.size(); ++p) out.order[next[numbers[p]]++] = p;
  return out;
}

class CellSummer {
 public:
  CellSummer(const PointCells& points, double resolution_m, std::uint32_t least, std::uint64_t max_cells)
      : points_(points),
        resolution_m_(resolution_m),
        least_(least),
        window_(choose_counted(points, max_cells)),
        slots_(window_.cells()) {}

  SummedCells sum() {
    const std::size_t outside = count();
    number_counted();
    points_.for_each([&](const Point& p, const Cell& c) {
      std::size_t i;
      if (!window_.index_of(c, i) || slots_[i] == kNone) return;
      add_point(out_.cells[slots_[i]].sums, p, centre_of(c, resolution_m_));
    });
    if (outside > 0) add_outside(outside);
    return std::move(out_);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Counts the points of the window's cells. Returns the number of the others.
  std::size_t count() {
    std::size_t outside = 0, i;
    points_.for_each([&](const Point&, const Cell& c) {
      if (window_.index_of(c, i))
        ++slots_[i];
      else
        ++outside;
    });
    return outside;
  }

  /// Replaces the counts by the places of the cells' sums, in key order, which is the window's.
  void number_counted() {
    const auto enough = std::ranges::count_if(slots_, [&](std::uint32_t n) { return n >= least_; });
    out_.cells.reserve(static_cast<std::size_t>(enough));
    std::size_t i = 0;
    for (int z = 0; z < static_cast<int>(window_.nz); ++z)
      for (int y = 0; y < static_cast<int>(window_.ny); ++y)
        for (int x = 0; x < static_cast<int>(window_.nx); ++x, ++i) {
          const std::uint32_t n = slots_[i];
          out_.occupied += n > 0 ? 1 : 0;
          slots_[i] = n >= least_ ? static_cast<std::uint32_t>(out_.cells.size()) : kNone;
          if (n >= least_)
            out_.cells.push_back({{window_.low.x + x, window_.low.y + y, window_.low.z + z}, {}});
        }
  }

  void add_outside(std::size_t n) {
    const std::vector<KeyedIndex> keyed = sorted_outside(points_, window_, n);
    std::size_t enough = 0;
    for_each_run(keyed, [&](std::span<const KeyedIndex> run) {
      ++out_.occupied;
      enough += run.size() >= least_ ? 1 : 0;
    });
    out_.cells.reserve(out_.cells.size() + enough);
    for_each_run(keyed, [&](std::span<const KeyedIndex> run) {
      if (run.size() < least_) return;
      SummedCell& added = out_.cells.emplace_back(SummedCell{unpack(run.front().key), {}});
      const Vec3<double> reference = centre_of(added.cell, resolution_m_);
      for (const KeyedIndex& one : run) add_point(added.sums, points_[one.index], reference);
    });
    std::ranges::sort(out_.cells, {}, [](const SummedCell& c) { return pack(c.cell); });
  }

  PointCells points_;
  double resolution_m_;
  std::uint32_t least_;
  CellWindow window_;
  std::vector<std::uint32_t> slots_;  // points of each cell, later the place of its sums
  SummedCells out_;
};

}  // namespace

void sort_by_key(std::vector<KeyedIndex>& keyed) {
  if (keyed.empty()) return;
  std::vector<KeyedIndex> room(keyed.size());
  for (const int shift : {0, kAxisBits, 2 * kAxisBits}) sort_by_axis(keyed, room, shift);
}

PointsByCell by_cell(const MapPoints& points, double resolution_m) {
  if (points.size == 0) return {{}, {{0, 0}}};
  const PointCells cells(points, resolution_m);
  const Box box = box_around(cells);
  const auto window = window_around(box.low, box.high, most_counted_cells(points.size));
  return window ? counted_by_cell(cells, *window) : sorted_by_cell(cells);
}

bool finish_cell(const SummedCell& cell, const AlignOptions& options, VoxelStatistics& out) {
  const double start = options.covariance_start == CovarianceStart::identity ? 1.0 : 0.0;
  return finish(cell.sums, centre_of(cell.cell, options.resolution_m), start, options.eigenvalue_ratio, out);
}

SummedCells sum_cells(const MapPoints& points, double resolution_m, int min_points, std::uint64_t max_cells) {
  if (points.size == 0) return {};
  const auto least = static_cast<std::uint32_t>(std::max(min_points, 1));
  return CellSummer(PointCells(points, resolution_m), resolution_m, least, max_cells).sum();
}

}  // namespace ndt
