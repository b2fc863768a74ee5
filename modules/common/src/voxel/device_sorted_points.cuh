// Points on the device in the order of their cells.
#pragma once

#include <cstdint>

#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

using Key = std::uint64_t;

/// The smallest box around the cells of points, at least one; it has no starts. Waits for the device if the
/// points do not know their box. Throws InputError if one is outside the limits of cells.
CellWindow box_of_cells(cuda::Context& context, const MapPoints& points, float inverse_resolution);

/// The cell with a number in such a box. Numbers are in the order of keys.
__device__ inline Cell cell_at(const CellWindow& box, std::uint64_t number) {
  const auto cell = [&](auto n, auto nx, auto ny) {
    return Cell{box.low.x + static_cast<int>(n % nx), box.low.y + static_cast<int>(n / nx % ny),
                box.low.z + static_cast<int>(n / nx / ny)};
  };
  if (number >> 32 == 0) return cell(static_cast<std::uint32_t>(number), box.nx, box.ny);
  return cell(number, std::uint64_t{box.nx}, std::uint64_t{box.ny});
}

/// Points by increasing number of their cells in a box, of which few bits are sorted: of 32 where they
/// suffice.
struct SortedNumbers {
  CellWindow box;
  const std::uint32_t* narrow;  ///< null where numbers take 64 bits
  const std::uint64_t* wide;

  __device__ std::uint64_t number(unsigned i) const { return narrow != nullptr ? narrow[i] : wide[i]; }
  __device__ Key key(unsigned i) const { return pack(cell_at(box, number(i))); }
  /// Whether a cell begins here.
  __device__ bool operator()(unsigned i) const { return i == 0 || number(i - 1) != number(i); }
};

/// How many of i in [0, n) make is(i) true. Waits for the device.
template <class Is>
unsigned count_where(cuda::Context& context, unsigned n, const Is& is);

/// The cells of all points in increasing order, equal ones in cloud order, and the starts of runs with enough
/// points. Waits for the device.
class SortedPoints {
 public:
  /// least: points from which on a run has a start. There is at least one point. Throws InputError as
  /// box_of_cells(), and before it takes memory that the device does not have.
  SortedPoints(cuda::Context& context, const MapPoints& points, float inverse_resolution, unsigned least);

  unsigned size() const { return n_; }
  const SortedNumbers& numbers() const { return numbers_; }
  const unsigned* order() const { return order_; }
  const unsigned* starts() const { return starts_; }
  unsigned runs() const { return runs_; }

 private:
  /// Number of bits of the largest number.
  int bits() const;
  void sort_few(cuda::Context& context, const MapPoints& points, float inverse_resolution, unsigned least);
  template <class Number>
  void sort(cuda::Context& context, const MapPoints& points, float inverse_resolution, unsigned least,
            const Number*& sorted);

  unsigned n_;
  SortedNumbers numbers_;
  /// numbers and order, each twice; starts; count of runs; scratch of CUB
  cuda::DeviceArrays<std::byte, unsigned, unsigned, unsigned, std::byte> memory_;
  const unsigned* order_ = nullptr;
  const unsigned* starts_ = nullptr;
  unsigned runs_ = 0;
};

/// One thread per i.
template <class Is>
__global__ void count_where_kernel(Is is, unsigned n, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int count = __syncthreads_count(i < n && is(i));
  if (threadIdx.x == 0 && count > 0) atomicAdd(out, static_cast<unsigned>(count));
}

template <class Is>
unsigned count_where(cuda::Context& context, unsigned n, const Is& is) {
  cuda::DeviceBuffer<unsigned> device_count(context, 1);
  context.fill_bytes(device_count.data(), 0, sizeof(unsigned));
  context.launch(count_where_kernel<Is>, cuda::grid_for(n), is, n, device_count.data());
  unsigned count = 0;
  context.fetch(&count, device_count.data(), sizeof count);
  return count;
}

}  // namespace ndt
