// The entrance of scans that are in device memory: they are packed and looked at by one kernel, with the bits
// of copy_scan_points().
#pragma once

#include <optional>
#include <span>

#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/device_points.cuh"

namespace ndt {

/// The number of a scan's points, and the last of them, fewer than a block.
struct ScanRest {
  unsigned size;
  Point points[kRangeBlock];
};

class DeviceScan {
 public:
  explicit DeviceScan(cuda::Context& context)
      : context_(context), scratch_(context), count_(context), blocks_(context), rest_(context) {}

  /// Packs the cloud's finite points into `room` on the device, for cloud.size points, and waits. The sums of
  /// their ranges travel to the host, a byte for every point. Nothing if a point is kFar_m away or more: the
  /// host decides what becomes of it, and room has all points as they are. Throws as open_cloud() does.
  std::optional<CopiedPoints> take(const DeviceCloud& cloud, Point* room, const char* where);
  /// Takes finite points that are packed on the device already, as offsets from `origin`: as many as *count
  /// tells, at most `most`.
  std::optional<CopiedPoints> take_packed(const Point* points, const Vec3<double>& origin, unsigned most,
                                          const unsigned* count, Point* room);
  /// Writes n > 0 points as they are into `room` on the device.
  void copy(const StridedPoints& points, unsigned n, Point* room);

 private:
  /// The outcome of a look at the points, beside the sums of their ranges.
  enum class Look { all_usable, some_not_finite, some_far };
  /// Packs n points, or as many as *count tells, and waits.
  Look pack(const StridedPoints& points, unsigned n, const unsigned* count, Point* room);
  CopiedPoints packed(std::size_t given) const;
  std::span<const RangeBlock> blocks() const { return {blocks_.data(), rest_.data()->size / kRangeBlock}; }
  std::span<const Point> rest() const { return {rest_.data()->points, rest_.data()->size % kRangeBlock}; }

  cuda::Context& context_;
  cuda::DeviceBuffer<std::byte> scratch_;
  cuda::DeviceBuffer<unsigned> count_;
  cuda::PinnedBuffer<RangeBlock> blocks_;  // written by the kernel, as is rest_
  cuda::PinnedBuffer<ScanRest> rest_;
};

}  // namespace ndt
