// What every aligner on a GPU has: a CUDA context, the voxel map on the device, one copy up with scan and guesses, one copy down with
// results, and scores of poses. An implementation adds submit_runs(), and collect_run() if it returns before the device is done.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ndt/cuda/buffer.cuh"
#include "ndt/edge/loop_aligner.hpp"
#include "ndt/score/device_scoring.cuh"
#include "ndt/voxel/device_voxel_map.cuh"

namespace ndt {

class DeviceAligner : public LoopAligner {
 public:
  /// The old map stays if the new one cannot be built.
  MapInfo set_map(const PointCloud& map) final;
  std::vector<VoxelRow> voxels() const final;
  std::optional<Traffic> traffic() const final { return context_.traffic(); }

 protected:
  /// Throws std::invalid_argument for options out of range, cuda::Error if the device cannot be used.
  explicit DeviceAligner(const AlignOptions& options);
  ~DeviceAligner() override { context_.settle(); }

  /// Bytes that travel in front of a scan's points: guesses, or what an implementation makes of them.
  virtual std::size_t bytes_ahead(std::size_t poses) const = 0;
  /// Another map took the last one's place.
  virtual void map_changed() {}

  cuda::Context& context() { return context_; }
  VoxelMapView view() const { return map_->view(); }
  const VoxelSurface* surfaces() const { return map_->surfaces(); }

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
  /// Uploads scan and guesses: the whole of what travels up, where bytes_ahead() is their guesses.
  PlacedScan place(const LoopScan& scan, std::span<const LoopRun> runs);
  /// Waits for the outcomes and traces, [runs] and [runs][trace_lines] in device memory, and hands them out.
  void fetch(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines, std::span<LoopRun> runs);

  /// Where upload_scan() will put its parts. Throws std::logic_error unless room_for_scan() was asked for them.
  PlacedScan reserve_scan(const ScanView& scan, std::size_t poses, std::size_t ahead);
  /// Where the `ahead` bytes will be. Moves if the buffer does or more poses than ever need room,
  /// not with the scan's size.
  const void* uploaded(std::size_t ahead) const { return uploaded_.data() + front_ - ahead; }
  /// One copy of the guesses, `ahead` bytes and the points, behind a reserve_scan() for them.
  void upload_scan(const ScanView& scan, std::span<const LoopRun> runs, const void* ahead, std::size_t ahead_bytes);
  /// Sets device memory to zero: what is downloaded must have been written.
  void clear(void* device, std::size_t bytes) { context_.fill_bytes(device, 0, bytes); }
  /// Starts one copy of the outcomes, and one more of the traces if there are any.
  void fetch_outcomes(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines, std::size_t poses);
  /// In place of a copy of the outcomes: pinned memory where a kernel writes them, `end` last.
  LoopOutcome* outcomes_in_place(std::size_t poses);
  /// Waits until outcome k is there, and ends the kernel early when deadline or stop request say so.
  const LoopOutcome& outcome_in_place(std::size_t k, const PerScan& per_scan);
  void fetch_traces(const LoopTrace* traces, int trace_lines, std::size_t poses);
  /// Trace k, of as many lines as its outcome says; behind a synchronise().
  void collect_trace(std::size_t k, int trace_lines, LoopRun& one) const;
  /// Waits, and hands them out.
  void collect_outcomes(int trace_lines, std::span<LoopRun> runs);

  /// The word that tells a running kernel to end early, a LoopEnd the host may write at any time; null if nothing can end this
  /// alignment early. To be asked for before the launch.
  const volatile int* interrupt_word(const PerScan& per_scan);
  /// Behind the launch: waits until the device is done, and writes the word when deadline or stop request say so. Does
  /// nothing if nothing can end the alignment early.
  void watch(const PerScan& per_scan);

 private:
  const Vec3<double>* map_origin() const final { return map_ ? &map_->origin() : nullptr; }
  Point* room_for_scan(std::size_t points, std::size_t poses) final;
  void score(const LoopScan& scan, std::span<const Transform> local_poses, std::span<Score> out) final;
  std::vector<float> point_scores(const LoopScan& scan, const Transform& local_pose) final;
  void interrupt(const PerScan& per_scan);
  void require_room(const ScanView& scan, std::size_t in_front) const;
  /// One copy of the points and so many staged bytes in front of them.
  void upload_staged(std::size_t in_front, const ScanView& scan);

  cuda::Context context_;
  std::unique_ptr<DeviceVoxelMap> map_;
  // Both alike: the points at front_, a multiple of 256, and what goes with them ends there.
  cuda::PinnedBuffer<char> staging_;
  cuda::DeviceBuffer<char> uploaded_;
  std::size_t front_ = 0;
  cuda::PinnedBuffer<LoopOutcome> outcomes_;
  cuda::PinnedBuffer<LoopTrace> traces_;
  cuda::PinnedBuffer<int> interrupt_;
  ScoreScratch score_scratch_;
  cuda::DeviceBuffer<PoseScore> scores_;
  cuda::PinnedBuffer<PoseScore> host_scores_;
  cuda::DeviceBuffer<float> point_scores_;
};

}  // namespace ndt
