// The staged schedule as an aligner: HostAligner with HostBackend, or DeviceAligner with CudaBackend.
#pragma once

#include <algorithm>

#include "ndt/edge/loop_aligner.hpp"
#include "pipeline.hpp"
#include "staged_buffers.hpp"

namespace ndt::gpu_multikernel {

template <class Edge, class Backend>
class StagedAligner final : public Edge {
 public:
  explicit StagedAligner(const AlignOptions& options)
      : Edge(options), backend_(resource()), buffers_(backend_) {}

 private:
  /// The pool or context on which the backend launches.
  auto& resource() {
    if constexpr (requires { this->pool(); })
      return this->pool();
    else
      return this->context();
  }

  std::size_t bytes_ahead(std::size_t poses) const { return poses * sizeof(Transform); }

  /// The arrays of poses, because fewer points leave room for more at once, and the solver's, because nothing
  /// is solved where no point has a voxel.
  void reserve_more(std::size_t points, std::size_t poses) override {
    Edge::reserve_more(points, poses);
    const int trials = most_trials();
    const int most = StagedBuffers<Backend>::poses_within(Backend::kBytes, 1, trials),
              systems = static_cast<int>(std::min(poses, static_cast<std::size_t>(most)));
    this->transact([&] {
      const StagedArrays a = buffers_.reserve(1, systems, trials, 0);
      const auto count = static_cast<std::size_t>(systems);
      backend_.clear(a.matrices, count * 36 * sizeof(double));
      backend_.clear(a.vectors, count * 6 * sizeof(double));
      backend_.solve(a.matrices, a.vectors, a.factorised, systems);
    });
  }
  int most_trials() const {
    return this->options().line_search == LineSearch::batched ? StepSearch::kBatchedTrials : 1;
  }

  /// Splits batches whose arrays would take more than Backend::kBytes.
  void submit_runs(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                   std::span<LoopRun> runs) override {
    const int points = scan.view().size;
    const int trials = most_trials();
    const auto at_once =
        static_cast<std::size_t>(StagedBuffers<Backend>::poses_within(Backend::kBytes, points, trials));
    for (std::size_t first = 0; first < runs.size(); first += at_once)
      run_slice(scan, options, per_scan, runs.subspan(first, std::min(at_once, runs.size() - first)), trials);
  }

  void run_slice(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                 std::span<LoopRun> runs, int trials) {
    const int trace_lines = per_scan.trace ? options.max_iterations + 1 : 0;
    StepArguments args;
    args.a = buffers_.reserve(scan.view().size, static_cast<int>(runs.size()), trials, trace_lines);
    this->for_each_level([&](std::size_t l, const LevelMap& map) { args.levels[l] = map; });
    args.options = options;
    args.coarse_stride = this->options().coarse_stride;
    this->transact([&] {
      const PlacedScan placed = this->place(scan, runs);
      args.a.scan = placed.points;
      args.a.guesses = placed.guesses;
      backend_.clear(args.a.trace, runs.size() * static_cast<std::size_t>(trace_lines) * sizeof(LoopTrace));
      this->options().step_control == StepControl::trust_region
          ? align_poses<TrustRegion>(backend_, args, HostWatch{per_scan})
          : align_poses<ClampedSteps>(backend_, args, HostWatch{per_scan});
      this->fetch(args.a.outcomes, args.a.trace, trace_lines, runs);
    });
  }

  Backend backend_;
  StagedBuffers<Backend> buffers_;
};

}  // namespace ndt::gpu_multikernel
