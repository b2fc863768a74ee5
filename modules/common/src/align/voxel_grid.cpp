#include "ndt/align/voxel_grid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace ndt {

void VoxelGrid::thin(PointCloud& cloud, double leaf_m) {
  if (cloud.size() == 0) return;
  const LeafNumbers numbers(cloud, leaf_m);
  const LeafUnits units(leaf_m, cloud.size(), cloud.origin);
  begin(cloud.size());
  add(cloud, numbers, units);
  sort(numbers.end());
  auto centroid = cloud.points.begin();  // there are no more leaves than points, and all of these are summed
  auto time = cloud.times.begin();
  const bool timed = cloud.times.size() == cloud.size();
  for (const Numbered& one : order_) {
    const Leaf& leaf = leaves_[one.leaf];
    if (timed) *time++ = time_of(leaf.sums);
    const Vec3<double> at = leaf_at(cloud.origin + cast<double>(leaf.sums.any), leaf_m);
    *centroid++ = centroid_of(leaf.sums, at, units);
  }
  cloud.points.resize(order_.size());
  cloud.times.resize(timed ? order_.size() : 0);
}

void VoxelGrid::begin(std::size_t points) {
  std::fill_n(leaves_.begin(), std::min(used_ + 1, leaves_.size()), Leaf{});
  used_ = 0;
  table_.assign(std::bit_ceil(2 * points), 0);
}

void VoxelGrid::add(const PointCloud& cloud, const LeafNumbers& numbers, const LeafUnits& units) {
  std::array<std::uint64_t, LeafNumbers::kAtOnce> room;
  std::array<Vec3<double>, LeafNumbers::kAtOnce> leaves;
  for (std::size_t first = 0; first < cloud.size(); first += room.size()) {
    const std::size_t count = std::min(room.size(), cloud.size() - first);
    numbers.write(first, {room.data(), count}, {leaves.data(), count});
    if (leaves_.size() < used_ + 1 + count) leaves_.resize(std::max<std::size_t>(1024, 2 * leaves_.size()));
    const bool timed = cloud.times.size() == cloud.size();
    add({room.data(), count}, leaves.data(), cloud.points.data() + first,
        timed ? cloud.times.data() + first : nullptr, units);
  }
}

/// Avoids a branch on whether a leaf is new, which no processor foresees. leaves_ has room for all leaves.
void VoxelGrid::add(std::span<const std::uint64_t> numbers, const Vec3<double>* at_leaf, const Point* points,
                    const float* times, const LeafUnits& units) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio [Knuth, TAOCP 3, 6.4]
  std::uint32_t* const table = table_.data();
  Leaf* const leaves = leaves_.data();
  const std::size_t last = table_.size() - 1;
  const int shift = 64 - std::countr_zero(table_.size());
  std::size_t used = used_;
  for (const std::uint64_t number : numbers) {
    std::size_t at = number * kGolden >> shift;
    std::size_t place = table[at];
    while (place != 0 && leaves[place].number != number) {
      at = (at + 1) & last;
      place = table[at];
    }
    place = place == 0 ? used + 1 : place;
    used = std::max(used, place);
    table[at] = static_cast<std::uint32_t>(place);
    Leaf& leaf = leaves[place];
    leaf.number = number;
    const Vec3<double>& on_axes = *at_leaf++;
    LeafSums& sums = leaf.sums;
    const Point p = *points++;
    sums.x += units.count(p.x, units.corner(on_axes.x, units.origin.x));
    sums.y += units.count(p.y, units.corner(on_axes.y, units.origin.y));
    sums.z += units.count(p.z, units.corner(on_axes.z, units.origin.z));
    if (times != nullptr) sums.any_time_s = *times, sums.time_ns += LeafUnits::nanoseconds(*times++);
    ++sums.points;
    sums.any = p;
  }
  used_ = used;
}

/// Sorts by one digit of eleven bits after the other, the last first [Knuth, TAOCP 3, 5.2.5, algorithm R].
void VoxelGrid::sort(std::uint64_t end) {
  constexpr int kBits = 11;
  constexpr std::uint64_t kDigit = (1u << kBits) - 1;
  order_.resize(used_), sorted_.resize(used_);
  for (std::uint32_t k = 0; k < used_; ++k) order_[k] = {leaves_[k + 1].number, k + 1};
  for (int shift = 0; (end - 1) >> shift != 0; shift += kBits) {  // at most 53 bits
    std::array<std::uint32_t, kDigit + 2> start{};
    for (const Numbered& one : order_) ++start[(one.number >> shift & kDigit) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (const Numbered& one : order_) sorted_[start[one.number >> shift & kDigit]++] = one;
    order_.swap(sorted_);
  }
}

}  // namespace ndt
