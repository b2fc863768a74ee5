// The common part of all aligners on a GPU: a CUDA context, the voxel map on the device, one copy up with
// scan and guesses, one copy down with results, and scores of poses. An implementation adds submit_runs(),
// and collect_run() if submit_runs() returns before the device is done.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ndt/core/finite_points.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/edge/device_preparation.cuh"
#include "ndt/edge/device_scan.cuh"
#include "ndt/edge/host_patience.hpp"
#include "ndt/edge/loop_aligner.hpp"
#include "ndt/edge/tiled_map.hpp"
#include "ndt/score/device_scoring.cuh"
#include "ndt/voxel/device_voxel_map.cuh"

namespace ndt {

class DeviceAligner : public LoopAligner {
 public:
  /// Builds the map on the device. If that fails, the old map stays. Throws InputError before it takes memory
  /// that the device does not have. What only building needed is given back to the device.
  MapInfo set_map(const Scan& map) final;
  void reserve(std::size_t points, std::size_t poses) final;
  std::span<Point> scan_memory(std::size_t points) final;
  /// Tiles are held and maps built in a Context of their own, so on a stream beside the alignments. The
  /// memory of a map that nobody uses any more, on whatever thread, is there for the next build.
  std::unique_ptr<ResidentMap> resident_map() const final;
  std::shared_ptr<const ReadyMap> exchange_map(std::shared_ptr<const ReadyMap> map) final;
  std::vector<VoxelInfo> voxels() const final;
  Counters counters() const override { return {context_.traffic(), LoopAligner::counters().stage_times}; }

 protected:
  /// Throws std::invalid_argument for options out of range, cuda::Error if the device cannot be used.
  explicit DeviceAligner(const AlignOptions& options);
  ~DeviceAligner() override { context_.settle(); }

  /// Builds a map and aligns a scan, and forgets them. An implementation does it when it is made, so that the
  /// caller's first call finds its kernels loaded and its memory taken. It takes some milliseconds the first
  /// time in a process, because of the kernels.
  void rehearse();

  /// Number of bytes that travel in front of a scan's points: guesses, or what an implementation makes of
  /// them.
  virtual std::size_t bytes_ahead(std::size_t poses) const = 0;
  /// Scans of fewer points may have more chunks to score.
  void reserve_more(std::size_t points, std::size_t poses) override;
  /// Called when another map has replaced the last one.
  virtual void map_changed() {}

  cuda::Context& context() const { return context_; }

  /// Runs f. If f throws, waits for the device before it passes the exception on, because the device may
  /// still use memory that the next call reuses.
  template <class F>
  void transact(F&& f) {
    try {
      f();
    } catch (...) {
      context_.settle();
      throw;
    }
  }
  /// Uploads scan and guesses, which is everything if bytes_ahead() counts guesses only.
  PlacedScan place(const LoopScan& scan, std::span<const LoopRun> runs);
  /// Waits for the outcomes and traces, [runs] and [runs][trace_lines] in device memory, and hands them out.
  void fetch(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines, std::span<LoopRun> runs);

  /// Tells where upload_scan() will put its parts. Throws std::logic_error unless room_for_scan() was asked
  /// for them.
  PlacedScan reserve_scan(const ScanView& scan, std::size_t poses, std::size_t ahead);
  /// Whether the scan came from device memory, so that there is nothing to upload.
  bool is_on_device(const ScanView& scan) const { return scan.points == points_on_device(); }
  /// Address of the `ahead` bytes on the device. It changes if the buffer moves, or if more poses than ever
  /// before need room, but not with the scan's size.
  const void* uploaded(std::size_t ahead) const { return uploaded_.data() + front_ - ahead; }
  /// Uploads the guesses, the `ahead` bytes and the points in one copy, after a reserve_scan() for them.
  void upload_scan(const ScanView& scan, std::span<const LoopRun> runs, const void* ahead,
                   std::size_t ahead_bytes);
  /// Gives the guesses in pinned memory, from where a kernel reads them: sooner done than a copy, where there
  /// is no scan to upload with them.
  const Transform* guesses_in_place(std::span<const LoopRun> runs);
  /// Sets device memory to zero, because memory that is downloaded must have been written.
  void clear(void* device, std::size_t bytes) { context_.fill_bytes(device, 0, bytes); }
  /// Starts one copy of the outcomes, and one more of the traces if there are any.
  void fetch_outcomes(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines,
                      std::size_t poses);
  /// Gives pinned memory into which a kernel writes the outcomes, which replaces their copy: all but the cost
  /// of pushes, `status`, and that cost, in this order.
  LoopOutcome* outcomes_in_place(std::size_t poses);
  /// Waits until outcome k is there, all but the cost of pushes. Ends the kernel early at the deadline or on
  /// a stop request.
  const LoopOutcome& outcome_in_place(std::size_t k, const PerScan& per_scan);
  /// Waits until all of outcome k is there.
  const LoopOutcome& whole_outcome_in_place(std::size_t k, const PerScan& per_scan);
  void fetch_traces(const LoopTrace* traces, int trace_lines, std::size_t poses);
  /// Hands out trace k, with as many lines as its outcome tells, after a synchronise().
  void collect_trace(std::size_t k, int trace_lines, LoopRun& one) const;
  /// Waits for the outcomes and traces, and hands them out.
  void collect_outcomes(int trace_lines, std::span<LoopRun> runs);

  /// Gives the word that tells a running kernel to end early: a LoopStatus that the host may write at any
  /// time. Null if nothing can end this alignment early. Must be called before the launch of so many poses,
  /// because how long the host waits for them follows from it.
  const volatile int* interrupt_word(const PerScan& per_scan, const LoopScan& scan,
                                     const LoopOptions& options, std::size_t poses);
  /// After the launch: waits until the device is done, and writes the word at the deadline or on a stop
  /// request. Does nothing if nothing can end the alignment early.
  void watch(const PerScan& per_scan);
  /// Waits for the kernel's end, however it ends. Throws DeviceHung if that takes too long.
  void wait_for_kernel();
  /// After a launch that ended without a result: which of the kernel's own waits was in vain, as a clause;
  /// empty if none is known.
  virtual std::string wait_in_vain() { return {}; }

 private:
  using Maps = LevelMaps<DeviceVoxelMap>;

  void use(std::shared_ptr<const Maps> maps);
  /// Cloud: PointCloud or DeviceCloud.
  template <class Cloud>
  MapInfo build_map(const Cloud& map);
  Point* room_for_scan(std::size_t points, std::size_t poses) final;
  TakenScan take_device_scan(const DeviceCloud& scan, std::size_t poses, const char* where) final;
  const Point* keep_scan(const TakenScan& scan) final;
  std::optional<HeldRawScan> prepare_on_device(const Scan& raw, const RawScanUse& use, std::size_t poses,
                                               TakenScan& taken) final;
  PointCloud fetched(const DeviceCloud& scan, const char* where) final;
  void score(const LoopScan& scan, std::span<const Transform> local_poses, std::span<Score> out) final;
  std::vector<float> point_scores(const LoopScan& scan, const Transform& local_pose) final;
  void interrupt(const PerScan& per_scan);
  /// Throws DeviceHung if the host has waited for too long. From then on every call throws it.
  void require_patience();
  /// Waits for the kernel's end, and throws its error or DeviceHung.
  [[noreturn]] void throw_no_result();
  /// Waits until there() holds for what a kernel writes to host memory.
  template <class There>
  void await(const PerScan& per_scan, There&& there);
  void require_room(const ScanView& scan, std::size_t in_front) const;
  /// Writes the guesses in front of the `behind` bytes in front of the points. Gives the first.
  char* stage(std::span<const LoopRun> runs, std::size_t behind);
  /// The place of a scan on the device, whether the scan comes there by an upload or was there before.
  Point* points_on_device() const { return reinterpret_cast<Point*>(uploaded_.data() + front_); }
  /// Uploads the `in_front` staged bytes before the points, and in the same copy the points, unless they are
  /// on the device already.
  void upload_staged(std::size_t in_front, const ScanView& scan);

  mutable cuda::Context context_;  // with which voxels() downloads, and counters() waits
  std::shared_ptr<const Maps> maps_;
  bool is_own_ = true;  ///< maps_ is in memory of context_
  // Both have the same layout: the points begin at front_, a multiple of 256, and what travels with them ends
  // there.
  cuda::PinnedBuffer<char> staging_;
  cuda::DeviceBuffer<char> uploaded_;
  std::size_t front_ = 0;
  DeviceScan device_scan_;
  DevicePreparation preparation_;
  cuda::PinnedBuffer<LoopOutcome> outcomes_;
  cuda::PinnedBuffer<LoopTrace> traces_;
  cuda::PinnedBuffer<int> interrupt_;
  HostPatience patience_;  ///< with the work under way
  ScoreScratch score_scratch_;
  std::vector<Motion> motions_;  ///< that were scored last
  cuda::DeviceBuffer<PoseScore> scores_;
  cuda::PinnedBuffer<PoseScore> host_scores_;
  cuda::DeviceBuffer<float> point_scores_;
};

}  // namespace ndt
