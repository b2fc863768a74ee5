// The sort of few points by one block: one kernel where a device-wide sort and what follows it start a dozen.
#pragma once

#include <cstdint>

#include "ndt/cuda/context.cuh"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

inline constexpr unsigned kBlockSortThreads = 1024, kBlockSortItems = 12;  ///< points of a thread
inline constexpr int kBlockSortIndexBits = 14;  ///< of a 32-bit word that holds the number of a cell, too

/// Whether a block can sort so many points in a box of so many cells.
inline bool fits_block_sort(unsigned n, std::uint64_t cells) {
  static_assert(kBlockSortThreads * kBlockSortItems <= 1U << kBlockSortIndexBits);
  return n <= kBlockSortThreads * kBlockSortItems && cells <= std::uint64_t{1} << (32 - kBlockSortIndexBits);
}

/// The results that SortedPoints finds.
struct SortOut {
  std::uint32_t* numbers;    ///< [n]
  unsigned *order, *starts;  ///< [n], [n / least]
  unsigned* runs;            ///< [1], in pinned memory
};

/// bits: of the largest number of a cell in the box, which is around the points.
void sort_by_block(cuda::Context& context, const MapPoints& points, float inverse_resolution,
                   const CellWindow& box, int bits, unsigned least, const SortOut& out);

}  // namespace ndt
