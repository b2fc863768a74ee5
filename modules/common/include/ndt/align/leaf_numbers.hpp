// The leaf of every point of a cloud, as a whole number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ndt/align/leaf_box.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Numbers as LeafBox has them, or, if the box of all leaves has too many, of the leaves that have points.
class LeafNumbers {
 public:
  /// A cloud of finite points, of which there is at least one. It stays as it is while this is used.
  LeafNumbers(const PointCloud& cloud, double leaf_m);

  /// All numbers are below this.
  std::uint64_t end() const { return end_; }
  /// The most points whose numbers are written at once.
  static constexpr std::size_t kAtOnce = 64;
  /// Writes the numbers of points first, first + 1 ..., and the leaf of each on each axis.
  void write(std::size_t first, std::span<std::uint64_t> numbers, std::span<Vec3<double>> leaves) const;

 private:
  void number_box(const LeafBox& leaves);
  void number_by_sorting();
  /// x, y and z of every point.
  void write_leaves(std::size_t first, std::size_t count, std::int32_t* leaves) const;
  std::int32_t leaf_of(std::size_t coordinate) const;

  const PointCloud* cloud_;
  const float* coordinates_;
  double leaf_m_;
  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> sorted_;  ///< of every point, if the box of all leaves has too many to number

  // The box of all leaves.
  std::int64_t low_[3] = {};
  std::uint64_t size_x_ = 0, size_y_ = 0;
  float leaves_per_m_ = 0, doubt_ = 0;  ///< of estimates; 0: there are none
};

}  // namespace ndt
