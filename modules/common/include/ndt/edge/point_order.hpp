// Points in an order in which neighbours in the array are neighbours in space, so that the threads of a warp
// read the same voxels and have about as many of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt {

class PointOrder {
 public:
  /// Sorts the points along a Morton curve through cells of 4 m in their own frame; points of a cell keep
  /// their order. Points farther than 64 m along an axis count as in the outermost cells.
  void arrange(std::span<Point> points);
  /// Brings values of arranged points, one each, into the order that the points had before.
  void restore(std::span<float> values) const;

 private:
  struct Entry {
    std::uint32_t key, index;
  };
  std::vector<Entry> entries_, sorted_;  ///< entries_[i].index: where the i-th point was
  std::vector<Point> points_;
};

}  // namespace ndt
