// The filter that leaves one point of every occupied leaf of a grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ndt/align/leaf_numbers.hpp"
#include "ndt/align/leaf_sums.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Keeps its memory from cloud to cloud: 8 to 16 bytes a point of the largest, and 96 to 160 a leaf.
class VoxelGrid {
 public:
  /// Replaces a cloud of finite points by the centroid of every occupied leaf, as offsets from the cloud's
  /// origin, in increasing leaf order, z slowest. Times become their mean. Leaves are those of leaf_at(),
  /// centroids those of leaf_sums.hpp. The cloud keeps its memory.
  void thin(PointCloud& cloud, double leaf_m);

 private:
  /// A line of a cache.
  struct alignas(64) Leaf {
    LeafSums sums;
    std::uint64_t number = 0;
  };
  static_assert(sizeof(Leaf) == 64);
  struct Numbered {
    std::uint64_t number;
    std::uint32_t leaf;
  };

  void begin(std::size_t points);
  void add(const PointCloud& cloud, const LeafNumbers& numbers, const LeafUnits& units);
  void add(std::span<const std::uint64_t> numbers, const Vec3<double>* leaves, const Point* points,
           const float* times, const LeafUnits& units);
  void sort(std::uint64_t end);

  std::vector<std::uint32_t> table_;  ///< a hash table of numbers: places in leaves_ from 1 on, 0 for none
  std::vector<Leaf> leaves_;          ///< the first is of no leaf; those beyond used_ are empty
  std::size_t used_ = 0;
  std::vector<Numbered> order_, sorted_;
};

}  // namespace ndt
