// The way of a raw scan to an alignment on a device. It has the bits of prepare_raw(), and is one kernel
// whose blocks meet after each step.
#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <span>

#include "ndt/align/preparation.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/edge/device_scan.cuh"
#include "ndt/edge/preparation_state.hpp"
#include "ndt/voxel/device_points.cuh"

namespace ndt {

/// A raw scan that kernels read, and its times, of which there may be none.
struct RawPoints {
  StridedPoints points;
  const float* times;
};

/// Room for a scan and for somewhat larger ones: to take pinned memory lasts longer than all else of a frame.
inline std::size_t room_for(std::size_t points) { return std::bit_ceil(points); }

class DevicePreparation {
 public:
  DevicePreparation(cuda::Context& context, DeviceScan& scan);

  /// Whether prepare() may have such a scan: it has points, not too many, and a filter is asked for.
  bool takes(std::size_t points, const Vec3<double>& origin, const RawScanUse& use) const;
  /// Prepares n points of a scan that it takes, and packs them into `packed_room` on the device, which has
  /// space for n. `chosen` tells what a registration uses of them. Waits once.
  ///
  /// Nothing if the host must do it, which takes longer. That is so with a motion but no times,
  /// and where a point is kFar_m away or more. It is also so if leaves are too many to number, or if
  /// copies or a shell of points may be no returns.
  std::optional<HeldRawScan> prepare(const RawPoints& raw, const Vec3<double>& origin, unsigned n,
                                     const RawScanUse& use, Point* packed_room, CopiedPoints& chosen);
  /// Pinned memory for a scan, valid until the next call of this or of staged().
  std::span<Point> memory(std::size_t points);
  /// A scan in this memory or elsewhere where the device reads it. Throws as open_cloud() does.
  RawPoints there(const DeviceCloud& scan);
  /// A scan that lies where the device does not reach it, in pinned memory.
  RawPoints staged(const PointCloud& scan);

 private:
  HeldRawScan report(const PreparationCounts& found, unsigned n, const Vec3<double>& origin,
                     const ScanPreparation& filters) const;

  cuda::Context& context_;
  DeviceScan& scan_;
  cuda::PinnedBuffer<Point> staged_;
  cuda::PinnedBuffer<float> staged_times_;
  cuda::PinnedBuffer<Point> prepared_;
  cuda::PinnedBuffer<float> prepared_times_;
  cuda::DeviceBuffer<SweepMotion> motion_;
  cuda::PinnedBuffer<PreparationCounts> found_;
  /// The leaves of a grid, a bit each; 32 MiB. All zero between two scans, unless a kernel failed.
  cuda::DeviceBuffer<unsigned> words_;
  bool words_are_zero_ = false;
  /// The place, range and leaf of each point. The sums of each leaf, and its place in the sample. The
  /// outcome. The rank of each group, the occupied leaves of each slice, and the counts.
  cuda::DeviceArrays<Point, double, unsigned, DeviceLeaf, unsigned, Point, unsigned, unsigned, std::byte>
      arrays_;
  unsigned blocks_;  ///< of the kernel; 0: the device has no such launch
};

}  // namespace ndt
