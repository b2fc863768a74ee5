#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "device_sorted_points.cuh"
#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

/// The findings of the first pass; bytes 0xFF mean that there is nothing.
struct Found {
  unsigned first_far;  ///< lowest index of a point outside the limits
  unsigned runs;       ///< cells with enough points
};
constexpr unsigned kNone = 0xFFFFFFFFU;

__global__ void key_kernel(MapPoints points, unsigned n, float inverse_resolution, Key* keys, unsigned* order,
                           Found* found) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Cell cell;
  if (!cell_of(points[i], inverse_resolution, cell)) atomicMin(&found->first_far, i);
  keys[i] = pack(cell);
  order[i] = i;
}

/// Whether a run of at least `least` equal keys starts here.
struct StartsVoxel {
  const Key* keys;
  unsigned n, least;
  __device__ bool operator()(unsigned i) const {
    const Key key = keys[i];
    if (i > 0 && keys[i - 1] == key) return false;
    return least - 1 < n - i && keys[i + (least - 1)] == key;
  }
};

__global__ void occupied_kernel(const Key* keys, unsigned n, unsigned* occupied) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int heads = __syncthreads_count(i < n && (i == 0 || keys[i - 1] != keys[i]));
  if (threadIdx.x == 0 && heads > 0) atomicAdd(occupied, static_cast<unsigned>(heads));
}

[[noreturn]] void refuse_far_point(cuda::Context& context, const MapPoints& points, unsigned i) {
  Point offset;
  context.download(&offset, points.offsets + i, sizeof offset);
  context.synchronise();
  refuse_far_point(points.shifted(offset));
}

}  // namespace

unsigned count_runs(cuda::Context& context, const Key* sorted_keys, unsigned n) {
  cuda::DeviceBuffer<unsigned> occupied(context, 1);
  context.fill_bytes(occupied.data(), 0, sizeof(unsigned));
  context.launch(occupied_kernel, cuda::grid_for(n), sorted_keys, n, occupied.data());
  unsigned count = 0;
  context.download(&count, occupied.data(), sizeof count);
  context.synchronise();
  return count;
}

SortedPoints::SortedPoints(cuda::Context& context, const MapPoints& points, float inverse_resolution,
                           unsigned least)
    : n_(static_cast<unsigned>(points.size)),
      scratch_(context),
      key_pair_(context, std::size_t{2} * n_),
      order_pair_(context, std::size_t{2} * n_),
      starts_(context, n_ / least + 1) {
  cuda::DeviceBuffer<Found> device_found(context, 1);
  context.fill_bytes(device_found.data(), 0xFF, sizeof(Found));
  context.launch(key_kernel, cuda::grid_for(n_), points, n_, inverse_resolution, key_pair_.data(),
                 order_pair_.data(), device_found.data());
  cub::DoubleBuffer<Key> keys(key_pair_.data(), key_pair_.data() + n_);
  cub::DoubleBuffer<unsigned> order(order_pair_.data(), order_pair_.data() + n_);
  cub_call(context, scratch_, "cub::DeviceRadixSort::SortPairs", 2 + kKeyBits / 8 + 1,
           [&](void* scratch, std::size_t& bytes) {
             return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, order, n_, 0, kKeyBits,
                                                    context.stream());
           });
  keys_ = keys.Current();
  order_ = order.Current();
  cub_call(context, scratch_, "cub::DeviceSelect::If", 2, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<unsigned>(0), starts_.data(),
                                 &device_found.data()->runs, n_, StartsVoxel{keys_, n_, least},
                                 context.stream());
  });
  Found found{};
  context.download(&found, device_found.data(), sizeof found);
  context.synchronise();
  if (found.first_far != kNone) refuse_far_point(context, points, found.first_far);
  runs_ = found.runs;
}

}  // namespace ndt
