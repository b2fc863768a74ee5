// The steps of a scan's preparation on a device, and the kernel that runs them.
#pragma once

#include <cooperative_groups.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "ndt/align/leaf_box.hpp"
#include "ndt/align/leaf_sums.hpp"
#include "ndt/align/moved_point.hpp"
#include "ndt/align/no_return_rule.hpp"
#include "ndt/align/point_filter.hpp"
#include "ndt/align/sample_key.hpp"
#include "ndt/edge/preparation_state.hpp"
#include "ndt/voxel/device_points.cuh"

namespace ndt {

namespace {

constexpr unsigned kNone = 0xFFFFFFFFU, kThreads = 1024;
/// The grid's occupied leaves are bits of words; the rank of a leaf is counted from its group on.
constexpr unsigned kWordsOfAGroup = 8, kLeavesOfAGroup = 32 * kWordsOfAGroup;
constexpr unsigned kMostLeaves = 1U << 28, kMostPoints = 1U << 20;
constexpr unsigned kMostBlocks =
    kThreads;  // each has a slice of the groups, and scans the sums of all slices

/// The arrays of one scan, by point, by leaf or by group.
struct Arrays {
  Point* points;
  double* ranges;
  unsigned* numbers;  ///< of a point's leaf; kNone for a point that was removed
  DeviceLeaf* leaves;
  unsigned* chosen;  ///< leaves of the sample
  Point* out;
  unsigned* words;  ///< by group; all zero before and after
  unsigned *ranks, *slices;
  unsigned* buckets;
  PreparationCounts* counts;
};

/// All that the steps need to know.
struct Job {
  StridedPoints given;
  const float* times;
  unsigned n;
  Vec3<double> origin;
  bool keep_no_returns;
  const SweepMotion* motion;
  PointFilter filter;
  bool has_grid;
  LeafUnits units;
  unsigned sample;  ///< kNone: all
  SampleKeys keys;
  Arrays at;
};

/// The bits of a float as a whole number in the order of floats.
__device__ unsigned in_order(float v) {
  const unsigned bits = __float_as_uint(v);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}
__device__ float float_of(unsigned ordered) {
  return __uint_as_float(ordered >> 31 != 0 ? ordered & 0x7FFFFFFFU : ~ordered);
}

/// Looks first, because thousands of blocks would wait for one another: few of them move a bound.
template <class T>
__device__ void raise(T* most, T value) {
  if (value > *static_cast<volatile T*>(most)) atomicMax(most, value);
}

template <class T>
__device__ T warp_max(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value = max(value, __shfl_xor_sync(~0U, value, offset));
  return value;
}

/// The facts about the points of a block, on their way into the counts.
struct BlockCounts {
  unsigned removed[kRemovals], no_returns[3], finite;
};

__device__ void count_one(unsigned* counter, bool counted) {
  const unsigned lanes = __ballot_sync(~0U, counted);
  if (threadIdx.x % 32 == 0 && lanes != 0) atomicAdd(counter, static_cast<unsigned>(__popc(lanes)));
}

/// Calls f(i, whether there is a point i) for all points, whole warps at once.
template <class F>
__device__ void for_each_point(unsigned n, F&& f) {
  for (unsigned first = blockIdx.x * kThreads; first < n; first += gridDim.x * kThreads)
    f(first + threadIdx.x, first + threadIdx.x < n);
}

/// A copy of the motion for the threads of a block, each of which looks up another part of it. They see it
/// after a barrier. Null if there is none.
__device__ const SweepMotion* shared_motion(const SweepMotion* motion) {
  __shared__ alignas(SweepMotion) double copy[sizeof(SweepMotion) / sizeof(double)];
  if (motion == nullptr) return nullptr;
  const auto* from = reinterpret_cast<const double*>(motion);
  for (unsigned i = threadIdx.x; i < sizeof copy / sizeof copy[0]; i += kThreads) copy[i] = from[i];
  return reinterpret_cast<const SweepMotion*>(copy);
}

/// Looks at each point by itself.
__device__ void filter(const Job& job) {
  __shared__ BlockCounts block;
  constexpr unsigned kCounters = sizeof(BlockCounts) / sizeof(unsigned);
  if (threadIdx.x < kCounters) reinterpret_cast<unsigned*>(&block)[threadIdx.x] = 0;
  const SweepMotion* const motion = shared_motion(job.motion);
  __syncthreads();
  PreparationCounts& counts = *job.at.counts;
  unsigned high[3] = {}, low[3] = {};
  double farthest = 0;
  for_each_point(job.n, [&](unsigned i, bool here) {
    Point p{};
    NoReturn cause = NoReturn::none;
    Removal removal = Removal::finite;
    bool finite = false;
    if (here) {
      p = job.given(i);
      job.at.leaves[i].sums = LeafSums{};
      finite = is_finite(p);
      double range = -1;
      if (finite && !job.keep_no_returns) {
        const Vec3<double> at = job.origin + cast<double>(p);
        cause = no_return_of_value(at);
        if (cause == NoReturn::none) {
          range = sqrt(dot(at, at));
          farthest = fmax(farthest, range);
          atomicAdd(job.at.buckets + PointBits(p).hash() % kCopyBuckets, 1U);
        }
      }
      if (motion != nullptr) p = moved_point(*motion, job.times[i], p, job.origin);
      removal = job.filter.removal(job.origin + cast<double>(p));
      job.at.ranges[i] = range;
      job.at.points[i] = p;
    }
    const bool left = here && cause == NoReturn::none && removal == Removal::none;
    if (here) job.at.numbers[i] = left ? 0 : kNone;
    if (left) {
      const float coordinates[3] = {p.x, p.y, p.z};
      for (int axis = 0; axis < 3; ++axis) {
        high[axis] = max(high[axis], in_order(coordinates[axis]));
        low[axis] = max(low[axis], ~in_order(coordinates[axis]));
      }
    }
    count_one(&block.finite, finite);
    for (int k = 1; k < 3; ++k) count_one(block.no_returns + k, here && cause == static_cast<NoReturn>(k));
    for (int k = 1; k < kRemovals; ++k)
      count_one(block.removed + k, here && cause == NoReturn::none && removal == static_cast<Removal>(k));
  });
  for (int axis = 0; axis < 3; ++axis) {
    const unsigned most = warp_max(high[axis]), least = warp_max(low[axis]);
    if (threadIdx.x % 32 == 0) raise(counts.highest + axis, most), raise(counts.lowest + axis, least);
  }
  const unsigned long long range = warp_max(static_cast<unsigned long long>(__double_as_longlong(farthest)));
  if (threadIdx.x % 32 == 0) raise(&counts.range, range);
  __syncthreads();
  const auto flush = [&](unsigned* total, unsigned mine) {
    if (mine != 0) atomicAdd(total, mine);
  };
  if (threadIdx.x < kRemovals) flush(counts.removed + threadIdx.x, block.removed[threadIdx.x]);
  if (threadIdx.x < 3) flush(counts.no_returns + threadIdx.x, block.no_returns[threadIdx.x]);
  if (threadIdx.x == 0) flush(&counts.finite, block.finite);
}

/// The numbers of the leaves: of the points themselves where there is no grid.
struct Numbering {
  LeafBox box;
  unsigned leaves;  ///< 0 if there are no points, or too many leaves

  __device__ unsigned groups() const { return (leaves + kLeavesOfAGroup - 1) / kLeavesOfAGroup; }
};

__device__ Numbering numbering_of(const Job& job) {
  PreparationCounts& counts = *job.at.counts;
  if (!job.has_grid) return {{}, job.n};
  if (counts.highest[0] == 0) return {{}, 0};
  const auto corner = [&](const unsigned(&ordered)[3], unsigned flip) {
    return Vec3<double>{static_cast<double>(float_of(ordered[0] ^ flip)),
                        static_cast<double>(float_of(ordered[1] ^ flip)),
                        static_cast<double>(float_of(ordered[2] ^ flip))};
  };
  const Vec3<double> low = corner(counts.lowest, ~0U), high = corner(counts.highest, 0);
  const LeafBox box{leaf_at(job.origin + low, job.units.leaf_m),
                    leaf_at(job.origin + high, job.units.leaf_m)};
  double most = 0;
  for (const double v : {low.x, low.y, low.z, high.x, high.y, high.z}) most = fmax(most, fabs(v));
  const bool usable = box.is_numbered() && box.leaves() <= kMostLeaves && job.units.fine(2 * most);
  if (!usable) counts.not_numbered = true;
  return {box, usable ? static_cast<unsigned>(box.leaves()) : 0};
}

/// Numbers the leaf of each point, and counts the points at the largest range.
__device__ void mark(const Job& job, const Numbering& numbering) {
  const double shared = __longlong_as_double(static_cast<long long>(job.at.counts->range)) - kSameRange_m;
  for_each_point(job.n, [&](unsigned i, bool here) {
    const double range = here ? job.at.ranges[i] : -1;
    count_one(&job.at.counts->shell, range >= 0 && range >= shared);
    if (!here || numbering.leaves == 0 || job.at.numbers[i] == kNone) return;
    unsigned number = i;
    if (job.has_grid) {
      const Vec3<double> at = job.origin + cast<double>(job.at.points[i]);
      number = static_cast<unsigned>(numbering.box.number(leaf_at(at, job.units.leaf_m)));
    }
    job.at.numbers[i] = number;
    atomicOr(job.at.words + number / 32, 1U << number % 32);
  });
}

/// The groups of a block.
struct Slice {
  unsigned begin, end;
  __device__ explicit Slice(unsigned groups) {
    const unsigned each = (groups + gridDim.x - 1) / gridDim.x;
    begin = min(groups, blockIdx.x * each), end = min(groups, begin + each);
  }
};

__device__ unsigned occupied(const unsigned* words, unsigned group) {
  const auto* const quads = reinterpret_cast<const uint4*>(words + group * kWordsOfAGroup);
  const uint4 a = quads[0], b = quads[1];
  return static_cast<unsigned>(__popc(a.x) + __popc(a.y) + __popc(a.z) + __popc(a.w) + __popc(b.x) +
                               __popc(b.y) + __popc(b.z) + __popc(b.w));
}

/// Counts the occupied leaves of every slice, and looks for copies.
__device__ void count(const Job& job, const Numbering& numbering) {
  const Slice slice(numbering.groups());
  unsigned mine = 0;
  for (unsigned g = slice.begin + threadIdx.x; g < slice.end; g += kThreads)
    mine += occupied(job.at.words, g);
  using Reduce = cub::BlockReduce<unsigned, kThreads>;
  __shared__ typename Reduce::TempStorage memory;
  const unsigned all = Reduce(memory).Sum(mine);
  if (threadIdx.x == 0) job.at.slices[blockIdx.x] = all;
  for_each_point(kCopyBuckets, [&](unsigned bucket, bool there) {
    if (there && are_many(job.at.buckets[bucket], job.at.counts->finite)) job.at.counts->has_copies = true;
  });
}

/// Ranks every group: the number of occupied leaves before it.
__device__ void rank(const Job& job, const Numbering& numbering) {
  const Slice slice(numbering.groups());
  using Scan = cub::BlockScan<unsigned, kThreads>;
  __shared__ typename Scan::TempStorage memory;
  __shared__ unsigned before_slice;
  unsigned before = 0, all = 0;
  Scan(memory).ExclusiveSum(threadIdx.x < gridDim.x ? job.at.slices[threadIdx.x] : 0, before, all);
  if (threadIdx.x == blockIdx.x) before_slice = before;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    job.at.counts->leaves = all;
    job.at.counts->size = min(all, job.sample);
  }
  __syncthreads();
  unsigned running = before_slice;
  for (unsigned first = slice.begin; first < slice.end; first += kThreads) {
    const unsigned g = first + threadIdx.x;
    Scan(memory).ExclusiveSum(g < slice.end ? occupied(job.at.words, g) : 0, before, all);
    if (g < slice.end) job.at.ranks[g] = running + before;
    running += all;
    __syncthreads();
  }
}

/// The rank of an occupied leaf.
__device__ unsigned rank_of(const Arrays& at, unsigned number) {
  const unsigned group = number / kLeavesOfAGroup, word = number / 32;
  unsigned rank = at.ranks[group];
  for (unsigned w = group * kWordsOfAGroup; w < word; ++w) rank += static_cast<unsigned>(__popc(at.words[w]));
  return rank + static_cast<unsigned>(__popc(at.words[word] & ((1U << number % 32) - 1)));
}

__device__ void add(std::int64_t& sum, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(value));
}

/// Adds each point to its leaf.
__device__ void add_points(const Job& job, const Numbering& numbering) {
  if (numbering.leaves == 0) return;
  for_each_point(job.n, [&](unsigned i, bool here) {
    const unsigned number = here ? job.at.numbers[i] : kNone;
    if (number == kNone) return;
    const Point p = job.at.points[i];
    DeviceLeaf& leaf = job.at.leaves[rank_of(job.at, number)];
    leaf.sums.any = p;  // of use only if no other point writes here
    atomicAdd(&leaf.sums.points, 1U);
    if (job.times != nullptr) {
      leaf.sums.any_time_s = job.times[i];
      add(leaf.sums.time_ns, LeafUnits::nanoseconds(job.times[i]));
    }
    if (!job.has_grid) return;
    leaf.number = number;
    const Vec3<double> at = leaf_at(job.origin + cast<double>(p), job.units.leaf_m);
    const LeafUnits& units = job.units;
    add(leaf.sums.x, units.count(p.x, units.corner(at.x, job.origin.x)));
    add(leaf.sums.y, units.count(p.y, units.corner(at.y, job.origin.y)));
    add(leaf.sums.z, units.count(p.z, units.corner(at.z, job.origin.z)));
  });
}

/// One block: finds the sample and lists its leaves in their order.
__device__ void sample(const Job& job) {
  constexpr unsigned kBins = 1U << kKeyBinBits;
  static_assert(kBins == 2 * kThreads);
  using Scan = cub::BlockScan<unsigned, kThreads>;
  __shared__ typename Scan::TempStorage memory;
  __shared__ unsigned bins[kBins], bin, wanted_inside, found;
  __shared__ unsigned long long inside[kBins], last;
  const unsigned leaves = job.at.counts->leaves, t = threadIdx.x;
  if (leaves <= job.sample) return;
  bins[2 * t] = bins[2 * t + 1] = 0;
  if (t == 0) found = 0;
  __syncthreads();
  for (unsigned k = t; k < leaves; k += kThreads) atomicAdd(bins + key_bin(job.keys(k)), 1U);
  __syncthreads();
  unsigned before = 0;
  Scan(memory).ExclusiveSum(bins[2 * t] + bins[2 * t + 1], before);
  for (unsigned b = 2 * t; b < 2 * t + 2; before += bins[b], ++b)
    if (before < job.sample && job.sample <= before + bins[b]) bin = b, wanted_inside = job.sample - before;
  __syncthreads();
  for (unsigned k = t; k < leaves; k += kThreads)
    if (const std::uint64_t key = job.keys(k); key_bin(key) == bin)
      if (const unsigned place = atomicAdd(&found, 1U); place < kBins) inside[place] = key;
  __syncthreads();
  for (unsigned k = t; k < min(found, kBins); k += kThreads) {
    unsigned rank = 0;
    for (unsigned other = 0; other < found; ++other) rank += inside[other] <= inside[k];
    if (rank == wanted_inside) last = inside[k];
  }
  __syncthreads();
  const unsigned each = (leaves + kThreads - 1) / kThreads;
  const unsigned begin = min(leaves, t * each), end = min(leaves, begin + each);
  unsigned mine = 0;
  for (unsigned k = begin; k < end; ++k) mine += job.keys(k) <= last;
  Scan(memory).ExclusiveSum(mine, before);
  for (unsigned k = begin; k < end; ++k)
    if (job.keys(k) <= last) job.at.chosen[before++] = k;
}

/// The host's memory for the outcome.
struct HostRoom {
  Point* points;
  float* times;
  PreparationCounts* counts;
};

/// Writes the outcome, also to the host's memory, and leaves the words as they were.
__device__ void write(const Job& job, const Numbering& numbering, const HostRoom& host) {
  const PreparationCounts& counts = *job.at.counts;
  if (blockIdx.x == 0 && threadIdx.x == 0) *host.counts = counts;
  const Vec3<double> size = numbering.box.size();
  const auto nx = static_cast<unsigned>(size.x), ny = static_cast<unsigned>(size.y);
  for_each_point(counts.size, [&](unsigned j, bool here) {
    if (!here) return;
    const DeviceLeaf& leaf = job.at.leaves[counts.size < counts.leaves ? job.at.chosen[j] : j];
    Point p = leaf.sums.any;
    if (job.has_grid) {
      const Vec3<double> from_low{static_cast<double>(leaf.number % nx),
                                  static_cast<double>(leaf.number / nx % ny),
                                  static_cast<double>(leaf.number / nx / ny)};
      p = centroid_of(leaf.sums, numbering.box.low + from_low, job.units);
    }
    job.at.out[j] = p;
    host.points[j] = p;
    if (job.times != nullptr) host.times[j] = time_of(leaf.sums);
  });
  if (numbering.leaves == 0) return;
  for_each_point(job.n, [&](unsigned i, bool here) {
    if (here && job.at.numbers[i] != kNone) job.at.words[job.at.numbers[i] / 32] = 0;
  });
}

/// One stage after the other, for which all blocks meet.
__global__ void __launch_bounds__(kThreads)
    prepare_kernel(const __grid_constant__ Job job, const __grid_constant__ HostRoom host) {
  const auto grid = cooperative_groups::this_grid();
  __shared__ Numbering numbering;
  filter(job);
  grid.sync();
  if (threadIdx.x == 0) numbering = numbering_of(job);
  __syncthreads();
  mark(job, numbering);
  grid.sync();
  count(job, numbering);
  grid.sync();
  rank(job, numbering);
  grid.sync();
  add_points(job, numbering);
  if (blockIdx.x == 0) sample(job);  // it needs the number of leaves alone
  grid.sync();
  write(job, numbering, host);
}

}  // namespace
}  // namespace ndt
