#include "ndt/initial_pose/scan_sketch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

namespace ndt::initial_pose {
namespace {

using Points = std::vector<Vec3<double>>;

constexpr double kEdgeGrowth = 1.2;
constexpr double kFarthestM = 10000;  // farther points are no measurements, and their cells no integers
constexpr double kLayerM = 0.2, kNearM = 25;
constexpr double kLeastShare = 0.05;  // of the near cells, in the ground's layer

double horizontal_range(const Vec3<double>& p) { return std::hypot(p.x, p.y); }

using Cell = std::array<long, 3>;

/// Cells in a table of twice their number; a taken place sends the next one on.
class CellSet {
 public:
  explicit CellSet(std::size_t most) : places_(std::bit_ceil(2 * most + 1), kNone) {}

  /// False if it is there already.
  bool insert(const Cell& cell) {
    std::size_t at = hash(cell) & (places_.size() - 1);
    for (; places_[at] != kNone; at = (at + 1) & (places_.size() - 1))
      if (cells_[places_[at]] == cell) return false;
    places_[at] = cells_.size();
    cells_.push_back(cell);
    return true;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static std::size_t hash(const Cell& cell) {
    std::uint64_t mixed = 0;
    for (const long part : cell) {
      mixed = (mixed ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U;
      mixed ^= mixed >> 32;
    }
    return mixed;
  }

  std::vector<std::size_t> places_;
  std::vector<Cell> cells_;
};

/// The first point of each cell, in their order.
Points thinned(const Points& points, double edge_m) {
  CellSet taken(points.size());
  Points first;
  const auto cell = [&](double coordinate) { return static_cast<long>(std::floor(coordinate / edge_m)); };
  for (const Vec3<double>& p : points)
    if (taken.insert({cell(p.x), cell(p.y), cell(p.z)})) first.push_back(p);
  return first;
}

Points levelled(const PointCloud& scan, const Mat3<double>& level_from_scan) {
  Points points;
  points.reserve(scan.size());
  for (const Point& offset : scan.points) {
    const Vec3<double> p = level_from_scan * (scan.origin + cast<double>(offset));
    if (std::hypot(p.x, p.y, p.z) < kFarthestM) points.push_back(p);
  }
  return points;
}

std::optional<double> ground_below(const Points& cells) {
  std::map<long, int> layers;  // by depth
  int near = 0;
  for (const Vec3<double>& p : cells) {
    if (horizontal_range(p) > kNearM) continue;
    ++near;
    if (p.z < 0) ++layers[static_cast<long>(std::floor(-p.z / kLayerM))];
  }
  const auto fullest = std::max_element(layers.begin(), layers.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  if (fullest == layers.end() || fullest->second < kLeastShare * near) return std::nullopt;
  return (static_cast<double>(fullest->first) + 0.5) * kLayerM;
}

/// Flat ground fits everywhere and tells no place from another. Nothing is left out where little else is.
Points without_ground(const Points& points, double ground_below_m, double cell_m) {
  Points rest;
  for (const Vec3<double>& p : points)
    if (std::fabs(p.z + ground_below_m) > cell_m / 2) rest.push_back(p);
  return rest.size() < ScanSketch::kMostPoints / 4 ? points : rest;
}

double reach_of(const Points& points) {
  std::vector<double> ranges;
  for (const Vec3<double>& p : points) ranges.push_back(horizontal_range(p));
  if (ranges.empty()) return 0;
  const auto at = ranges.begin() + static_cast<std::ptrdiff_t>(ranges.size() * 9 / 10);
  std::nth_element(ranges.begin(), at, ranges.end());
  return *at;
}

}  // namespace

ScanSketch sketch_of(const PointCloud& scan, const Mat3<double>& level_from_scan, double cell_m) {
  ScanSketch sketch;
  Points left = thinned(levelled(scan, level_from_scan), cell_m);
  sketch.ground_below_m = ground_below(left);
  if (sketch.ground_below_m) left = without_ground(left, *sketch.ground_below_m, cell_m);
  for (double edge = cell_m; left.size() > ScanSketch::kMostPoints; left = thinned(left, edge))
    edge *= kEdgeGrowth;
  sketch.reach_m = reach_of(left);
  sketch.points = std::move(left);
  return sketch;
}

}  // namespace ndt::initial_pose
