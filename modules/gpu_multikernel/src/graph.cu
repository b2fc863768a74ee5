// multikernel_graph_cuda: one copy up, one CUDA graph begin -> WHILE (pass) -> conclude, one copy of the
// outcomes down.
#include <algorithm>
#include <optional>

#include "aligners.hpp"
#include "graph_building.cuh"
#include "ndt/edge/device_aligner.cuh"

namespace ndt::gpu_multikernel {
namespace {

class GraphAligner final : public DeviceAligner {
 public:
  explicit GraphAligner(const AlignOptions& options)
      : DeviceAligner(options),
        trials_(options.line_search == LineSearch::batched ? StepSearch::kBatchedTrials : 1),
        graphs_(context()),
        trace_(context()) {
    rehearse();
  }

 private:
  std::size_t bytes_ahead(std::size_t poses) const override {
    return poses * sizeof(Transform) + sizeof(GraphHeader);
  }
  void map_changed() override { graphs_.clear(); }

  void submit_runs(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                   std::span<LoopRun> runs) override {
    const std::size_t at_once = LoopGraphs::poses_at_once(trials_);
    for (std::size_t first = 0; first < runs.size(); first += at_once)
      transact([&] {
        run_slice(scan, options, per_scan, runs.subspan(first, std::min(at_once, runs.size() - first)));
      });
  }

  void run_slice(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                 std::span<LoopRun> runs) {
    clock().enter(HostStage::upload);
    trace_lines_ = per_scan.trace ? options.max_iterations + 1 : 0;
    const Chunks chunks(scan.view().size);
    const int tile = tile_for(chunks.size, trials_, this->options().tuning);
    const GraphArguments arguments =
        upload(scan, options, runs, chunks, tile, interrupt_word(per_scan, scan, options, runs.size()));
    clock().enter(HostStage::launch);
    graphs_.launch(arguments, runs.size(), threads_for(chunks.size, tile));
    clock().enter(HostStage::wait);
    fetch_outcomes(graphs_.outcomes(), trace_.data(), trace_lines_, runs.size());
    watch(per_scan);
    clock().enter(HostStage::align);
    collect_outcomes(trace_lines_, runs);
    for (const LoopRun& one : runs) context().count_meetings(meetings_of(one.outcome, options));
  }

  /// Nothing if a pass may evaluate several poses: how many passes there were, no outcome tells.
  std::optional<Meetings> meetings_of(const LoopOutcome& outcome, const LoopOptions& options) const {
    if (trials_ > 1) return std::nullopt;
    return graphs_.meetings_of(outcome, options.max_iterations);
  }

  /// Uploads the guesses, the header and the scan, and gives the arguments that point to them.
  GraphArguments upload(const LoopScan& scan, const LoopOptions& options, std::span<const LoopRun> runs,
                        const Chunks& chunks, int tile, const volatile int* interrupt) {
    const std::size_t trace_size = runs.size() * static_cast<std::size_t>(trace_lines_);
    const PlacedScan on_device = reserve_scan(scan.view(), runs.size(), sizeof(GraphHeader));
    trace_.reserve(trace_size);
    GraphHeader header;
    header.scan = on_device.points;
    header.guesses = on_device.guesses;
    header.trace = trace_lines_ > 0 ? trace_.data() : nullptr;
    header.interrupt = interrupt;
    header.points = scan.view().size;
    header.poses = static_cast<int>(runs.size());
    header.chunks = chunks.count;
    header.chunk_size = chunks.size;
    header.tile = tile;
    header.max_iterations = options.max_iterations;
    header.regularisation = options.regularisation;
    header.per_metre = options.region.per_metre;
    upload_scan(scan.view(), runs, &header, sizeof header);
    clear(trace_.data(), trace_size * sizeof(LoopTrace));

    GraphArguments g;
    g.header = static_cast<const GraphHeader*>(uploaded(sizeof(GraphHeader)));
    for_each_level([&](std::size_t l, const LevelMap& map) { g.levels[l] = map; });
    g.coarse_stride = this->options().coarse_stride;
    g.options = options;
    g.trust_region = this->options().step_control == StepControl::trust_region;
    g.trials = trials_;
    return g;
  }

  int trials_;  ///< most trial poses of a pass
  LoopGraphs graphs_;
  cuda::DeviceBuffer<LoopTrace> trace_;
  int trace_lines_ = 0;  ///< for each alignment under way
};

}  // namespace

std::string graph_unavailable_reason() {
  if (!cuda_state().unavailable.empty()) return cuda_state().unavailable;
  static const std::string reason = without_conditional_nodes();
  return reason;
}

std::unique_ptr<Aligner> make_graph_aligner(const AlignOptions& options) {
  return std::make_unique<GraphAligner>(options);
}

}  // namespace ndt::gpu_multikernel
