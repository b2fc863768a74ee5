#include "ndt/align/leaf_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
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
  std::size_t point;

  auto operator<=>(const InLeaf&) const = default;
};

}  // namespace

LeafNumbers::LeafNumbers(const PointCloud& cloud, double leaf_m)
    : cloud_(&cloud), coordinates_(&cloud.points.data()->x), leaf_m_(leaf_m) {
  // Neither a sum nor a division puts a larger number before a smaller one.
  const Extent extent = extent_of(coordinates_, 3 * cloud.size());
  const LeafBox box{leaf_at(cloud.origin + extent.low, leaf_m), leaf_at(cloud.origin + extent.high, leaf_m)};
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
  const Vec3<double>& origin = cloud_->origin;
  const bool at_origin = origin.x == 0 && origin.y == 0 && origin.z == 0;
  if (!at_origin || leaves.largest() >= kFarthest) return;
  leaves_per_m_ = static_cast<float>(1 / leaf_m_);
  doubt_ = static_cast<float>(kDoubt * std::max(1.0, leaves.largest()));
}

/// Numbers the leaves that have points.
void LeafNumbers::number_by_sorting() {
  std::vector<InLeaf> points;
  points.reserve(cloud_->size());
  for (std::size_t i = 0; i < cloud_->size(); ++i) {
    const Vec3<double> leaf = leaf_at(cloud_->origin + cast<double>(cloud_->points[i]), leaf_m_);
    points.push_back({leaf.z, leaf.y, leaf.x, i});
  }
  std::ranges::sort(points);
  sorted_.resize(points.size());
  const InLeaf* before = nullptr;
  for (const InLeaf& p : points) {
    const bool same = before && before->z == p.z && before->y == p.y && before->x == p.x;
    end_ += !same;
    sorted_[p.point] = end_ - 1;
    before = &p;
  }
}

/// In the box of all leaves.
std::int32_t LeafNumbers::leaf_of(std::size_t coordinate) const {
  const Vec3<double>& o = cloud_->origin;
  const double origin[3] = {o.x, o.y, o.z};
  const double at = (origin[coordinate % 3] + static_cast<double>(coordinates_[coordinate])) / leaf_m_;
  const auto towards_zero = static_cast<std::int32_t>(at);
  return towards_zero - (static_cast<double>(towards_zero) > at);
}

void LeafNumbers::write_leaves(std::size_t first, std::size_t count, std::int32_t* leaves) const {
  const std::size_t begin = 3 * first, coordinates = 3 * count;
  std::size_t i = 0;
  if (doubt_ > 0)
    for (; i + kGroup <= coordinates; i += kGroup)
      if (!estimate(coordinates_ + begin + i, leaves_per_m_, doubt_, leaves + i))
        for (std::size_t k = i; k < i + kGroup; ++k) leaves[k] = leaf_of(begin + k);
  for (; i < coordinates; ++i) leaves[i] = leaf_of(begin + i);
}

void LeafNumbers::write(std::size_t first, std::span<std::uint64_t> numbers,
                        std::span<Vec3<double>> leaves) const {
  if (!sorted_.empty()) {
    std::copy_n(sorted_.begin() + static_cast<std::ptrdiff_t>(first), numbers.size(), numbers.begin());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      leaves[i] = leaf_at(cloud_->origin + cast<double>(cloud_->points[first + i]), leaf_m_);
    return;
  }
  std::int32_t found[3 * kAtOnce];
  write_leaves(first, numbers.size(), found);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int32_t* const leaf = found + 3 * i;
    const auto from_low = [&](std::size_t axis) {
      return static_cast<std::uint64_t>(leaf[axis] - low_[axis]);
    };
    numbers[i] = (from_low(2) * size_y_ + from_low(1)) * size_x_ + from_low(0);
    leaves[i] = {static_cast<double>(leaf[0]), static_cast<double>(leaf[1]), static_cast<double>(leaf[2])};
  }
}

}  // namespace ndt
