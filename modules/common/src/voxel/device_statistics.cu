#include <thrust/iterator/counting_iterator.h>

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "cub_call.cuh"
#include "device_room.cuh"
#include "device_statistics.cuh"
#include "ndt/exec/warp.cuh"
#include "warp_lanes.cuh"

namespace ndt {
namespace {

using Key = std::uint64_t;

constexpr unsigned kBlock = 256;  // threads, as grid_for() has it

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

/// One warp per run: sums its points. Float32 is added point by point in cloud order, as the reference does;
/// doubles are added lane by lane.
__global__ void sum_kernel(MapPoints points, const Key* keys, const unsigned* order, unsigned n,
                           const unsigned* starts, unsigned runs, double resolution_m, VoxelSums* out) {
  const unsigned run = warp_index();
  if (run >= runs) return;
  const unsigned start = starts[run], lane = threadIdx.x & 31;
  const Key key = keys[start];
  const Vec3<double> reference = centre_of(unpack(key), resolution_m);
  VoxelSums sums;
  for (unsigned first = start;; first += 32) {
    const unsigned i = first + lane;
    const bool mine = i < n && keys[i] == key;
    Point p;
    if (mine) {
      p = points[order[i]];
      add_moments(sums, p, reference);
    }
    const int count = __popc(__ballot_sync(kWholeWarp, mine));
    for (int k = 0; k < count; ++k) {
      sums.centroid_sum.x += __shfl_sync(kWholeWarp, p.x, k);
      sums.centroid_sum.y += __shfl_sync(kWholeWarp, p.y, k);
      sums.centroid_sum.z += __shfl_sync(kWholeWarp, p.z, k);
    }
    sums.n += count;
    if (count < 32) break;
  }
  Vec3<double>& s = sums.sum;
  s = {warp_sum(s.x), warp_sum(s.y), warp_sum(s.z)};
  Sym3<double>& t = sums.second;
  t = {warp_sum(t.xx), warp_sum(t.xy), warp_sum(t.xz), warp_sum(t.yy), warp_sum(t.yz), warp_sum(t.zz)};
  if (lane == 0) out[run] = sums;
}

struct Finish {
  double resolution_m, start, eigenvalue_ratio;
};

/// One thread per run, and one more that sets is_voxel[runs] = 0.
__global__ void finish_kernel(const VoxelSums* sums, const Key* keys, const unsigned* starts, unsigned runs,
                              Finish options, VoxelStatistics* statistics, unsigned* is_voxel) {
  const unsigned run = blockIdx.x * blockDim.x + threadIdx.x;
  if (run > runs) return;
  bool valid = false;
  if (run < runs) {
    VoxelStatistics out;
    const Vec3<double> reference = centre_of(unpack(keys[starts[run]]), options.resolution_m);
    valid = finish(sums[run], reference, options.start, options.eigenvalue_ratio, out);
    if (valid) statistics[run] = out;
  }
  is_voxel[run] = valid ? 1 : 0;
}

__global__ void clear_kernel(VoxelCensus* census) { *census = VoxelCensus{}; }

struct Extent {
  CellBox own, listing;
  unsigned listed = 0;
};

__device__ int smaller(int a, int b) { return a < b ? a : b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }

__device__ CellBox around(const CellBox& a, const CellBox& b) {
  return {{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
          {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)}};
}

struct JoinExtents {
  __device__ Extent operator()(const Extent& a, const Extent& b) const {
    return {around(a.own, b.own), around(a.listing, b.listing), a.listed + b.listed};
  }
};

__device__ void add_atomically(CellBox& box, const CellBox& part) {
  atomicMin(&box.low.x, part.low.x), atomicMin(&box.low.y, part.low.y), atomicMin(&box.low.z, part.low.z);
  atomicMax(&box.high.x, part.high.x), atomicMax(&box.high.y, part.high.y),
      atomicMax(&box.high.z, part.high.z);
}

/// The arrays for those runs that are voxels. positions: [runs + 1], the number of voxels before each run.
struct RunsOut {
  const unsigned* positions;
  Key* keys;
  VoxelStatistics* statistics;
  Voxel* voxels;
  VoxelSurface* surfaces;
};

/// One warp per run: moves voxels together and takes the census.
__global__ void __launch_bounds__(kBlock)
    place_kernel(const Key* keys, const unsigned* starts, unsigned runs, const VoxelStatistics* statistics,
                 ListingCells listing, RunsOut out, VoxelCensus* census) {
  using Reduce = cub::BlockReduce<Extent, kBlock>;
  __shared__ typename Reduce::TempStorage storage;
  const unsigned run = warp_index();
  Extent extent;
  if (run < runs && out.positions[run] != out.positions[run + 1]) {
    const unsigned v = out.positions[run];
    const VoxelStatistics& s = statistics[run];
    const Key key = keys[starts[run]];
    const Cell own = unpack(key);
    if (WarpLanes::rank() == 0) {
      out.keys[v] = key;
      out.statistics[v] = s;
      out.voxels[v] = to_voxel(s);
      out.surfaces[v] = s.surface;
    }
    extent.own = {own, own};
    listing.for_each(own, s.centroid, WarpLanes{}, [&](const Cell& c) {
      extent.listing = around(extent.listing, {c, c});
      ++extent.listed;
    });
  }
  const Extent block = Reduce(storage).Reduce(extent, JoinExtents{});
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) census->voxels = out.positions[runs];
  if (block.listed == 0) return;
  add_atomically(census->own, block.own);
  add_atomically(census->listing, block.listing);
  atomicAdd(&census->listed, static_cast<unsigned long long>(block.listed));
}

__global__ void occupied_kernel(const Key* keys, unsigned n, unsigned* occupied) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int heads = __syncthreads_count(i < n && (i == 0 || keys[i - 1] != keys[i]));
  if (threadIdx.x == 0 && heads > 0) atomicAdd(occupied, static_cast<unsigned>(heads));
}

unsigned count_occupied(cuda::Context& context, const Key* sorted_keys, unsigned n) {
  cuda::DeviceBuffer<unsigned> occupied(context, 1);
  context.fill_bytes(occupied.data(), 0, sizeof(unsigned));
  context.launch(occupied_kernel, cuda::grid_for(n), sorted_keys, n, occupied.data());
  unsigned count = 0;
  context.download(&count, occupied.data(), sizeof count);
  context.synchronise();
  return count;
}

[[noreturn]] void refuse_far_point(cuda::Context& context, const MapPoints& points, unsigned i) {
  Point offset;
  context.download(&offset, points.offsets + i, sizeof offset);
  context.synchronise();
  refuse_far_point(points.shifted(offset));
}

/// The keys of all points in increasing order, equal ones in cloud order, and the starts of runs with enough
/// points.
class SortedPoints {
 public:
  SortedPoints(cuda::Context& context, const MapPoints& points, float inverse_resolution, unsigned least)
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

  unsigned size() const { return n_; }
  const Key* keys() const { return keys_; }
  const unsigned* order() const { return order_; }
  const unsigned* starts() const { return starts_.data(); }
  unsigned runs() const { return runs_; }
  CubScratch& scratch() { return scratch_; }

 private:
  unsigned n_;
  CubScratch scratch_;
  cuda::DeviceBuffer<Key> key_pair_;
  cuda::DeviceBuffer<unsigned> order_pair_;
  cuda::DeviceBuffer<unsigned> starts_;
  const Key* keys_ = nullptr;
  const unsigned* order_ = nullptr;
  unsigned runs_ = 0;
};

/// Computes the statistics of every run, moves the voxels among them together, and takes the census.
VoxelCensus finish_voxels(cuda::Context& context, const MapPoints& points, SortedPoints& sorted,
                          const AlignOptions& options, const DeviceVoxels& out) {
  const unsigned runs = sorted.runs();
  require_device_room(context, device_sums_bytes(runs));
  cuda::DeviceBuffer<VoxelSums> sums(context, runs);
  context.launch(sum_kernel, grid_of_warps(runs), points, sorted.keys(), sorted.order(), sorted.size(),
                 sorted.starts(), runs, options.resolution_m, sums.data());

  cuda::DeviceBuffer<VoxelStatistics> statistics(context, runs);
  cuda::DeviceBuffer<unsigned> is_voxel(context, runs + 1), positions(context, runs + 1);
  const double start = options.covariance_start == CovarianceStart::identity ? 1.0 : 0.0;
  context.launch(finish_kernel, cuda::grid_for(runs + 1LL), sums.data(), sorted.keys(), sorted.starts(), runs,
                 Finish{options.resolution_m, start, options.eigenvalue_ratio}, statistics.data(),
                 is_voxel.data());
  cub_call(context, sorted.scratch(), "cub::DeviceScan::ExclusiveSum", 2,
           [&](void* scratch, std::size_t& bytes) {
             return cub::DeviceScan::ExclusiveSum(scratch, bytes, is_voxel.data(), positions.data(), runs + 1,
                                                  context.stream());
           });

  out.keys.reserve(runs);
  out.statistics.reserve(runs);
  out.voxels.reserve(runs);
  out.surfaces.reserve(runs);
  cuda::DeviceBuffer<VoxelCensus> device_census(context, 1);
  context.launch(clear_kernel, cuda::Grid{}, device_census.data());
  context.launch(place_kernel, grid_of_warps(runs), sorted.keys(), sorted.starts(), runs, statistics.data(),
                 ListingCells{options.neighbours, static_cast<float>(options.resolution_m)},
                 RunsOut{positions.data(), out.keys.data(), out.statistics.data(), out.voxels.data(),
                         out.surfaces.data()},
                 device_census.data());
  VoxelCensus census;
  context.download(&census, device_census.data(), sizeof census);
  context.synchronise();
  return census;
}

}  // namespace

VoxelCensus make_voxels(cuda::Context& context, const MapPoints& points, const AlignOptions& options,
                        const DeviceVoxels& out) {
  if (points.size == 0) return {};
  const unsigned least = options.min_points > 1 ? static_cast<unsigned>(options.min_points) : 1;
  require_device_room(context, device_sort_bytes(points.size, options.min_points));
  SortedPoints sorted(context, points, 1.0F / static_cast<float>(options.resolution_m), least);
  VoxelCensus census;
  if (sorted.runs() > 0) census = finish_voxels(context, points, sorted, options, out);
  if (census.voxels == 0) census.occupied = count_occupied(context, sorted.keys(), sorted.size());
  return census;
}

}  // namespace ndt
