// multikernel_graph_cuda: the whole loop as one CUDA graph, begin -> WHILE (pass) -> conclude, started once per alignment.
#include <map>
#include <stdexcept>

#include "graph_building.cuh"
#include "ndt/cuda/device.hpp"
#include "ndt/edge/device_aligner.cuh"
#include "ndt/gpu_multikernel/aligner.hpp"

namespace ndt::gpu_multikernel {
namespace {

class GraphAligner final : public LoopAligner, private DeviceRow {
 public:
  explicit GraphAligner(const AlignOptions& options)
      : LoopAligner(options),
        candidates_(options.line_search == LineSearch::batched ? StepSearch::kCandidates : 1),
        states_(context()),
        motions_(context()),
        tickets_(context()),
        partials_(context()),
        totals_(context()),
        progress_(context(), 1),
        trace_(context()),
        outcomes_(context()) {}

  MapInfo set_map(const PointCloud& map) override {
    const MapInfo info = DeviceRow::set_map(map, LoopAligner::options());
    graphs_.clear();
    return info;
  }
  std::vector<VoxelRow> voxels() const override {
    require_map("voxels");
    return rows();
  }
  std::optional<Traffic> traffic() const override { return DeviceRow::traffic(); }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 29;  // of partial sums; larger batches are split

  const Vec3<double>* map_origin() const override { return origin(); }
  Point* room_for_scan(std::size_t points, std::size_t poses) override {
    return DeviceRow::room_for_scan(points, poses, sizeof(GraphHeader));
  }

  void run(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
           std::span<LoopRun> runs) override {
    const std::size_t at_once = kBytes / partial_bytes();
    for (std::size_t first = 0; first < runs.size(); first += at_once)
      transact(
          [&] { run_slice(scan, options, per_scan, runs.subspan(first, std::min(at_once, runs.size() - first))); });
  }

  void run_slice(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan, std::span<LoopRun> runs) {
    const int trace_lines = per_scan.trace ? options.max_iterations + 1 : 0;
    const GraphHeader header = prepare(scan, options, runs.size(), trace_lines, interrupt_word(per_scan));
    const cudaGraphExec_t graph = graph_for(runs.size(), threads_for(header.chunk_size, header.tile), options);
    upload_scan(scan.view(), runs, &header, sizeof header);
    clear(trace_.data(), runs.size() * static_cast<std::size_t>(trace_lines) * sizeof(LoopTrace));
    context().launch_graph(graph);
    fetch_outcomes(outcomes_.data(), trace_.data(), trace_lines, runs.size());
    watch(per_scan);
    collect_outcomes(trace_lines, runs);
  }

  GraphHeader prepare(const LoopScan& scan, const LoopOptions& options, std::size_t poses, int trace_lines,
                      const volatile int* interrupt) {
    const DeviceScan on_device = reserve_scan(scan.view(), poses, sizeof(GraphHeader));
    trace_.reserve(poses * static_cast<std::size_t>(trace_lines));
    GraphHeader header;
    header.scan = on_device.points;
    header.guesses = on_device.guesses;
    header.trace = trace_lines > 0 ? trace_.data() : nullptr;
    header.interrupt = interrupt;
    header.points = scan.view().size;
    header.poses = static_cast<int>(poses);
    const Chunks chunks(header.points);
    header.chunks = chunks.count;
    header.chunk_size = chunks.size;
    header.tile = tile_for(chunks.size, candidates_);
    header.max_iterations = options.max_iterations;
    header.regularisation = options.regularisation;
    header.mean_range_m = scan.facts.mean_range_m;
    return header;
  }

  void score(const LoopScan& scan, std::span<const Transform> poses, std::span<Score> out) override {
    DeviceRow::score(scan.view(), gauss(), motions_at(poses), out);
  }
  std::vector<float> point_scores(const LoopScan& scan, const Transform& pose) override {
    return DeviceRow::point_scores(scan.view(), gauss(), loop_start(pose).at.motion);
  }

  std::size_t partial_bytes() const {
    return static_cast<std::size_t>(candidates_) * kMaxChunks * kSumColumns * sizeof(double);
  }

  /// Instantiated when a batch or a block of that size is seen first; again when the map or a buffer moved.
  cudaGraphExec_t graph_for(std::size_t poses, unsigned threads, const LoopOptions& options) {
    const GraphArguments arguments = reserve(poses, options);
    if (!same_buffers(arguments, built_for_)) graphs_.clear();
    built_for_ = arguments;
    constexpr std::size_t kKept = 16;
    if (graphs_.size() >= kKept && !graphs_.contains({poses, threads})) graphs_.clear();
    cuda::GraphExec& graph = graphs_[{poses, threads}];
    if (graph.get() == nullptr) graph = build_graph(context(), arguments, static_cast<unsigned>(poses), threads);
    return graph.get();
  }

  /// Each may move alone: a batch that ran out of memory leaves some of them grown and others not.
  static bool same_buffers(const GraphArguments& a, const GraphArguments& b) {
    return a.header == b.header && a.states == b.states && a.motions == b.motions && a.tickets == b.tickets &&
           a.partials == b.partials && a.totals == b.totals && a.progress == b.progress && a.outcomes == b.outcomes;
  }

  GraphArguments reserve(std::size_t poses, const LoopOptions& options) {
    if (poses > states_.capacity()) {
      states_.reserve(poses);
      context().fill_bytes(states_.data(), 0, poses * sizeof(LoopState));  // padding is copied with the rest
    }
    motions_.reserve(poses * static_cast<std::size_t>(candidates_));
    tickets_.reserve(poses * static_cast<std::size_t>(candidates_ + 1));
    totals_.reserve(poses * static_cast<std::size_t>(candidates_) * kSumColumns);
    partials_.reserve(poses * partial_bytes() / sizeof(double));
    outcomes_.reserve(poses);
    GraphArguments g;
    g.header = static_cast<const GraphHeader*>(uploaded(sizeof(GraphHeader)));
    g.map = view();
    g.surfaces = surfaces();
    g.gauss = gauss();
    g.options = options;
    g.candidates = candidates_;
    g.states = states_.data();
    g.motions = motions_.data();
    g.tickets = tickets_.data();
    g.partials = partials_.data();
    g.totals = totals_.data();
    g.progress = progress_.data();
    g.outcomes = outcomes_.data();
    return g;
  }

  int candidates_;
  cuda::DeviceBuffer<LoopState> states_;
  cuda::DeviceBuffer<Motion> motions_;
  cuda::DeviceBuffer<unsigned> tickets_;
  cuda::DeviceBuffer<double> partials_, totals_;
  cuda::DeviceBuffer<GraphProgress> progress_;
  cuda::DeviceBuffer<LoopTrace> trace_;
  cuda::DeviceBuffer<LoopOutcome> outcomes_;
  GraphArguments built_for_;
  std::map<std::pair<std::size_t, unsigned>, cuda::GraphExec> graphs_;
};

/// Why no graph with a WHILE node can be made here.
std::string without_conditional_nodes() {
  try {
    cuda::Context context;
    build_graph(context, {}, 1, kPassThreads);
    return {};
  } catch (const cuda::Error& error) {
    return std::string("no CUDA graphs with WHILE nodes (toolkit 12.8 and a driver as new are needed): ") +
           error.what();
  }
}

}  // namespace

std::string graph_unavailable_reason() {
  if (!cuda_state().unavailable.empty()) return cuda_state().unavailable;
  static const std::string reason = without_conditional_nodes();
  return reason;
}

std::unique_ptr<BatchAligner> make_graph_aligner(const AlignOptions& options) {
  if (const std::string reason = graph_unavailable_reason(); !reason.empty())
    throw std::runtime_error("multikernel_graph_cuda: " + reason);
  return std::make_unique<GraphAligner>(options);
}

}  // namespace ndt::gpu_multikernel
