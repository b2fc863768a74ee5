// multikernel_graph_cuda: the whole loop as one CUDA graph, begin -> WHILE (pass) -> conclude, started once per alignment.
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "device_row.cuh"
#include "graph_pass.cuh"
#include "ndt/cuda/graph.cuh"
#include "ndt/exec/device.hpp"
#include "ndt/gpu_multikernel/aligner.hpp"

namespace ndt::gpu_multikernel {
namespace {

__global__ void begin_kernel(const __grid_constant__ GraphArguments g) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k == 0) *g.progress = {static_cast<unsigned>(g.header->poses), 0, 0};
  if (k >= g.header->poses) return;
  g.states[k] = begin_loop(g.header->guesses[k]);
  for (int i = 0; i <= g.candidates; ++i) g.tickets[k * (g.candidates + 1) + i] = 0;
}

/// grid: kMaxChunks x candidates blocks, a row of them per pose.
__global__ void __launch_bounds__(kPassThreads)
    pass_kernel(const __grid_constant__ GraphArguments g, cudaGraphConditionalHandle loop) {
  __shared__ double shared_totals[StepSearch::kCandidates * kSumColumns];
  __shared__ alignas(16) unsigned char state_bytes[sizeof(LoopState)];
  __shared__ int interrupt;
  const int k = static_cast<int>(blockIdx.y), chunk = static_cast<int>(blockIdx.x % kMaxChunks),
            trial = static_cast<int>(blockIdx.x / kMaxChunks);
  const GraphHeader h = *g.header;
  LoopState& state = *reinterpret_cast<LoopState*>(state_bytes);
  copy_state(g.states + k, &state);
  __syncthreads();
  if (state.end != LoopEnd::running) return;

  const int chunks = h.chunks > 0 ? h.chunks : 1, trials = trials_of(state);
  const auto trial_index =
      static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates) + static_cast<std::size_t>(trial);
  double* partials = g.partials + trial_index * kMaxChunks * kSumColumns;
  const bool takes_part = trial < trials;
  if (takes_part && chunk < chunks) {
    const Motion motion = trial == 0 ? state.motion : g.motions[trial_index];
    const int begin = chunk * h.chunk_size, end = begin + h.chunk_size;
    sum_block(chunk_share(g, h, motion, begin, end < h.points ? end : h.points), partials + chunk * kSumColumns);
  }
  // Blocks with nothing to sum arrive too: when the last one has, all have read what is now written for the next pass.
  unsigned* tickets = g.tickets + static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates + 1);
  if (!arrive_last(tickets + trial, kMaxChunks)) return;
  const double* totals = shared_totals;
  if (threadIdx.x == blockDim.x - 1) interrupt = h.interrupt == nullptr ? 0 : *h.interrupt;
  if (g.candidates == 1) {
    fold(partials, chunks, shared_totals);
  } else {
    double* all = g.totals + static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates) * kSumColumns;
    if (takes_part) fold(partials, chunks, all + trial * kSumColumns);
    if (!arrive_last(tickets + g.candidates, static_cast<unsigned>(g.candidates))) return;
    for (int i = static_cast<int>(threadIdx.x); i < trials * kSumColumns; i += static_cast<int>(blockDim.x))
      shared_totals[i] = __ldcg(all + i);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    advance_over(totals, trials, g, k, state);
    if (state.end == LoopEnd::running) state.end = static_cast<LoopEnd>(interrupt);
    report(g, state.end != LoopEnd::running, loop);
  }
  __syncthreads();
  copy_state(&state, g.states + k);
  const int ahead = static_cast<int>(threadIdx.x);
  if (ahead > 0 && ahead < state.search.trials_ahead() && state.end == LoopEnd::running)
    g.motions[static_cast<std::size_t>(k) * static_cast<std::size_t>(g.candidates) + static_cast<std::size_t>(ahead)] =
        PoseMotion(moved(state.here.pose, state.direction, state.search.trial_ahead(ahead))).motion;
}
static_assert(static_cast<int>(LoopEnd::running) == 0, "no interruption");

constexpr unsigned kConcludeThreads = kSurfacePoints;

/// One block per pose: what the matched surfaces say, and the result.
__global__ void __launch_bounds__(kConcludeThreads) conclude_kernel(const __grid_constant__ GraphArguments g) {
  __shared__ double warps[kConcludeThreads / 32][SurfaceInformation::kEntries];
  __shared__ float surfaces[SurfaceInformation::kEntries];
  const int k = static_cast<int>(blockIdx.x);
  const GraphHeader& h = *g.header;
  if (k >= h.poses) return;
  const LoopState& state = g.states[k];
  SurfaceInformation share;
  const int count = surface_points(h.points), i = static_cast<int>(threadIdx.x);
  // An evaluation alone has no ending to be judged.
  if (h.max_iterations > 0 && surfaces_matter(state.end) && i < count)
    add_surface(g.map, g.surfaces, SurfacePose(state.here.pose, h.mean_range_m),
                h.scan[static_cast<std::int64_t>(i) * h.points / count], share);
  for (int j = 0; j < SurfaceInformation::kEntries; ++j) {
    const double sum = warp_sum(share.entries[j]);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][j] = sum;
  }
  __syncthreads();
  if (threadIdx.x < SurfaceInformation::kEntries) {
    double sum = 0;
    for (unsigned w = 0; w < kConcludeThreads / 32; ++w) sum += warps[w][threadIdx.x];
    surfaces[threadIdx.x] = static_cast<float>(sum);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  LoopOutcome out = outcome_of(state);
  for (int j = 0; j < SurfaceInformation::kEntries; ++j) out.surfaces[j] = surfaces[j];
  g.outcomes[k] = out;
}

/// A WHILE node behind `after`, with an empty body.
cudaGraph_t add_while(cuda::Context& context, const cuda::Graph& graph, cudaGraphNode_t after,
                      cudaGraphConditionalHandle loop, cudaGraphNode_t& node) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = loop;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  context.call("cudaGraphAddNode", [&] {
#if CUDART_VERSION >= 13000
    return cudaGraphAddNode(&node, graph.get(), &after, nullptr, 1, &params);
#else
    return cudaGraphAddNode(&node, graph.get(), &after, 1, &params);
#endif
  });
  return params.conditional.phGraph_out[0];
}

cudaGraphNode_t add_kernel(cuda::Context& context, cudaGraph_t graph, const cudaGraphNode_t* after, const void* kernel,
                           dim3 blocks, unsigned threads, void** arguments) {
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(kernel);
  params.gridDim = blocks;
  params.blockDim = dim3(threads);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  context.call("cudaGraphAddKernelNode",
               [&] { return cudaGraphAddKernelNode(&node, graph, after, after == nullptr ? 0 : 1, &params); });
  return node;
}

/// Passes in the body of the WHILE node: turning it over costs more than the passes left over when the loop has ended.
constexpr int kPassesPerTurn = 4;

/// Profilers and compute-sanitizer do not follow kernels into a WHILE node. With NDT_GRAPH_PASSES=n the graph is a plain chain of n
/// passes instead; alignments that need more evaluations end at the iteration limit. 0 if it is not set.
int passes_of_a_plain_graph() {
  const char* text = std::getenv("NDT_GRAPH_PASSES");
  return text == nullptr ? 0 : std::atoi(text);
}

/// `count` passes one after the other, the first behind `after` if there is one. Returns the last.
cudaGraphNode_t add_passes(cuda::Context& context, cudaGraph_t graph, const cudaGraphNode_t* after, int count,
                           GraphArguments& arguments, cudaGraphConditionalHandle loop, unsigned poses,
                           unsigned threads) {
  void* values[] = {&arguments, &loop};
  const dim3 blocks(kMaxChunks * static_cast<unsigned>(arguments.candidates), poses);
  cudaGraphNode_t last = nullptr;
  for (int i = 0; i < count; ++i)
    last = add_kernel(context, graph, i == 0 ? after : &last, reinterpret_cast<const void*>(&pass_kernel), blocks,
                      threads, values);
  return last;
}

cuda::GraphExec build_graph(cuda::Context& context, GraphArguments arguments, unsigned poses, unsigned threads) {
  const cuda::Graph graph(context);
  const int plain_passes = passes_of_a_plain_graph();
  arguments.plain = plain_passes > 0;
  void* values[] = {&arguments};
  const cudaGraphNode_t begin = add_kernel(context, graph.get(), nullptr, reinterpret_cast<const void*>(&begin_kernel),
                                           dim3((poses + 31) / 32), 32, values);
  cudaGraphNode_t passes = nullptr;
  if (arguments.plain) {
    passes = add_passes(context, graph.get(), &begin, plain_passes, arguments, {}, poses, threads);
  } else {
    cudaGraphConditionalHandle loop{};
    context.call("cudaGraphConditionalHandleCreate",
                 [&] { return cudaGraphConditionalHandleCreate(&loop, graph.get(), 1, cudaGraphCondAssignDefault); });
    const cudaGraph_t body = add_while(context, graph, begin, loop, passes);
    add_passes(context, body, nullptr, kPassesPerTurn, arguments, loop, poses, threads);
  }
  add_kernel(context, graph.get(), &passes, reinterpret_cast<const void*>(&conclude_kernel), dim3(poses),
             kConcludeThreads, values);
  return {context, graph};
}

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
        outcomes_(context()),
        interrupt_(context(), 1) {}

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

  void run(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
           std::span<LoopRun> runs) override {
    const std::size_t at_once = kBytes / partial_bytes();
    for (std::size_t first = 0; first < runs.size(); first += at_once)
      transact(
          [&] { run_slice(scan, options, per_scan, runs.subspan(first, std::min(at_once, runs.size() - first))); });
  }

  void run_slice(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan, std::span<LoopRun> runs) {
    const bool watched = per_scan.deadline.has_value() || per_scan.stop.stop_possible();
    const int trace_lines = per_scan.trace ? options.max_iterations + 1 : 0;
    const GraphHeader header = prepare(scan, options, runs.size(), trace_lines, watched);
    const cudaGraphExec_t graph = graph_for(runs.size(), threads_for(header.chunk_size, header.tile), options);
    interrupt_[0] = static_cast<int>(HostWatch{per_scan}());
    upload_scan(scan.view(), runs, &header, sizeof header);
    clear(trace_.data(), runs.size() * static_cast<std::size_t>(trace_lines) * sizeof(LoopTrace));
    context().launch_graph(graph);
    fetch_outcomes(outcomes_.data(), trace_.data(), trace_lines, runs.size());
    if (watched) watch(per_scan);
    collect_outcomes(trace_lines, runs);
  }

  GraphHeader prepare(const LoopScan& scan, const LoopOptions& options, std::size_t poses, int trace_lines,
                      bool watched) {
    const DeviceScan on_device = reserve_scan(scan.view(), poses, sizeof(GraphHeader));
    trace_.reserve(poses * static_cast<std::size_t>(trace_lines));
    GraphHeader header;
    header.scan = on_device.points;
    header.guesses = on_device.guesses;
    header.trace = trace_lines > 0 ? trace_.data() : nullptr;
    header.interrupt = watched ? interrupt_.data() : nullptr;
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
    return DeviceRow::point_scores(scan.view(), gauss(), begin_loop(pose).motion);
  }

  /// The host writes the word that the device reads once per pass.
  void watch(const PerScan& per_scan) {
    volatile int* word = interrupt_.data();
    while (!context().done())
      if (const LoopEnd end = HostWatch{per_scan}(); end != LoopEnd::running) *word = static_cast<int>(end);
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
    g.header = static_cast<const GraphHeader*>(uploaded());
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
  cuda::PinnedBuffer<int> interrupt_;
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
