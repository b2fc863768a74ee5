// A staged row: the edge of solve/loop_aligner.hpp around the pipeline, on a backend.
#pragma once

#include <algorithm>

#include "ndt/edge/loop_aligner.hpp"
#include "pipeline.hpp"
#include "staged_buffers.hpp"

namespace ndt::gpu_multikernel {

/// A Backend keeps the map and runs bodies:
///   set_map(cloud, options) -> MapInfo, origin() -> const Vec3<double>*, view(), surfaces(), rows()
///   array<T>()  an Array<T> with reserve(n) and data();  upload(points, runs, StagedArrays&)  scan and guesses
///   launch(n, body), sum_segments(values, segments, length, sums), solve(matrices, vectors, factorised, systems)
///   read_flag(pointer), download(arrays, runs), score(...), point_scores(...), traffic()
///   room_for_scan(points, poses, ahead)  where the points of a scan shall be written; may be missing
///   kBytes  what the arrays of a batch may take; larger batches are split
template <class Backend>
class StagedAligner final : public LoopAligner {
 public:
  explicit StagedAligner(const AlignOptions& options) : LoopAligner(options), backend_(options), buffers_(backend_) {}

  MapInfo set_map(const PointCloud& map) override { return backend_.set_map(map, options()); }
  std::vector<VoxelRow> voxels() const override {
    require_map("voxels");
    return backend_.rows();
  }
  std::optional<Traffic> traffic() const override { return backend_.traffic(); }

 private:
  const Vec3<double>* map_origin() const override { return backend_.origin(); }
  Point* room_for_scan(std::size_t points, std::size_t poses) override {
    if constexpr (requires { backend_.room_for_scan(points, poses, std::size_t{0}); })
      return backend_.room_for_scan(points, poses, 0);
    else
      return LoopAligner::room_for_scan(points, poses);
  }

  void run(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
           std::span<LoopRun> runs) override {
    const int points = scan.view().size;
    const int trials = options.line_search == LineSearch::batched ? StepSearch::kCandidates : 1;
    const auto at_once =
        static_cast<std::size_t>(StagedBuffers<Backend>::poses_within(Backend::kBytes, points, trials));
    for (std::size_t first = 0; first < runs.size(); first += at_once)
      run_slice(scan, options, per_scan, runs.subspan(first, std::min(at_once, runs.size() - first)), trials);
  }

  void run_slice(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan, std::span<LoopRun> runs,
                 int trials) {
    const int trace_lines = per_scan.trace ? options.max_iterations + 1 : 0;
    Frame f;
    f.a = buffers_.reserve(scan.view().size, static_cast<int>(runs.size()), trials, trace_lines);
    f.map = backend_.view();
    f.surfaces = backend_.surfaces();
    f.gauss = gauss();
    f.options = options;
    f.mean_range_m = scan.facts.mean_range_m;
    backend_.transact([&] {
      backend_.upload(scan.view(), runs, f.a);
      align_poses(backend_, f, HostWatch{per_scan});
      backend_.download(f.a, runs);
    });
  }

  void score(const LoopScan& scan, std::span<const Transform> poses, std::span<Score> out) override {
    backend_.score(scan.view(), gauss(), motions_at(poses), out);
  }
  std::vector<float> point_scores(const LoopScan& scan, const Transform& pose) override {
    return backend_.point_scores(scan.view(), gauss(), loop_start(pose).at.motion);
  }

  Backend backend_;
  StagedBuffers<Backend> buffers_;
};

}  // namespace ndt::gpu_multikernel
