// What both CUDA rows have: a context, the map on the device, one copy up with scan and guesses, one copy down with results.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ndt/cuda/buffer.cuh"
#include "ndt/score/device_scoring.cuh"
#include "ndt/solve/loop_aligner.hpp"
#include "ndt/voxel/device_voxel_map.cuh"

namespace ndt::gpu_multikernel {

/// Where upload_scan() put them.
struct DeviceScan {
  const Point* points = nullptr;
  const Transform* guesses = nullptr;
};

class DeviceRow {
 public:
  DeviceRow();

  /// The old map stays if the new one cannot be built.
  MapInfo set_map(const PointCloud& map, const AlignOptions& options);
  const Vec3<double>* origin() const { return map_ ? &map_->origin() : nullptr; }
  VoxelMapView view() const { return map_->view(); }
  const VoxelSurface* surfaces() const { return map_->surfaces(); }
  std::vector<VoxelRow> rows() const { return map_->rows(); }
  std::optional<Traffic> traffic() const { return context_.traffic(); }

  /// Runs f; if it throws, waits for the device first, which may still be using memory that the next call wants.
  template <class F>
  void transact(F&& f) {
    try {
      f();
    } catch (...) {
      context_.settle();
      throw;
    }
  }

  /// Synchronous.
  void score(const ScanView& scan, const Gauss<float>& gauss, std::span<const Motion> motions, std::span<Score> out);
  std::vector<float> point_scores(const ScanView& scan, const Gauss<float>& gauss, const Motion& motion);

 protected:
  cuda::Context& context() { return context_; }
  /// Room for the copy that upload_scan() makes, and where its parts will be. `ahead`: bytes of the caller's in front.
  DeviceScan reserve_scan(const ScanView& scan, std::size_t poses, std::size_t ahead);
  const void* uploaded() const { return uploaded_.data(); }
  /// One copy of `ahead` bytes, the guesses and the points, behind a reserve_scan() for them.
  void upload_scan(const ScanView& scan, std::span<const LoopRun> runs, const void* ahead, std::size_t ahead_bytes);
  /// Sets device memory to zero: what is downloaded must have been written.
  void clear(void* device, std::size_t bytes) { context_.fill_bytes(device, 0, bytes); }
  /// Starts one copy of the outcomes, and one more of the traces if there are any.
  void fetch_outcomes(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines, std::size_t poses);
  /// Waits, and hands them out.
  void collect_outcomes(int trace_lines, std::span<LoopRun> runs);

 private:
  cuda::Context context_;
  std::unique_ptr<DeviceVoxelMap> map_;
  cuda::PinnedBuffer<char> staging_;
  cuda::DeviceBuffer<char> uploaded_;
  cuda::PinnedBuffer<LoopOutcome> outcomes_;
  cuda::PinnedBuffer<LoopTrace> traces_;
  ScoreScratch score_scratch_;
  cuda::DeviceBuffer<PoseScore> scores_;
  cuda::PinnedBuffer<PoseScore> host_scores_;
  cuda::DeviceBuffer<float> point_scores_;
};

}  // namespace ndt::gpu_multikernel
