#include "ndt/edge/point_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ndt {
namespace {

constexpr float kCellM = 4;
constexpr int kBits = 5;  // of a cell's number along an axis

std::uint32_t cell_number(float coordinate) {
  constexpr float kHalf = 1 << (kBits - 1);
  return static_cast<std::uint32_t>(std::clamp(std::floor(coordinate / kCellM) + kHalf, 0.0F, 2 * kHalf - 1));
}

/// Puts two zero bits between the bits of a cell's number.
std::uint32_t spread(std::uint32_t number) {
  std::uint32_t out = 0;
  for (int bit = 0; bit < kBits; ++bit) out |= (number >> bit & 1U) << (3 * bit);
  return out;
}

std::uint32_t morton_code(const Point& p) {
  static const auto spread_of = [] {
    std::array<std::uint32_t, 1 << kBits> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) table[i] = spread(i);
    return table;
  }();
  return spread_of[cell_number(p.x)] | spread_of[cell_number(p.y)] << 1 | spread_of[cell_number(p.z)] << 2;
}

}  // namespace

void PointOrder::arrange(std::span<Point> points) {
  constexpr std::uint32_t kDigit = 256;  // a code has two of them
  entries_.resize(points.size()), sorted_.resize(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) entries_[i] = {morton_code(points[i]), i};
  for (const int shift : {0, 8}) {
    std::array<std::uint32_t, kDigit + 1> begin{};
    for (const Entry& entry : entries_) ++begin[(entry.key >> shift) % kDigit + 1];
    for (std::uint32_t digit = 0; digit < kDigit; ++digit) begin[digit + 1] += begin[digit];
    for (const Entry& entry : entries_) sorted_[begin[(entry.key >> shift) % kDigit]++] = entry;
    entries_.swap(sorted_);
  }
  points_.assign(points.begin(), points.end());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = points_[entries_[i].index];
}

void PointOrder::restore(std::span<float> values) const {
  const std::vector<float> arranged(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) values[entries_[i].index] = arranged[i];
}

}  // namespace ndt
