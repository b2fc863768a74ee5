#include "ndt/align/leaf_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstring>
#include <utility>

#include "ndt/core/simd.hpp"

namespace ndt {

static_assert(sizeof(Point) == 3 * sizeof(float), "points are read as a row of coordinates");

namespace {

constexpr std::size_t kGroup = 12;  // coordinates of four points: three vectors

struct Extent {
  Vec3<double> low, high;
};

Float4 load(const float* from) {
  Float4 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// The smallest and the largest coordinate on each axis, without the cloud's origin.
Extent extent_of(const float* coordinates, std::size_t count) {
  float low[kGroup], high[kGroup];
  for (std::size_t k = 0; k < kGroup; ++k) low[k] = high[k] = coordinates[k % 3];
  Float4 lows[3], highs[3];
  std::memcpy(lows, low, sizeof low), std::memcpy(highs, high, sizeof high);
  std::size_t i = 0;
  for (; i + kGroup <= count; i += kGroup)
    for (std::size_t k = 0; k < 3; ++k) {
      const Float4 v = load(coordinates + i + 4 * k);
      lows[k] = v < lows[k] ? v : lows[k];
      highs[k] = v > highs[k] ? v : highs[k];
    }
  std::memcpy(low, lows, sizeof low), std::memcpy(high, highs, sizeof high);
  for (; i < count; ++i) {
    low[i % 3] = std::min(low[i % 3], coordinates[i]);
    high[i % 3] = std::max(high[i % 3], coordinates[i]);
  }
  for (std::size_t k = 3; k < kGroup; ++k) {
    low[k % 3] = std::min(low[k % 3], low[k]);
    high[k % 3] = std::max(high[k % 3], high[k]);
  }
  return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/// Leaves of a group by a product in float. Returns false where one is less than `doubt` from the edge of its
/// leaf, so that it may be the next.
bool estimate(const float* coordinates, float leaves_per_m, float doubt, std::int32_t* leaves) {
  Int4 doubtful{};
  for (std::size_t k = 0; k < kGroup; k += 4) {
    const Float4 at = load(coordinates + k) * leaves_per_m;
    Int4 leaf = __builtin_convertvector(at, Int4);       // towards zero
    leaf += __builtin_convertvector(leaf, Float4) > at;  // downwards: true is -1
    const Float4 beyond = at - __builtin_convertvector(leaf, Float4);
    doubtful |= (beyond < doubt) | (beyond > 1 - doubt);
    std::memcpy(leaves + k, &leaf, sizeof leaf);
  }
  return (doubtful[0] | doubtful[1] | doubtful[2] | doubtful[3]) == 0;
}

/// A point and its leaf.
struct InLeaf {
  double z, y, x;
  std::size_t row, point;

  auto operator<=>(const InLeaf&) const = default;
};

const float* coordinates_of(const Point* points) { return &points->x; }

std::size_t size_of(std::span<const PointRow> rows) {
  std::size_t size = 0;
  for (const PointRow& row : rows) size += row.size;
  return size;
}

/// The smallest and the largest coordinate of all rows.
Extent extent_of(std::span<const PointRow> rows, const Workers& workers) {
  std::vector<Extent> extents(rows.size());
  workers.each(rows.size(), [&](std::size_t r) {
    if (rows[r].size > 0) extents[r] = extent_of(coordinates_of(rows[r].points), 3 * rows[r].size);
  });
  Extent all;
  bool first = true;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].size == 0) continue;
    const auto& [low, high] = extents[r];
    if (std::exchange(first, false)) all = extents[r];
    all.low = {std::min(all.low.x, low.x), std::min(all.low.y, low.y), std::min(all.low.z, low.z)};
    all.high = {std::max(all.high.x, high.x), std::max(all.high.y, high.y), std::max(all.high.z, high.z)};
  }
  return all;
}

}  // namespace

LeafNumbers::LeafNumbers(std::span<const PointRow> rows, const Vec3<double>& origin, double leaf_m,
                         const Workers& workers)
    : rows_(rows), leaf_m_(leaf_m), units_(leaf_m, size_of(rows), origin) {
  // Neither a sum nor a division puts a larger number before a smaller one.
  const Extent extent = extent_of(rows, workers);
  const LeafBox box{leaf_at(origin + extent.low, leaf_m), leaf_at(origin + extent.high, leaf_m)};
  if (box.is_numbered())
    number_box(box);
  else
    number_by_sorting();
}

void LeafNumbers::number_box(const LeafBox& leaves) {
  const auto size = [](double low, double high) { return static_cast<std::uint64_t>(high - low + 1); };
  low_[0] = static_cast<std::int64_t>(leaves.low.x), low_[1] = static_cast<std::int64_t>(leaves.low.y),
  low_[2] = static_cast<std::int64_t>(leaves.low.z);
  size_x_ = size(leaves.low.x, leaves.high.x), size_y_ = size(leaves.low.y, leaves.high.y);
  end_ = size_x_ * size_y_ * size(leaves.low.z, leaves.high.z);
  // Two roundings to float move a number of leaves by no more than 2^-23 of it. Farther away most would be
  // in doubt.
  constexpr double kFarthest = 0x1p16, kDoubt = 0x1p-21;
  const Vec3<double>& origin = units_.origin;
  const bool at_origin = origin.x == 0 && origin.y == 0 && origin.z == 0;
  if (!at_origin || leaves.largest() >= kFarthest) return;
  leaves_per_m_ = static_cast<float>(1 / leaf_m_);
  doubt_ = static_cast<float>(kDoubt * std::max(1.0, leaves.largest()));
  plain_units_ = units_.per_m * leaf_m_ < 0x1p50;
}

/// Numbers the leaves that have points.
void LeafNumbers::number_by_sorting() {
  std::vector<InLeaf> points;
  points.reserve(size_of(rows_));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    sorted_.emplace_back(rows_[r].size);
    for (std::size_t i = 0; i < rows_[r].size; ++i) {
      const Vec3<double> leaf = leaf_at(units_.origin + cast<double>(rows_[r].points[i]), leaf_m_);
      points.push_back({leaf.z, leaf.y, leaf.x, r, i});
    }
  }
  std::ranges::sort(points);
  const InLeaf* before = nullptr;
  for (const InLeaf& p : points) {
    const bool same = before && before->z == p.z && before->y == p.y && before->x == p.x;
    end_ += !same;
    sorted_[p.row][p.point] = end_ - 1;
    before = &p;
  }
}

/// In the box of all leaves.
std::int32_t LeafNumbers::leaf_of(float coordinate, std::size_t axis) const {
  const Vec3<double>& o = units_.origin;
  const double origin[3] = {o.x, o.y, o.z};
  const double at = (origin[axis] + static_cast<double>(coordinate)) / leaf_m_;
  const auto towards_zero = static_cast<std::int32_t>(at);
  return towards_zero - (static_cast<double>(towards_zero) > at);
}

void LeafNumbers::find_leaves(const float* coordinates, std::size_t count, std::int32_t* leaves) const {
  std::size_t i = 0;
  if (doubt_ > 0)
    for (; i + kGroup <= count; i += kGroup)
      if (!estimate(coordinates + i, leaves_per_m_, doubt_, leaves + i))
        for (std::size_t k = i; k < i + kGroup; ++k) leaves[k] = leaf_of(coordinates[k], k % 3);
  for (; i < count; ++i) leaves[i] = leaf_of(coordinates[i], i % 3);
}

/// As LeafUnits::count(). With plain units the origin is 0.
void LeafNumbers::count_units(const float* coordinates, std::size_t count, const std::int32_t* leaves,
                              std::int64_t* counts) const {
  if (plain_units_) {
    // A sum with 1.5 times 2^52 has the nearest whole number in its last bits.
    constexpr double kRound = 0x1.8p52;
    for (std::size_t i = 0; i < count; ++i) {
      const double corner = units_.corner(static_cast<double>(leaves[i]), 0);
      const double rounded = (static_cast<double>(coordinates[i]) - corner) * units_.per_m + kRound;
      counts[i] = std::bit_cast<std::int64_t>(rounded) - std::bit_cast<std::int64_t>(kRound);
    }
    return;
  }
  const double origin[3] = {units_.origin.x, units_.origin.y, units_.origin.z};
  for (std::size_t i = 0; i < count; ++i)
    counts[i] = units_.count(coordinates[i], units_.corner(static_cast<double>(leaves[i]), origin[i % 3]));
}

void LeafNumbers::write(std::size_t row, std::size_t first, std::size_t count, NumberedPoints& out) const {
  const Point* const points = rows_[row].points + first;
  if (!sorted_.empty()) {
    std::copy_n(sorted_[row].begin() + static_cast<std::ptrdiff_t>(first), count, out.number);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3<double> at = leaf_at(units_.origin + cast<double>(points[i]), leaf_m_);
      out.counts[3 * i] = units_.count(points[i].x, units_.corner(at.x, units_.origin.x));
      out.counts[3 * i + 1] = units_.count(points[i].y, units_.corner(at.y, units_.origin.y));
      out.counts[3 * i + 2] = units_.count(points[i].z, units_.corner(at.z, units_.origin.z));
    }
    return;
  }
  std::int32_t leaves[3 * NumberedPoints::kMost];
  find_leaves(coordinates_of(points), 3 * count, leaves);
  count_units(coordinates_of(points), 3 * count, leaves, out.counts);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t* const leaf = leaves + 3 * i;
    const auto from_low = [&](std::size_t axis) {
      return static_cast<std::uint64_t>(leaf[axis] - low_[axis]);
    };
    out.number[i] = (from_low(2) * size_y_ + from_low(1)) * size_x_ + from_low(0);
  }
}

}  // namespace ndt
