// The leaves that have points of one row, with their sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ndt/align/leaf_numbers.hpp"
#include "ndt/align/leaf_sums.hpp"

namespace ndt {

/// A line of a cache.
struct alignas(64) GridLeaf {
  LeafSums sums;
  std::uint64_t number = 0;
};
static_assert(sizeof(GridLeaf) == 64);

/// Keeps its memory from row to row.
class LeafTable {
 public:
  struct Numbered {
    std::uint64_t number;
    std::uint32_t place;
  };

  /// Forgets all leaves, and takes those of a row.
  void fill(const LeafNumbers& numbers, std::size_t row, const PointRow& points);
  /// The leaves in the order of their numbers.
  std::span<const Numbered> order() const { return order_; }
  GridLeaf& leaf(const Numbered& one) { return leaves_[one.place]; }

 private:
  void begin(std::size_t points);
  void add(const NumberedPoints& numbered, const PointRow& points);
  void sort(std::uint64_t end);

  std::vector<std::uint32_t> table_;  ///< a hash table of numbers: places in leaves_ from 1 on, 0 for none
  std::vector<GridLeaf> leaves_;      ///< the first is of no leaf; those beyond used_ are empty
  std::size_t used_ = 0;
  std::vector<Numbered> order_, sorted_;
};

}  // namespace ndt
