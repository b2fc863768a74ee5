#include "ndt/initial_pose/place_pyramid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"

namespace ndt::initial_pose {
namespace {

using Level = PooledGrid::Level;

constexpr int kMargin = 1;  // cells around the map's points that have a value too
/// Boxes of the coarsest level along the longer side: few enough to bound all of them for every heading.
constexpr int kCoarsestBoxes = 24;
constexpr int kLevelsLeast = 4;
constexpr int kFootingXy = 2, kFootingZ = 1;  // cells

double coordinate_of(const Vec3<double>& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

struct Extent {
  double low[3], high[3];
};

/// The shortest turn that takes `up` to z [Rodrigues]; nothing if that is where it points.
std::optional<Mat3<double>> levelling(const Vec3<double>& up) {
  const double length = std::hypot(up.x, up.y, up.z);
  if (!std::isfinite(length) || !(length > 0))
    throw std::invalid_argument(
        formatted("place pyramid: up = {:g},{:g},{:g} has no direction; give the direction against gravity",
                  up.x, up.y, up.z));
  const Vec3<double> u = (1 / length) * up;
  if (u.x == 0 && u.y == 0) {
    if (u.z > 0) return std::nullopt;
    return rotation_of(Pose{0, 0, 0, kPi, 0, 0});
  }
  const double tilt = std::atan2(std::hypot(u.x, u.y), u.z), towards = std::atan2(u.y, u.x);
  const auto about_z = [](double angle) { return rotation_of(Pose{0, 0, 0, 0, 0, angle}); };
  return about_z(towards) * rotation_of(Pose{0, 0, 0, 0, -tilt, 0}) * about_z(-towards);
}

template <class F>
void for_each_finite(const PointCloud& cloud, const std::optional<Mat3<double>>& level_from_map, F&& f) {
  for (const Point& point : cloud.points)
    if (is_finite(point)) {
      const Vec3<double> p = cloud.origin + cast<double>(point);
      f(level_from_map ? *level_from_map * p : p);
    }
}

Extent extent_of(const PointCloud& map, const std::optional<Mat3<double>>& level_from_map) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Extent all{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for_each_finite(map, level_from_map, [&](const Vec3<double>& p) {
    for (int i = 0; i < 3; ++i) {
      all.low[i] = std::min(all.low[i], coordinate_of(p, i));
      all.high[i] = std::max(all.high[i], coordinate_of(p, i));
    }
  });
  if (!(all.low[0] <= all.high[0]))
    throw InputError("place pyramid: the map has no finite point; give another map");
  return all;
}

/// Cells along an axis, the margin with them.
double cells_along(const Extent& extent, int axis, double cell_m) {
  return std::floor(extent.high[axis] / cell_m) - std::floor(extent.low[axis] / cell_m) + 1 + 2 * kMargin;
}

int levels_for(double longer_side) {
  int levels = kLevelsLeast;
  while (levels < PooledView::kMostLevels && longer_side / (1 << levels) > kCoarsestBoxes) ++levels;
  return levels;
}

/// Number of bytes of both grids.
double bytes_of(double x, double y, double z) {
  double bytes = 0;
  for (int k = 0; k <= levels_for(std::max(x, y)); ++k) {
    const double more = (1 << k) - 1;
    bytes += 2 * (x + more) * (y + more) * z;
  }
  return bytes;
}

double edge_that_fits(const Extent& extent, double cell_m) {
  const auto along = [&](int axis) { return cells_along(extent, axis, cell_m); };
  while (bytes_of(along(0), along(1), along(2)) > static_cast<double>(PlacePyramid::kMostBytes)) cell_m *= 2;
  return cell_m;
}

Level empty_like(const Level& other) {
  Level level;
  std::copy_n(other.size, 3, level.size);
  level.values.resize(other.values.size());
  return level;
}

template <class F>
void for_each_cell(const Level& level, F&& f) {
  std::size_t i = 0;
  for (int z = 0; z < level.size[2]; ++z)
    for (int y = 0; y < level.size[1]; ++y)
      for (int x = 0; x < level.size[0]; ++x) f(x, y, z, level.values[i++]);
}

/// Calls f(value, offset in x, y, z) for the cells within `reach` that are in the grid.
template <class F>
void for_each_near(Level& level, int x, int y, int z, int reach_xy, int reach_z, F&& f) {
  for (int k = std::max(z - reach_z, 0); k <= std::min(z + reach_z, level.size[2] - 1); ++k)
    for (int j = std::max(y - reach_xy, 0); j <= std::min(y + reach_xy, level.size[1] - 1); ++j)
      for (int i = std::max(x - reach_xy, 0); i <= std::min(x + reach_xy, level.size[0] - 1); ++i)
        f(level.values[level.index(static_cast<unsigned>(i), static_cast<unsigned>(j),
                                   static_cast<unsigned>(k))],
          std::abs(i - x) + std::abs(j - y) + std::abs(k - z));
}

Level with_soft_edges(const Level& occupied) {
  constexpr std::uint8_t kBySteps[] = {PlacePyramid::kFull, 128, 64, 64};
  Level soft = empty_like(occupied);
  for_each_cell(occupied, [&](int x, int y, int z, std::uint8_t value) {
    if (value)
      for_each_near(soft, x, y, z, 1, 1,
                    [&](std::uint8_t& near, int steps) { near = std::max(near, kBySteps[steps]); });
  });
  return soft;
}

Level footing_of(const Level& occupied) {
  Level footing = empty_like(occupied);
  for_each_cell(occupied, [&](int x, int y, int z, std::uint8_t value) {
    if (value && !occupied.at(x, y, z + 1))
      for_each_near(footing, x, y, z, kFootingXy, kFootingZ, [](std::uint8_t& near, int) { near = 1; });
  });
  return footing;
}

std::size_t cells_of(const Level& level) {
  return static_cast<std::size_t>(level.size[0]) * static_cast<std::size_t>(level.size[1]) *
         static_cast<std::size_t>(level.size[2]);
}

/// The level above, which pools two by two of its boxes, without its values.
Level level_above(const Level& below, int half) {
  Level level;
  level.offset = below.offset + half;
  for (int i = 0; i < 3; ++i) level.size[i] = below.size[i] + (i < 2 ? half : 0);
  return level;
}

/// Pools two by two boxes of the level below.
Level pooled(const Level& below, int half) {
  Level level = level_above(below, half);
  level.values.reserve(cells_of(level));
  for (int z = 0; z < level.size[2]; ++z)
    for (int y = -level.offset; y < level.size[1] - level.offset; ++y)
      for (int x = -level.offset; x < level.size[0] - level.offset; ++x)
        level.values.push_back(std::max({below.at(x, y, z), below.at(x + half, y, z),
                                         below.at(x, y + half, z), below.at(x + half, y + half, z)}));
  return level;
}

}  // namespace

PooledGrid::PooledGrid(Level cells, int levels) {
  levels_.push_back(std::move(cells));
  for (int k = 1; k <= levels; ++k) levels_.push_back(pooled(levels_.back(), 1 << (k - 1)));
}

PooledGrid::PooledGrid(const int (&size)[3], int levels,
                       const std::function<void(std::span<std::uint8_t>)>& fill) {
  Level level;
  std::copy_n(size, 3, level.size);
  for (int k = 0; k <= levels; ++k) {
    if (k > 0) level = level_above(levels_.back(), 1 << (k - 1));
    level.values.resize(cells_of(level));
    fill(level.values);
    levels_.push_back(std::move(level));
  }
}

std::uint64_t PooledGrid::bytes() const {
  std::uint64_t bytes = 0;
  for (const Level& level : levels_) bytes += level.values.size();
  return bytes;
}

PlacePyramid::PlacePyramid(const PointCloud& map, double cell_m, const Vec3<double>& up)
    : level_from_map_(levelling(up)) {
  require_within("place-cell", cell_m, kCellBoundsM);
  const Extent extent = extent_of(map, level_from_map_);
  cell_m_ = edge_that_fits(extent, cell_m);
  Level occupied;
  double low[3];
  for (int i = 0; i < 3; ++i) {
    occupied.size[i] = static_cast<int>(cells_along(extent, i, cell_m_));
    low[i] = (std::floor(extent.low[i] / cell_m_) - kMargin) * cell_m_;
  }
  corner_ = {low[0], low[1], low[2]};
  occupied.values.resize(cells_of(occupied));
  for_each_finite(map, level_from_map_, [&](const Vec3<double>& p) {
    const auto cell = [&](int axis) {
      return static_cast<unsigned>(std::floor((coordinate_of(p, axis) - low[axis]) / cell_m_));
    };
    occupied.values[occupied.index(cell(0), cell(1), cell(2))] = 1;
  });
  levels_ = levels_for(std::max(occupied.size[0], occupied.size[1]));
  values_ = PooledGrid(with_soft_edges(occupied), levels_);
  footing_ = PooledGrid(footing_of(occupied), levels_);
}

std::optional<std::uint64_t> PlacePyramid::bytes_of(const Frame& frame) {
  const bool finite = std::isfinite(frame.cell_m + frame.corner.x + frame.corner.y + frame.corner.z);
  if (!finite || !(frame.cell_m >= kCellBoundsM.low)) return std::nullopt;
  if (*std::min_element(frame.size, frame.size + 3) < 1 + 2 * kMargin) return std::nullopt;
  const double bytes = initial_pose::bytes_of(frame.size[0], frame.size[1], frame.size[2]);
  if (bytes > static_cast<double>(kMostBytes)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

PlacePyramid::PlacePyramid(const Frame& frame, const Vec3<double>& up,
                           const std::function<void(std::span<std::uint8_t>)>& fill)
    : cell_m_(frame.cell_m), level_from_map_(levelling(up)), corner_(frame.corner) {
  if (!bytes_of(frame)) throw std::invalid_argument("place pyramid: no map has such cells");
  levels_ = levels_for(std::max(frame.size[0], frame.size[1]));
  values_ = PooledGrid(frame.size, levels_, fill);
  footing_ = PooledGrid(frame.size, levels_, fill);
}

PlacePyramid::Frame PlacePyramid::frame() const {
  Frame frame{cell_m_, corner_, {}};
  std::copy_n(values_.level(0).size, 3, frame.size);
  return frame;
}

Pose PlacePyramid::in_map(const Pose& in_level_map) const {
  if (!level_from_map_) return in_level_map;
  const Mat3<double> map_from_level = transpose(*level_from_map_);
  const Vec3<double> position{in_level_map.x, in_level_map.y, in_level_map.z};
  return principal(
      derivative_pose(make_transform(map_from_level * rotation_of(in_level_map), map_from_level * position)));
}

Vec3<double> PlacePyramid::far_corner() const {
  const Level& cells = values_.level(0);
  return corner_ + cell_m_ * Vec3<double>{static_cast<double>(cells.size[0]),
                                          static_cast<double>(cells.size[1]),
                                          static_cast<double>(cells.size[2])};
}

}  // namespace ndt::initial_pose
