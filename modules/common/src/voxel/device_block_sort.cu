#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "device_block_sort.cuh"
#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

constexpr unsigned kThreads = kBlockSortThreads, kItems = kBlockSortItems,
                   kIndexMask = (1U << kBlockSortIndexBits) - 1;
constexpr std::uint32_t kNoPoint = 0xFFFFFFFFU;

using Sort = cub::BlockRadixSort<std::uint32_t, kThreads, kItems>;
using Scan = cub::BlockScan<unsigned, kThreads>;

/// One after the other.
union Memory {
  std::uint32_t words[kThreads * kItems];
  typename Sort::TempStorage sort;
  typename Scan::TempStorage scan;
};

/// One block. Neighbouring threads read and write neighbouring words of global memory; each sorts words that
/// follow one another.
__global__ void __launch_bounds__(kThreads)
    block_sort_kernel(MapPoints points, unsigned n, float inverse_resolution, CellWindow box, int bits,
                      unsigned least, SortOut out) {
  __shared__ Memory memory;
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned i = k * kThreads + threadIdx.x;
    std::uint32_t word = kNoPoint;  // equal or larger than all, and behind them: the sort is stable
    if (i < n) {
      Cell cell;
      std::size_t number = 0;
      if (cell_of(points[i], inverse_resolution, cell)) box.index_of(cell, number);
      word = static_cast<std::uint32_t>(number) << kBlockSortIndexBits | i;
    }
    memory.words[i] = word;
  }
  __syncthreads();
  const unsigned first = threadIdx.x * kItems;
  std::uint32_t items[kItems];
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) items[k] = memory.words[first + k];
  __syncthreads();
  Sort(memory.sort).Sort(items, kBlockSortIndexBits, kBlockSortIndexBits + bits);
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) memory.words[first + k] = items[k];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += kThreads) {
    out.numbers[i] = memory.words[i] >> kBlockSortIndexBits;
    out.order[i] = memory.words[i] & kIndexMask;
  }

  unsigned starts = 0;  // bit k: a run of at least `least` points begins at item k
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned i = first + k;
    const auto same = [&](unsigned j) { return (memory.words[j] ^ items[k]) >> kBlockSortIndexBits == 0; };
    if (i < n && !(i > 0 && same(i - 1)) && least - 1 < n - i && same(i + (least - 1))) starts |= 1U << k;
  }
  __syncthreads();
  unsigned before = 0, all = 0;
  Scan(memory.scan).ExclusiveSum(static_cast<unsigned>(__popc(starts)), before, all);
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k)
    if ((starts >> k & 1) != 0) out.starts[before++] = first + k;
  if (threadIdx.x == 0) *out.runs = all;
}

}  // namespace

void sort_by_block(cuda::Context& context, const MapPoints& points, float inverse_resolution,
                   const CellWindow& box, int bits, unsigned least, const SortOut& out) {
  context.launch(block_sort_kernel, cuda::Grid{1, kThreads}, points, static_cast<unsigned>(points.size),
                 inverse_resolution, box, bits, least, out);
}

}  // namespace ndt
