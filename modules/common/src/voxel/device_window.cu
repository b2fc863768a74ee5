#include <cub/device/device_radix_sort.cuh>

#include "cub_call.cuh"
#include "device_near_voxels.cuh"

namespace ndt {
namespace {

constexpr unsigned kCuts = sizeof kWindowCuts / sizeof kWindowCuts[0];

__global__ void axes_kernel(const std::uint64_t* keys, unsigned n, int* x, int* y, int* z) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Cell c = unpack(keys[i]);
  x[i] = c.x, y[i] = c.y, z[i] = c.z;
}

/// The lowest and highest coordinates that each cut keeps.
struct Kept {
  Cell low[kCuts], high[kCuts];
};
struct FirstKept {
  unsigned index[kCuts];
};

/// One thread per cut: looks up its lowest and highest coordinates.
__global__ void kept_kernel(const int* x, const int* y, const int* z, unsigned n, FirstKept first,
                            Kept* kept) {
  const unsigned cut = threadIdx.x;
  if (cut >= kCuts) return;
  const unsigned low = first.index[cut], high = n - 1 - low;
  kept->low[cut] = {x[low], y[low], z[low]};
  kept->high[cut] = {x[high], y[high], z[high]};
}

Kept sort_axes(cuda::Context& context, const std::uint64_t* device_keys, unsigned n) {
  constexpr const char* kSort = "cub::DeviceRadixSort::SortKeys";
  int *unsorted = nullptr, *sorted = nullptr;
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, unsorted, sorted, n, 0, 32, context.stream());
  };
  const std::size_t scratch_bytes = cub_bytes(context, kSort, sort);
  const cuda::DeviceArrays<int, Kept, std::byte> memory(context, {std::size_t{6} * n, 1, scratch_bytes});
  const auto axis = [&](unsigned k) { return memory.data<0>() + std::size_t{k} * n; };
  context.launch(axes_kernel, cuda::grid_for(n), device_keys, n, axis(0), axis(1), axis(2));
  for (unsigned k = 0; k < 3; ++k) {
    unsorted = axis(k), sorted = axis(3 + k);
    cub_call(context, memory.data<2>(), scratch_bytes, kSort, 6, sort);
  }
  FirstKept first{};
  for (unsigned cut = 0; cut < kCuts; ++cut)
    first.index[cut] = static_cast<unsigned>(first_kept(kWindowCuts[cut], n));
  context.launch(kept_kernel, cuda::Grid{1, 32}, axis(3), axis(4), axis(5), n, first, memory.data<1>());
  Kept kept;
  context.fetch(&kept, memory.data<1>(), sizeof kept);
  return kept;
}

}  // namespace

CellWindow choose_window(cuda::Context& context, const std::uint64_t* device_keys, const VoxelCensus& census,
                         std::uint64_t max_cells) {
  if (const auto whole = window_around(census.own.low, census.own.high, max_cells)) return *whole;
  const Kept kept = sort_axes(context, device_keys, census.voxels);
  for (unsigned cut = 0; cut < kCuts; ++cut)
    if (const auto window = window_around(kept.low[cut], kept.high[cut], max_cells)) return *window;
  return {};
}

}  // namespace ndt
