#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "cub_call.cuh"
#include "device_room.cuh"
#include "ndt/align/usable_points.hpp"
#include "ndt/voxel/device_points.cuh"
#include "ndt/voxel/device_voxel_map.cuh"

namespace ndt {
namespace {

/// The facts asked of all points of a map. The box is of the finite points; its numbers are in_order().
struct MapLook {
  int low[3], high[3];
  unsigned not_finite;
  unsigned coarse;  ///< finite points with a coordinate of coarse_from_m or more
};

/// At no points.
__device__ MapLook no_look() {
  return {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}, 0, 0};
}

__global__ void clear_look_kernel(MapLook* look) { *look = no_look(); }

__global__ void pack_map_kernel(StridedPoints from, unsigned n, float coarse_from_m, Point* to,
                                MapLook* look) {
  __shared__ MapLook block;
  if (threadIdx.x == 0) block = no_look();
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const Point p = from(i);
    to[i] = p;
    const float coordinates[3] = {p.x, p.y, p.z};
    if (!is_finite(p)) {
      atomicAdd(&block.not_finite, 1U);
    } else {
      float largest = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const int value = in_order(__float_as_int(coordinates[axis]));
        atomicMin(&block.low[axis], value), atomicMax(&block.high[axis], value);
        largest = fmaxf(largest, fabsf(coordinates[axis]));
      }
      if (largest >= coarse_from_m) atomicAdd(&block.coarse, 1U);
    }
  }
  __syncthreads();
  if (threadIdx.x < 3) {
    atomicMin(&look->low[threadIdx.x], block.low[threadIdx.x]);
    atomicMax(&look->high[threadIdx.x], block.high[threadIdx.x]);
  }
  if (threadIdx.x == 3 && block.not_finite > 0) atomicAdd(&look->not_finite, block.not_finite);
  if (threadIdx.x == 4 && block.coarse > 0) atomicAdd(&look->coarse, block.coarse);
}

__global__ void kilometre_kernel(const Point* points, unsigned n, double origin, int axis,
                                 std::int64_t* kilometres) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) kilometres[i] = kilometre_of(origin + static_cast<double>((&points[i].x)[axis]));
}

/// Returns what KilometreCounts::median() gives for one coordinate of n points, at least one. Waits.
std::int64_t median_kilometre(cuda::Context& context, const Point* points, unsigned n, double origin,
                              int axis) {
  cub::DoubleBuffer<std::int64_t> keys;
  const auto sort = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, 64, context.stream());
  };
  constexpr const char* kSort = "cub::DeviceRadixSort::SortKeys";
  const std::size_t bytes = cub_bytes(context, kSort, sort);
  const cuda::DeviceArrays<std::int64_t, std::int64_t, std::byte> memory(context, {n, n, bytes});
  keys = {memory.data<0>(), memory.data<1>()};
  context.launch(kilometre_kernel, cuda::grid_for(n), points, n, origin, axis, keys.Current());
  cub_call(context, memory.data<2>(), bytes, kSort, 2 + 8 + 1, sort);
  std::int64_t median = 0;
  context.fetch(&median, keys.Current() + n / 2, sizeof median);
  return median;
}

/// Throws InputError if most of the points are too coarse: the check and the words of a map on the host.
void require_fine(cuda::Context& context, const Point* points, std::size_t n, const AlignOptions& options) {
  std::vector<Point> all(n);
  context.fetch(all.data(), points, n * sizeof(Point));
  require_map_precision(all, options);
}

MapLook pack(cuda::Context& context, const StridedPoints& points, unsigned n, float coarse_from_m,
             Point* to) {
  const cuda::DeviceBuffer<MapLook> on_device(context, 1);
  context.launch(clear_look_kernel, cuda::Grid{}, on_device.data());
  context.launch(pack_map_kernel, cuda::grid_for(n), points, n, coarse_from_m, to, on_device.data());
  MapLook look;
  context.fetch(&look, on_device.data(), sizeof look);
  return look;
}

Point in_floats(const int (&ordered)[3]) {
  float out[3];
  for (int axis = 0; axis < 3; ++axis) {
    const std::int32_t bits = in_order(ordered[axis]);
    std::memcpy(&out[axis], &bits, sizeof bits);
  }
  return {out[0], out[1], out[2]};
}

double largest_coordinate(const Vec3<double>& v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}

}  // namespace

DeviceMapCloud::DeviceMapCloud(cuda::Context& context, const MapCloud& on_host, const AlignOptions& options)
    : facts_(on_host.facts()), offsets_(context) {
  const MapPoints points = on_host.points({});
  own_origin_ = points.shift, box_ = points.box;
  require_device_room(context,
                      points.size * sizeof(Point) + device_sort_bytes(points.size, options.min_points, 0));
  offsets_.reserve(points.size);
  context.upload_copy(offsets_.data(), points.offsets, points.size * sizeof(Point));
}

DeviceMapCloud::DeviceMapCloud(cuda::Context& context, const DeviceCloud& map, const AlignOptions& options)
    : own_origin_(map.origin), offsets_(context) {
  if (map.size == 0) return;
  const StridedPoints points = open_cloud(context, map, map.origin, "set_map");
  const auto n = static_cast<unsigned>(map.size);
  require_device_room(context, n * sizeof(Point) + device_sort_bytes(n, options.min_points, 0));
  offsets_.reserve(n);
  const MapLook look = pack(context, points, n, coarse_from_m(coarsest_step_m(options)), offsets_.data());
  const unsigned finite = n - look.not_finite;
  if (2 * std::uint64_t{look.coarse} > finite) require_fine(context, offsets_.data(), n, options);
  if (look.not_finite > 0) {
    const cuda::DeviceBuffer<unsigned> count(context, 1);
    cuda::DeviceBuffer<std::byte> scratch(context);
    pack_finite(context, scratch, points, n, offsets_.data(), count.data());
    context.synchronise();
  }
  facts_.points = finite, facts_.dropped = look.not_finite;
  if (finite == 0) return;
  box_ = {in_floats(look.low), in_floats(look.high)};
  const double largest =
      std::max(largest_coordinate(cast<double>(box_.low)), largest_coordinate(cast<double>(box_.high)));
  const bool near = largest_coordinate(own_origin_) + largest < kOriginThresholdM;
  const double own[3] = {own_origin_.x, own_origin_.y, own_origin_.z};
  for (int axis = 0; axis < 3; ++axis)
    facts_.kilometres[static_cast<std::size_t>(axis)].add(
        near ? 0 : median_kilometre(context, offsets_.data(), finite, own[axis], axis), finite);
}

DeviceMapCloud::DeviceMapCloud(cuda::Context& context, const CloudFacts& facts,
                               std::span<const DeviceMapCloud* const> parts)
    : facts_(facts), offsets_(context) {
  require_device_room(context, static_cast<std::uint64_t>(facts.points) * sizeof(Point));
  offsets_.reserve(static_cast<std::size_t>(facts.points));
  std::size_t n = 0;
  for (const DeviceMapCloud* part : parts) {
    const auto size = static_cast<std::size_t>(part->facts_.points);
    context.call("cudaMemcpyAsync", [&] {
      return cudaMemcpyAsync(offsets_.data() + n, part->offsets_.data(), size * sizeof(Point),
                             cudaMemcpyDeviceToDevice, context.stream());
    });
    own_origin_ = part->own_origin_, n += size;
  }
}

}  // namespace ndt
