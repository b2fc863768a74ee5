#include "ndt/voxel/voxel_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ndt/align/precision.hpp"
#include "ndt/core/error.hpp"
#include "ndt/voxel/candidate_cells.hpp"

namespace ndt {
namespace {

constexpr double kOriginThreshold_m = 1000;  // float32 resolves 0.06 mm there

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Voxel of the median coordinate on each axis: one outlier cannot move it. Zero near the global origin.
void choose_origin(const PointCloud& map, double resolution_m, std::int64_t cell[3]) {
  const FinitePoints finite =
      finite_points(map, map.origin);  // offsets from the cloud's own origin: nothing is rounded
  const double base[3] = {map.origin.x, map.origin.y, map.origin.z};
  double centre[3];
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    values.reserve(finite.points.size());
    for (const Point& p : finite.points) values.push_back(axis == 0 ? p.x : axis == 1 ? p.y : p.z);
    centre[axis] = base[axis] + median(std::move(values));
  }
  const bool far = std::max({std::abs(centre[0]), std::abs(centre[1]), std::abs(centre[2])}) >= kOriginThreshold_m;
  for (int axis = 0; axis < 3; ++axis)
    cell[axis] = far ? static_cast<std::int64_t>(std::floor(centre[axis] / resolution_m)) : 0;
}

struct KeyedPoint {
  std::uint64_t key;
  std::uint32_t index;
};

std::vector<KeyedPoint> sorted_keys(const std::vector<Point>& points, float inverse_resolution) {
  std::vector<KeyedPoint> keyed(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Cell cell;
    if (!cell_of(points[i], inverse_resolution, cell))
      throw InputError(
          fmt::format("set_map: a point at ({}, {}, {}) m from the map origin is more than {} voxels away from it; "
                      "remove outliers or "
                      "choose a larger resolution",
                      points[i].x, points[i].y, points[i].z, kCellLimit));
    keyed[i] = {pack(cell), static_cast<std::uint32_t>(i)};
  }
  // Ties by index: the float32 centroid depends on the cloud order.
  std::sort(keyed.begin(), keyed.end(), [](const KeyedPoint& a, const KeyedPoint& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  return keyed;
}

Vec3<double> centre_of(const Cell& c, double resolution_m) {
  return {(c.x + 0.5) * resolution_m, (c.y + 0.5) * resolution_m, (c.z + 0.5) * resolution_m};
}

[[noreturn]] void refuse_so_many_voxels(std::int64_t limit, double resolution_m) {
  throw InputError(fmt::format(
      "set_map: more than {} voxels of {} m have enough points; choose a larger resolution or a smaller map", limit,
      resolution_m));
}

}  // namespace

VoxelMap::VoxelMap(const PointCloud& map, const AlignOptions& options, const VoxelMapLimits& limits)
    : resolution_m_(options.resolution_m), neighbours_(options.neighbours) {
  require_map_precision(map, options);
  choose_origin(map, resolution_m_, origin_cell_);
  info_.origin = {static_cast<double>(origin_cell_[0]) * resolution_m_,
                  static_cast<double>(origin_cell_[1]) * resolution_m_,
                  static_cast<double>(origin_cell_[2]) * resolution_m_};
  const FinitePoints finite = finite_points(map, info_.origin);
  info_.points = static_cast<std::int64_t>(finite.points.size());
  info_.dropped_points = finite.dropped;

  const double start = options.covariance_start == CovarianceStart::identity ? 1.0 : 0.0;
  const std::vector<KeyedPoint> keyed = sorted_keys(finite.points, 1.0F / static_cast<float>(resolution_m_));
  std::int64_t occupied = 0;
  for (std::size_t i = 0; i < keyed.size();) {
    const std::uint64_t key = keyed[i].key;
    const Cell cell = unpack(key);
    const Vec3<double> reference = centre_of(cell, resolution_m_);
    VoxelSums sums;
    for (; i < keyed.size() && keyed[i].key == key; ++i) add_point(sums, finite.points[keyed[i].index], reference);
    ++occupied;
    VoxelStatistics statistics;
    if (sums.n < options.min_points || !finish(sums, reference, start, options.eigenvalue_ratio, statistics)) continue;
    if (static_cast<std::int64_t>(voxels_.size()) >= limits.voxels) refuse_so_many_voxels(limits.voxels, resolution_m_);
    cells_.push_back(cell);
    statistics_.push_back(statistics);
    voxels_.push_back(to_voxel(statistics));
    surfaces_.push_back(statistics.surface);
  }
  info_.voxels = static_cast<std::int64_t>(voxels_.size());
  if (voxels_.empty()) throw_no_valid_voxel(info_, occupied, options);
  index_candidates(limits);
}

void VoxelMap::index_candidates(const VoxelMapLimits& limits) {
  const CandidateCells reach(static_cast<float>(resolution_m_));
  const auto for_each_listing_cell = [&](std::uint32_t v, auto&& f) {
    if (neighbours_ == Neighbours::radius)
      reach.for_each(voxels_[v].centroid, f);
    else
      for_each_direct_cell(neighbours_, cells_[v], f);
  };
  window_ = choose_window(cells_, limits.window_cells);
  const auto inside = [&](const Cell& c, std::size_t& i) {
    const unsigned x = static_cast<unsigned>(c.x - window_.low.x), y = static_cast<unsigned>(c.y - window_.low.y),
                   z = static_cast<unsigned>(c.z - window_.low.z);
    i = (static_cast<std::size_t>(z) * window_.ny + y) * window_.nx + x;
    return x < window_.nx && y < window_.ny && z < window_.nz;
  };

  // Counting sort by cell inside the window, by key outside. Voxels come in key order, so every list is in that order too.
  starts_.assign(static_cast<std::size_t>(window_.nx) * window_.ny * window_.nz + 1, 0);
  std::vector<KeyedPoint> beyond;
  for (std::uint32_t v = 0; v < voxels_.size(); ++v)
    for_each_listing_cell(v, [&](const Cell& c) {
      std::size_t i;
      if (inside(c, i))
        ++starts_[i + 1];
      else
        beyond.push_back({pack(c), v});
    });
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  candidates_.resize(starts_.back() + beyond.size() + kCandidatePadding);
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t v = 0; v < voxels_.size(); ++v)
    for_each_listing_cell(v, [&](const Cell& c) {
      std::size_t i;
      if (inside(c, i)) candidates_[next[i]++] = {voxels_[v].centroid, v};
    });

  if (beyond.empty()) return;
  std::stable_sort(beyond.begin(), beyond.end(),
                   [](const KeyedPoint& a, const KeyedPoint& b) { return a.key < b.key; });
  std::size_t capacity = 2;
  while (capacity < 2 * beyond.size()) capacity *= 2;
  outside_.assign(capacity, {});
  std::uint32_t at = starts_.back();
  for (std::size_t i = 0; i < beyond.size();) {
    CellEntry entry{beyond[i].key, at, 0};
    for (; i < beyond.size() && beyond[i].key == entry.key; ++i, ++entry.count)
      candidates_[at++] = {voxels_[beyond[i].index].centroid, beyond[i].index};
    std::size_t slot = hash_key(entry.key) & (capacity - 1);
    while (outside_[slot].key != CellEntry::kNoKey) slot = (slot + 1) & (capacity - 1);
    outside_[slot] = entry;
  }
}

VoxelMapView VoxelMap::view() const {
  VoxelMapView view;
  view.voxels = voxels_.data();
  view.candidates = candidates_.data();
  view.window = window_;
  view.window.starts = starts_.data();
  view.outside = outside_.empty() ? nullptr : outside_.data();
  view.outside_mask = outside_.empty() ? 0 : outside_.size() - 1;
  view.voxel_count = static_cast<int>(voxels_.size());
  view.inverse_resolution = 1.0F / static_cast<float>(resolution_m_);
  view.squared_radius = neighbours_ == Neighbours::radius ? static_cast<float>(resolution_m_ * resolution_m_)
                                                          : std::numeric_limits<float>::infinity();
  return view;
}

std::vector<VoxelRow> VoxelMap::rows() const {
  std::vector<VoxelRow> rows;
  rows.reserve(voxels_.size());
  for (std::size_t i = 0; i < voxels_.size(); ++i) {
    const VoxelStatistics& s = statistics_[i];
    const Cell& c = cells_[i];
    rows.push_back({{c.x + origin_cell_[0], c.y + origin_cell_[1], c.z + origin_cell_[2]},
                    s.n,
                    cast<double>(s.centroid) + info_.origin,
                    s.mean + info_.origin,
                    s.covariance,
                    s.inverse_covariance});
  }
  return rows;
}

}  // namespace ndt
