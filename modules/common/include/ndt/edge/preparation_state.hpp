// Records that the preparation of a scan on a device keeps in memory.
#pragma once

#include "ndt/align/leaf_sums.hpp"
#include "ndt/align/point_filter.hpp"

namespace ndt {

/// Numbers that the kernels gather about a scan, all zero at first.
struct PreparationCounts {
  unsigned removed[kRemovals];  ///< points by Removal
  unsigned no_returns[3];       ///< points by NoReturn, of those that a point's own value tells
  unsigned finite;              ///< points
  unsigned highest[3];          ///< in_order() of the largest coordinates
  unsigned lowest[3];           ///< the complement of in_order() of the smallest
  unsigned long long range;     ///< bits of the largest range
  unsigned shell;               ///< points at this range
  bool has_copies;              ///< more equal points than are a coincidence, perhaps
  bool not_numbered;            ///< more leaves than there are numbers
  unsigned leaves, size;        ///< after the voxel grid, and after the sample
};

/// The leaf of a grid while its points are added up.
struct DeviceLeaf {
  LeafSums sums;
  unsigned number;
};

}  // namespace ndt
