// A level of a pooled grid as host and device read it.
#pragma once

#include <cstdint>

#include "ndt/core/hd.hpp"

namespace ndt::initial_pose {

/// Refers to a PooledGrid::Level, or to its copy on a device.
struct PooledView {
  static constexpr int kFull = 255;      ///< the largest value
  static constexpr int kMostLevels = 8;  ///< levels of a pyramid at most

  int size[3] = {};                      ///< cells in x, y and z
  int offset = 0;                        ///< x and y of the first cell are -offset
  const std::uint8_t* values = nullptr;  ///< x fastest, z slowest; not owned

  /// Cells outside are 0.
  NDT_HD std::uint8_t at(int x, int y, int z) const {
    const auto i = static_cast<unsigned>(x + offset), j = static_cast<unsigned>(y + offset),
               k = static_cast<unsigned>(z);
    if (i >= static_cast<unsigned>(size[0]) || j >= static_cast<unsigned>(size[1]) ||
        k >= static_cast<unsigned>(size[2]))
      return 0;
    return values[index(i, j, k)];
  }
  /// Cells are fewer than 2^32 (PlacePyramid::kMostBytes).
  NDT_HD unsigned index(unsigned i, unsigned j, unsigned k) const {
    return i + static_cast<unsigned>(size[0]) * (j + static_cast<unsigned>(size[1]) * k);
  }
};

}  // namespace ndt::initial_pose
