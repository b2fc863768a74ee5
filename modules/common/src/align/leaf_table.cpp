#include "ndt/align/leaf_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace ndt {

void LeafTable::fill(const LeafNumbers& numbers, std::size_t row, const PointRow& points) {
  begin(points.size);
  NumberedPoints numbered;
  for (std::size_t first = 0; first < points.size; first += NumberedPoints::kMost) {
    const std::size_t count = std::min(NumberedPoints::kMost, points.size - first);
    numbers.write(row, first, count, numbered);
    if (leaves_.size() < used_ + 1 + count) leaves_.resize(std::max<std::size_t>(1024, 2 * leaves_.size()));
    add(numbered, {points.points + first, points.times == nullptr ? nullptr : points.times + first, count});
  }
  sort(numbers.end());
}

void LeafTable::begin(std::size_t points) {
  std::fill_n(leaves_.begin(), std::min(used_ + 1, leaves_.size()), GridLeaf{});
  used_ = 0;
  table_.assign(std::bit_ceil(2 * points), 0);
}

/// Avoids a branch on whether a leaf is new, which no processor foresees. leaves_ has room for all leaves.
void LeafTable::add(const NumberedPoints& numbered, const PointRow& points) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio [Knuth, TAOCP 3, 6.4]
  std::uint32_t* const table = table_.data();
  GridLeaf* const leaves = leaves_.data();
  const std::size_t last = table_.size() - 1;
  const int shift = 64 - std::countr_zero(table_.size());
  std::size_t used = used_;
  for (std::size_t k = 0; k < points.size; ++k) {
    const std::uint64_t number = numbered.number[k];
    std::size_t at = number * kGolden >> shift;
    std::size_t place = table[at];
    while (place != 0 && leaves[place].number != number) {
      at = (at + 1) & last;
      place = table[at];
    }
    place = place == 0 ? used + 1 : place;
    used = std::max(used, place);
    table[at] = static_cast<std::uint32_t>(place);
    GridLeaf& leaf = leaves[place];
    leaf.number = number;
    LeafSums& sums = leaf.sums;
    sums.x += numbered.counts[3 * k];
    sums.y += numbered.counts[3 * k + 1];
    sums.z += numbered.counts[3 * k + 2];
    if (points.times != nullptr) {
      sums.any_time_s = points.times[k];
      sums.time_ns += LeafUnits::nanoseconds(points.times[k]);
    }
    ++sums.points;
    sums.any = points.points[k];
  }
  used_ = used;
}

/// Sorts by one digit of eleven bits after the other, the last first [Knuth, TAOCP 3, 5.2.5, algorithm R].
void LeafTable::sort(std::uint64_t end) {
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
