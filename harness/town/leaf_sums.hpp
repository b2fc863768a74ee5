// A map filtered as it grows: the points of every occupied cube, summed in whole millimetres, so that neither
// the order of the points nor how they were split changes a bit.
#pragma once

#include <cstdint>
#include <vector>

#include "town/exact.hpp"

namespace ndt::harness::town {

/// The sum of some points in one cube.
struct Leaf {
  std::uint64_t key = 0;                          ///< of the cube, ordered by z, then y, then x
  std::uint32_t points = 0, x = 0, y = 0, z = 0;  ///< sums of the offsets from the cube's lowest corner
};

/// Cubes of 0.2 m by key.
using LeafRun = std::vector<Leaf>;

LeafRun leaf_run(const std::vector<Millimetres>& points);

class LeafSums {
 public:
  void add(LeafRun run);
  /// One centroid a cube, rounded to whole millimetres, by key. Empties the sums.
  std::vector<Millimetres> take_centroids();

 private:
  std::vector<LeafRun> runs_;  ///< each at least twice as long as the next
};

}  // namespace ndt::harness::town
