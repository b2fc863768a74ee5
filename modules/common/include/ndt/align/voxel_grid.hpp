// The filter that leaves one point of every occupied leaf of a grid.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ndt/align/leaf_table.hpp"

namespace ndt {

/// Keeps its memory from cloud to cloud: 8 to 16 bytes a point of the largest, and 104 to 170 a leaf.
class VoxelGrid {
 public:
  /// Replaces a cloud of finite points by the centroid of every occupied leaf, as offsets from the cloud's
  /// origin, in increasing leaf order, z slowest. Times become their mean. Leaves are those of leaf_at(),
  /// centroids those of leaf_sums.hpp. The cloud keeps its memory.
  void thin(PointCloud& cloud, double leaf_m);

  /// Finds the leaves of a cloud in rows, each row by one worker. The leaves do not depend on the rows.
  void fill(std::span<const PointRow> rows, const Vec3<double>& origin, double leaf_m,
            const Workers& workers = {});
  /// The number of occupied leaves.
  std::size_t size() const { return leaves_.size(); }
  /// The centroid of leaf k in their order.
  Point centroid(std::size_t k) const;
  /// The mean time of its points, if they have times.
  float time_s(std::size_t k) const { return time_of(leaves_[k]->sums); }

 private:
  void join(const Workers& workers);
  std::vector<Part> rows_between(std::uint64_t begin, std::uint64_t end) const;
  std::size_t join_between(std::uint64_t begin, std::uint64_t end, const GridLeaf** out);

  std::vector<LeafTable> tables_;  ///< of rows; those of an earlier cloud keep their memory
  std::size_t rows_ = 0;
  std::vector<const GridLeaf*> leaves_;  ///< in their order
  LeafUnits units_;
};

}  // namespace ndt
