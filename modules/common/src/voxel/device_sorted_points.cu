#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "cub_call.cuh"
#include "device_block_sort.cuh"
#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

constexpr unsigned kNone = 0xFFFFFFFFU;

/// The bits of a float as a whole number in the order of floats, and the bits of such a number.
__host__ __device__ int in_order(int bits) { return bits ^ (bits >> 31 & 0x7fffffff); }

struct OrderedBox {
  int low[3], high[3];
};

__global__ void no_box_kernel(OrderedBox* box) {
  for (int axis = 0; axis < 3; ++axis) box->low[axis] = 0x7fffffff, box->high[axis] = -0x7fffffff - 1;
}

/// Every thread takes some points.
__global__ void box_kernel(const Point* points, std::size_t n, OrderedBox* box) {
  OrderedBox mine;
  for (int axis = 0; axis < 3; ++axis) mine.low[axis] = 0x7fffffff, mine.high[axis] = -0x7fffffff - 1;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const Point p = points[i];
    const int at[3] = {in_order(__float_as_int(p.x)), in_order(__float_as_int(p.y)),
                       in_order(__float_as_int(p.z))};
    for (int axis = 0; axis < 3; ++axis) {
      mine.low[axis] = min(mine.low[axis], at[axis]);
      mine.high[axis] = max(mine.high[axis], at[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis)
    for (int offset = 16; offset > 0; offset /= 2) {
      mine.low[axis] = min(mine.low[axis], __shfl_xor_sync(~0U, mine.low[axis], offset));
      mine.high[axis] = max(mine.high[axis], __shfl_xor_sync(~0U, mine.high[axis], offset));
    }
  if (threadIdx.x % 32 != 0) return;
  // Looks first, because thousands of warps would wait for one another: few of them move a bound.
  for (int axis = 0; axis < 3; ++axis) {
    volatile int &low = box->low[axis], &high = box->high[axis];
    if (mine.low[axis] < low) atomicMin(&box->low[axis], mine.low[axis]);
    if (mine.high[axis] > high) atomicMax(&box->high[axis], mine.high[axis]);
  }
}

PointBox found_box(cuda::Context& context, const MapPoints& points) {
  constexpr long long kPointsOfAThread = 8, kMostThreads = 1 << 18;
  cuda::DeviceBuffer<OrderedBox> device_box(context, 1);
  context.launch(no_box_kernel, cuda::Grid{1, 1}, device_box.data());
  const auto n = static_cast<long long>(points.size);
  context.launch(box_kernel, cuda::grid_for(std::min(n / kPointsOfAThread + 1, kMostThreads)), points.offsets,
                 points.size, device_box.data());
  OrderedBox box;
  context.fetch(&box, device_box.data(), sizeof box);
  const auto corner = [](const int(&at)[3]) {
    const auto coordinate = [](int ordered) { return std::bit_cast<float>(in_order(ordered)); };
    return Point{coordinate(at[0]), coordinate(at[1]), coordinate(at[2])};
  };
  return {corner(box.low), corner(box.high)};
}

__global__ void far_kernel(MapPoints points, unsigned n, float inverse_resolution, unsigned* first_far) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Cell cell;
  if (i < n && !cell_of(points[i], inverse_resolution, cell)) atomicMin(first_far, i);
}

/// Refuses the first point outside the limits of cells, if there is one.
void refuse_far_points(cuda::Context& context, const MapPoints& points, float inverse_resolution) {
  const auto n = static_cast<unsigned>(points.size);
  cuda::DeviceBuffer<unsigned> device_first(context, 1);
  context.fill_bytes(device_first.data(), 0xFF, sizeof(unsigned));
  context.launch(far_kernel, cuda::grid_for(n), points, n, inverse_resolution, device_first.data());
  unsigned first = kNone;
  context.fetch(&first, device_first.data(), sizeof first);
  if (first == kNone) return;
  Point offset;
  context.fetch(&offset, points.offsets + first, sizeof offset);
  refuse_far_point(points.shifted(offset));
}

template <class Number>
__global__ void number_kernel(MapPoints points, unsigned n, float inverse_resolution, CellWindow box,
                              Number* numbers, unsigned* order) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Cell cell;
  std::size_t number = 0;
  if (cell_of(points[i], inverse_resolution, cell)) box.index_of(cell, number);
  numbers[i] = static_cast<Number>(number);
  order[i] = i;
}

/// Whether a run of at least `least` equal numbers starts here.
template <class Number>
struct StartsVoxel {
  const Number* numbers;
  unsigned n, least;
  __device__ bool operator()(unsigned i) const {
    const Number number = numbers[i];
    if (i > 0 && numbers[i - 1] == number) return false;
    return least - 1 < n - i && numbers[i + (least - 1)] == number;
  }
};

}  // namespace

CellWindow box_of_cells(cuda::Context& context, const MapPoints& points, float inverse_resolution) {
  // A cell's coordinate never falls as the point's rises, so that the corners of points have those of cells.
  const PointBox box = points.box.known() ? points.box : found_box(context, points);
  Cell low, high;
  if (!cell_of(points.shifted(box.low), inverse_resolution, low) ||
      !cell_of(points.shifted(box.high), inverse_resolution, high)) {
    refuse_far_points(context, points, inverse_resolution);
    return {};
  }
  const auto size = [](int first, int last) { return static_cast<unsigned>(last - first) + 1; };
  return {low, size(low.x, high.x), size(low.y, high.y), size(low.z, high.z), nullptr};
}

int SortedPoints::bits() const {
  return std::max(1, static_cast<int>(std::bit_width(numbers_.box.cells() - 1)));
}

void SortedPoints::sort_few(cuda::Context& context, const MapPoints& points, float inverse_resolution,
                            unsigned least) {
  memory_.reserve({n_ * sizeof(std::uint32_t), n_, n_ / least + 1, 0, 0});
  auto* numbers = reinterpret_cast<std::uint32_t*>(memory_.data<0>());
  unsigned* runs = context.room_for_result<unsigned>();
  sort_by_block(context, points, inverse_resolution, numbers_.box, bits(), least,
                {numbers, memory_.data<1>(), memory_.data<2>(), runs});
  numbers_.narrow = numbers, order_ = memory_.data<1>(), starts_ = memory_.data<2>();
  context.synchronise();
  runs_ = *runs;
}

template <class Number>
void SortedPoints::sort(cuda::Context& context, const MapPoints& points, float inverse_resolution,
                        unsigned least, const Number*& sorted) {
  const int bits = this->bits();
  cub::DoubleBuffer<Number> numbers;
  cub::DoubleBuffer<unsigned> order;
  const auto sort_pairs = [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, numbers, order, n_, 0, bits, context.stream());
  };
  unsigned* found = nullptr;
  unsigned* starts = nullptr;
  const auto select = [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<unsigned>(0), starts, found, n_,
                                 StartsVoxel<Number>{numbers.Current(), n_, least}, context.stream());
  };
  constexpr const char *kSort = "cub::DeviceRadixSort::SortPairs", *kSelect = "cub::DeviceSelect::If";
  const std::size_t scratch_bytes =
      std::max(cub_bytes(context, kSort, sort_pairs), cub_bytes(context, kSelect, select));
  memory_.reserve(
      {std::size_t{2} * n_ * sizeof(Number), std::size_t{2} * n_, n_ / least + 1, 1, scratch_bytes});
  auto* number_pair = reinterpret_cast<Number*>(memory_.data<0>());
  unsigned* order_pair = memory_.data<1>();
  starts = memory_.data<2>(), found = memory_.data<3>();
  numbers = cub::DoubleBuffer<Number>(number_pair, number_pair + n_);
  order = cub::DoubleBuffer<unsigned>(order_pair, order_pair + n_);

  context.launch(number_kernel<Number>, cuda::grid_for(n_), points, n_, inverse_resolution, numbers_.box,
                 number_pair, order_pair);
  cub_call(context, memory_.data<4>(), scratch_bytes, kSort, 2 + (bits + 7) / 8, sort_pairs);
  cub_call(context, memory_.data<4>(), scratch_bytes, kSelect, 2, select);
  sorted = numbers.Current(), order_ = order.Current(), starts_ = starts;
  context.fetch(&runs_, found, sizeof runs_);
}

SortedPoints::SortedPoints(cuda::Context& context, const MapPoints& points, float inverse_resolution,
                           unsigned least)
    : n_(static_cast<unsigned>(points.size)),
      numbers_{box_of_cells(context, points, inverse_resolution), nullptr, nullptr},
      memory_(context) {
  const std::uint64_t cells = numbers_.box.cells();
  require_device_room(context, device_sort_bytes(n_, static_cast<int>(least), cells));
  if (fits_block_sort(n_, cells))
    sort_few(context, points, inverse_resolution, least);
  else if (are_narrow(cells))
    sort(context, points, inverse_resolution, least, numbers_.narrow);
  else
    sort(context, points, inverse_resolution, least, numbers_.wide);
}

}  // namespace ndt
