// A caller's points in device memory, as kernels read them.
#pragma once

#include <cstddef>

#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/cuda/buffer.cuh"

namespace ndt {

/// Point i of a DeviceCloud from a frame's origin, as copy_finite() makes it.
struct StridedPoints {
  const char* first;
  std::ptrdiff_t stride, x, y, z;
  Vec3<double> shift;  ///< the cloud's origin minus the frame's

  __device__ Point operator()(unsigned i) const {
    const char* at = first + static_cast<std::ptrdiff_t>(i) * stride;
    const Point p{*reinterpret_cast<const float*>(at + x), *reinterpret_cast<const float*>(at + y),
                  *reinterpret_cast<const float*>(at + z)};
    if (shift.x == 0 && shift.y == 0 && shift.z == 0) return p;
    return cast<float>(cast<double>(p) + shift);
  }
};

/// Points in a row, as a PointCloud has them.
inline StridedPoints packed_points(const Point* points, const Vec3<double>& shift = {}) {
  return {reinterpret_cast<const char*>(points), sizeof(Point), 0, 4, 8, shift};
}

/// The points of a cloud, which is not empty, for kernels that the context is given from now on: they run
/// behind what the cloud's stream has been given by now. Throws what require_readable() throws, and
/// std::invalid_argument "<where>: ..." unless the context's device reads the cloud's memory.
StridedPoints open_cloud(cuda::Context& context, const DeviceCloud& cloud, const Vec3<double>& frame_origin,
                         const char* where);

/// Writes those of n points that are finite to `out` in their order, and their number to `count` on the
/// device.
void pack_finite(cuda::Context& context, cuda::DeviceBuffer<std::byte>& scratch, const StridedPoints& points,
                 unsigned n, Point* out, unsigned* count);

}  // namespace ndt
