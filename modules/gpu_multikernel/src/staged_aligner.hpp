// The staged schedule as an aligner: HostAligner with HostBackend, or DeviceAligner with CudaBackend.
#pragma once

#include <algorithm>
#include <utility>

#include "ndt/edge/loop_aligner.hpp"
#include "pipeline.hpp"
#include "staged_state.hpp"

namespace ndt::gpu_multikernel {

template <class Backend>
class StagedBuffers {
 public:
  explicit StagedBuffers(Backend& backend)
      : states_(backend.template array<PoseState>()),
        trial_(backend.template array<Trial>()),
        floats_(backend.template array<float>()),
        neighbours_(backend.template array<std::uint32_t>()),
        counts_(backend.template array<int>()),
        doubles_(backend.template array<double>()),
        trace_(backend.template array<LoopTrace>()),
        outcomes_(backend.template array<LoopOutcome>()) {}

  /// Number of poses that fit into `bytes`, at least one, such that every index is an int.
  static int poses_within(std::int64_t bytes, std::int64_t points, int trials) {
    const std::int64_t per_pose =
        std::max<std::int64_t>(1, points * (4 * floats_per_point(trials) + 4 * (kListedNeighbours + 1)));
    const std::int64_t indexable = (std::int64_t{1} << 30) / std::max<std::int64_t>(1, points * trials);
    return static_cast<int>(std::clamp<std::int64_t>(std::min(bytes / per_pose, indexable), 1, 65535));
  }

  /// Makes room for a problem of that extent. Allocates only for the largest so far. trace_lines: per pose, 0
  /// for none.
  StagedArrays reserve(int points, int poses, int trials, int trace_lines) {
    const auto n = static_cast<std::size_t>(points), k = static_cast<std::size_t>(poses),
               kc = k * static_cast<std::size_t>(trials);
    states_.reserve(k);
    trial_.reserve(kc);
    floats_.reserve(k * n * static_cast<std::size_t>(floats_per_point(trials)));
    neighbours_.reserve(k * n * kListedNeighbours + 1);  // and the flag
    counts_.reserve(k * n + 2 * k);                      // and the solver's answers and the list
    doubles_.reserve(k * (kTerms + 36 + 6) + kc * kTrialTerms);
    trace_.reserve(k * static_cast<std::size_t>(trace_lines));
    outcomes_.reserve(k);

    StagedArrays a;
    a.points = points, a.poses = a.listed = poses, a.trials = trials, a.trace_lines = trace_lines;
    a.states = states_.data();
    a.trial = trial_.data();
    float* f = floats_.data();
    const auto next = [](auto*& from, std::size_t count) { return std::exchange(from, from + count); };
    a.jacobians = next(f, k * n * kJacobianEntries);
    a.point_hessians = next(f, k * n * kPointHessianEntries);
    a.moved = next(f, k * n * 3);
    a.terms = next(f, k * n * kTerms);
    a.trial_points = next(f, kc * n * 3);
    a.trial_terms = next(f, kc * n * kTrialTerms);
    a.running = neighbours_.data();
    a.neighbours = neighbours_.data() + 1;
    int* c = counts_.data();
    a.factorised = next(c, k);
    a.list = next(c, k);
    a.neighbour_counts = next(c, k * n);
    double* d = doubles_.data();
    a.sums = next(d, k * kTerms);
    a.matrices = next(d, k * 36);
    a.vectors = next(d, k * 6);
    a.trial_sums = next(d, kc * kTrialTerms);
    a.trace = trace_lines > 0 ? trace_.data() : nullptr;
    a.outcomes = outcomes_.data();
    return a;
  }

 private:
  static std::int64_t floats_per_point(int trials) {
    return kJacobianEntries + kPointHessianEntries + 3 + kTerms + std::int64_t{trials} * (3 + kTrialTerms);
  }

  template <class T>
  using Array = typename Backend::template Array<T>;
  Array<PoseState> states_;
  Array<Trial> trial_;
  Array<float> floats_;
  Array<std::uint32_t> neighbours_;
  Array<int> counts_;
  Array<double> doubles_;
  Array<LoopTrace> trace_;
  Array<LoopOutcome> outcomes_;
};

template <class Edge, class Backend>
class StagedAligner final : public Edge {
 public:
  explicit StagedAligner(const AlignOptions& options)
      : Edge(options), backend_(resource()), buffers_(backend_) {
    if constexpr (requires { this->rehearse(); }) this->rehearse();
  }

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
