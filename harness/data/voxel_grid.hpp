// The filter that leaves one point of every occupied leaf of a grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/leaf_numbers.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// Keeps its memory from cloud to cloud: 8 to 16 bytes a point of the largest, and 72 to 112 a leaf.
class VoxelGrid {
 public:
  /// Replaces a cloud of finite points by the centroid of every occupied leaf, as offsets from the cloud's
  /// origin, in increasing leaf order, z slowest. A point's leaf is floor(coordinate / leaf_m) per axis, in
  /// double and in the cloud's frame. Points and their times are summed in their order, in double. The cloud
  /// keeps its memory.
  void thin(PointCloud& cloud, double leaf_m);

 private:
  struct Leaf {
    Vec3<double> sum;
    double time_s = 0;  ///< the sum, where points have times
    std::uint64_t number = 0, points = 0;
  };
  struct Numbered {
    std::uint64_t number;
    std::uint32_t leaf;
  };

  void begin(std::size_t points);
  void add(const PointCloud& cloud, const LeafNumbers& numbers);
  void add(std::span<const std::uint64_t> numbers, const Point* points, const float* times);
  void sort(std::uint64_t end);

  std::vector<std::uint32_t> table_;  ///< a hash table of numbers: places in leaves_ from 1 on, 0 for none
  std::vector<Leaf> leaves_;          ///< the first is of no leaf; those beyond used_ are empty
  std::size_t used_ = 0;
  std::vector<Numbered> order_, sorted_;
};

}  // namespace ndt::harness
