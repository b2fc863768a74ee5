#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_select.cuh>
#include <stdexcept>
#include <string>

#include "cub_call.cuh"
#include "ndt/voxel/device_points.cuh"

namespace ndt {
namespace {

struct IsFinite {
  __device__ bool operator()(const Point& p) const { return is_finite(p); }
};

void require_here(cuda::Context& context, const void* points, const char* where) {
  cudaPointerAttributes memory{};
  context.call("cudaPointerGetAttributes", [&] { return cudaPointerGetAttributes(&memory, points); });
  if (memory.type == cudaMemoryTypeUnregistered)
    throw std::invalid_argument(
        std::string(where) +
        ": the points are at an address that no device reads; give that of device memory "
        "(cudaMalloc), or a PointCloud");
  if (memory.type == cudaMemoryTypeDevice && memory.device != context.device())
    throw std::invalid_argument(std::string(where) + ": the points are on device " +
                                std::to_string(memory.device) + ", and the aligner is on device " +
                                std::to_string(context.device()) +
                                "; make one there (option device), or copy the points");
}

}  // namespace

StridedPoints open_cloud(cuda::Context& context, const DeviceCloud& cloud, const Vec3<double>& frame_origin,
                         const char* where) {
  require_readable(cloud, where);
  require_here(context, cloud.points, where);
  context.wait_for(static_cast<cudaStream_t>(cloud.stream));
  return {static_cast<const char*>(cloud.points),
          cloud.stride_bytes,
          cloud.x_bytes,
          cloud.y_bytes,
          cloud.z_bytes,
          cloud.origin - frame_origin};
}

void pack_finite(cuda::Context& context, cuda::DeviceBuffer<std::byte>& scratch, const StridedPoints& points,
                 unsigned n, Point* out, unsigned* count) {
  const auto all = thrust::make_transform_iterator(thrust::counting_iterator<unsigned>(0), points);
  const auto select = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, all, out, count, n, IsFinite{}, context.stream());
  };
  constexpr const char* kSelect = "cub::DeviceSelect::If";
  const std::size_t bytes = cub_bytes(context, kSelect, select);
  scratch.reserve(bytes);
  cub_call(context, scratch.data(), bytes, kSelect, 2, select);
}

}  // namespace ndt
