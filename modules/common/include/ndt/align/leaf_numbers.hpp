// The leaf of every point of a cloud, as a whole number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ndt/align/leaf_box.hpp"
#include "ndt/align/leaf_sums.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/core/workers.hpp"

namespace ndt {

/// A part of a cloud: finite points in a row.
struct PointRow {
  const Point* points = nullptr;
  const float* times = nullptr;  ///< of the points, or null
  std::size_t size = 0;
};

/// Points as the sums of their leaves need them.
struct NumberedPoints {
  static constexpr std::size_t kMost = 64;

  std::uint64_t number[kMost];     ///< of the leaf, see LeafNumbers
  std::int64_t counts[3 * kMost];  ///< x, y and z from the leaf's corner, in units
};

/// Numbers as LeafBox has them, or, if the box of all leaves has too many, of the leaves that have points.
class LeafNumbers {
 public:
  /// All points of the rows together are a cloud with at least one point. They stay as they are while this is
  /// used.
  LeafNumbers(std::span<const PointRow> rows, const Vec3<double>& origin, double leaf_m,
              const Workers& workers);

  /// All numbers are below this.
  std::uint64_t end() const { return end_; }
  const LeafUnits& units() const { return units_; }
  /// Writes points first, first + 1 ... of a row, at most NumberedPoints::kMost.
  void write(std::size_t row, std::size_t first, std::size_t count, NumberedPoints& out) const;

 private:
  void number_box(const LeafBox& leaves);
  void number_by_sorting();
  std::int32_t leaf_of(float coordinate, std::size_t axis) const;
  void find_leaves(const float* coordinates, std::size_t count, std::int32_t* leaves) const;
  void count_units(const float* coordinates, std::size_t count, const std::int32_t* leaves,
                   std::int64_t* counts) const;

  std::span<const PointRow> rows_;
  double leaf_m_;
  LeafUnits units_;
  std::uint64_t end_ = 0;
  /// The numbers of every row's points, if the box of all leaves has too many.
  std::vector<std::vector<std::uint64_t>> sorted_;

  // The box of all leaves.
  std::int64_t low_[3] = {};
  std::uint64_t size_x_ = 0, size_y_ = 0;
  float leaves_per_m_ = 0, doubt_ = 0;  ///< of estimates; 0: there are none
  bool plain_units_ = false;            ///< all corners are fine, and counts have fewer than 51 bits
};

}  // namespace ndt
