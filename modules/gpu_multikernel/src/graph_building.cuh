// Graphs made of the kernels: begin -> WHILE { passes } -> conclude. They are kept and launched again.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "graph_kernels.cuh"
#include "ndt/cuda/buffer.cuh"
#include "ndt/cuda/clusters.cuh"
#include "ndt/cuda/graph.cuh"

namespace ndt::gpu_multikernel {
namespace {

/// Adds a WHILE node that depends on `after`, and returns its empty body.
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

cudaGraphNode_t add_kernel(cuda::Context& context, cudaGraph_t graph, const cudaGraphNode_t* after,
                           const void* kernel, dim3 blocks, unsigned threads, void** arguments,
                           unsigned cluster = 1) {
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(kernel);
  params.gridDim = blocks;
  params.blockDim = dim3(threads);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  context.call("cudaGraphAddKernelNode", [&] {
    return cudaGraphAddKernelNode(&node, graph, after, after == nullptr ? 0 : 1, &params);
  });
  if (cluster > 1)
    context.call("cudaGraphKernelNodeSetAttribute", [&] {
      cudaLaunchAttributeValue value{};
      value.clusterDim = {cluster, 1, 1};
      return cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value);
    });
  cuda::prioritise(context, node);
  return node;
}

/// Passes in the body of the WHILE node. Several, because a turn of the node costs more than the passes that
/// have nothing to do once the loop has ended.
constexpr int kPassesPerTurn = 4;

/// Reads NDT_GRAPH_PASSES; 0 if it is not set. Profilers and compute-sanitizer do not follow kernels into a
/// WHILE node. With NDT_GRAPH_PASSES=n the graph is a plain chain of n passes instead, and alignments that
/// need more evaluations end at the iteration limit.
int passes_of_a_plain_graph() {
  const char* text = std::getenv("NDT_GRAPH_PASSES");
  return text == nullptr ? 0 : std::atoi(text);
}

/// The kernels of a graph.
struct GraphKernels {
  void (*begin)(GraphArguments);
  void (*choose)(GraphArguments);  ///< null: there is one level
  void (*pass)(GraphArguments, cudaGraphConditionalHandle);
  void (*conclude)(GraphArguments);
  unsigned ending_blocks;  ///< of conclude, for each pose: a cluster if it has several
};
template <class Steps>
GraphKernels kernels_of(void (*choose)(GraphArguments), int device) {
  const bool clusters = cuda::why_no_clusters(conclude_cluster_kernel<Steps>, device).empty();
  return {begin_kernel<Steps>, choose, pass_kernel<Steps>,
          clusters ? conclude_cluster_kernel<Steps> : conclude_kernel<Steps>,
          clusters ? cuda::kPortableCluster : 1U};
}
GraphKernels kernels_for(const GraphArguments& g, int device) {
  if (!g.trust_region) return kernels_of<ClampedSteps>(nullptr, device);
  return kernels_of<TrustRegion>(g.options.region.last > 0 ? choose_kernel : nullptr, device);
}

/// Adds `count` passes, each after the one before, and the first after `after` unless it is null. Returns the
/// last.
cudaGraphNode_t add_passes(cuda::Context& context, cudaGraph_t graph, const cudaGraphNode_t* after, int count,
                           const GraphKernels& kernels, GraphArguments& arguments,
                           cudaGraphConditionalHandle loop, unsigned poses, unsigned threads) {
  void* values[] = {&arguments, &loop};
  const dim3 blocks(kMaxChunks * static_cast<unsigned>(arguments.trials), poses);
  cudaGraphNode_t last = nullptr;
  for (int i = 0; i < count; ++i)
    last = add_kernel(context, graph, i == 0 ? after : &last, reinterpret_cast<const void*>(kernels.pass),
                      blocks, threads, values);
  return last;
}

/// Builds the graph for `poses` poses. threads: the size of a pass's blocks.
cuda::GraphExec build_graph(cuda::Context& context, GraphArguments arguments, unsigned poses,
                            unsigned threads) {
  const cuda::Graph graph(context);
  const int plain_passes = passes_of_a_plain_graph();
  arguments.plain = plain_passes > 0;
  void* values[] = {&arguments};
  const GraphKernels kernels = kernels_for(arguments, context.device());
  cudaGraphNode_t begin =
      add_kernel(context, graph.get(), nullptr, reinterpret_cast<const void*>(kernels.begin),
                 dim3((poses + 31) / 32), 32, values);
  if (kernels.choose != nullptr)
    begin = add_kernel(context, graph.get(), &begin, reinterpret_cast<const void*>(kernels.choose),
                       dim3(poses), kConcludeThreads, values);
  cudaGraphNode_t passes = nullptr;
  if (arguments.plain) {
    passes = add_passes(context, graph.get(), &begin, plain_passes, kernels, arguments, {}, poses, threads);
  } else {
    cudaGraphConditionalHandle loop{};
    context.call("cudaGraphConditionalHandleCreate", [&] {
      return cudaGraphConditionalHandleCreate(&loop, graph.get(), 1, cudaGraphCondAssignDefault);
    });
    const cudaGraph_t body = add_while(context, graph, begin, loop, passes);
    add_passes(context, body, nullptr, kPassesPerTurn, kernels, arguments, loop, poses, threads);
  }
  add_kernel(context, graph.get(), &passes, reinterpret_cast<const void*>(kernels.conclude),
             dim3(poses * kernels.ending_blocks), kConcludeThreads, values, kernels.ending_blocks);
  return {context, graph};
}

/// Graphs and the buffers that their kernels use. There is one graph for every pair of batch size and block
/// size seen so far, until the map or a buffer moves.
class LoopGraphs {
 public:
  explicit LoopGraphs(cuda::Context& context)
      : context_(context),
        states_(context),
        motions_(context),
        tickets_(context),
        partials_(context),
        totals_(context),
        progress_(context, 1),
        outcomes_(context) {}

  const LoopOutcome* outcomes() const { return outcomes_.data(); }
  void clear() { graphs_.clear(); }

  /// Number of poses, each with `trials` trials, whose partial sums fit the buffer.
  static std::size_t poses_at_once(int trials) { return kBytes / partial_bytes(trials); }

  /// The meetings of an alignment that evaluates one pose in each pass. A pass puts its sums together, and
  /// the ending of a cluster its own: at a barrier each, after one at the cluster's start.
  Meetings meetings_of(const LoopOutcome& outcome, int max_iterations) const {
    const int ending = ending_sums(outcome, max_iterations);
    if (!ends_in_clusters_) return {outcome.evaluations, 0};
    return {outcome.evaluations + ending, 1 + ending};
  }

  /// Launches the graph for `poses` poses, and builds it first if there is none. arguments: all but the
  /// buffers.
  void launch(GraphArguments arguments, std::size_t poses, unsigned threads) {
    reserve(arguments, poses);
    if (!same_buffers(arguments, built_for_)) graphs_.clear();
    built_for_ = arguments;
    constexpr std::size_t kKept = 16;
    const std::pair key{poses, threads};
    if (graphs_.size() >= kKept && !graphs_.contains(key)) graphs_.clear();
    cuda::GraphExec& graph = graphs_[key];
    if (graph.get() == nullptr) {
      graph = build_graph(context_, arguments, static_cast<unsigned>(poses), threads);
      ends_in_clusters_ = kernels_for(arguments, context_.device()).ending_blocks > 1;
    }
    context_.launch_graph(graph.get());
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 29;  // most memory for partial sums

  static std::size_t partial_bytes(int trials) {
    return static_cast<std::size_t>(trials) * kMaxChunks * kSumColumns * sizeof(double);
  }

  void reserve(GraphArguments& g, std::size_t poses) {
    const auto trials = static_cast<std::size_t>(g.trials);
    if (poses > states_.capacity()) {
      states_.reserve(poses);
      // Initialises the padding too, because copy_state() reads it.
      context_.fill_bytes(states_.data(), 0, poses * sizeof(LoopState));
    }
    motions_.reserve(poses * trials);
    tickets_.reserve(poses * (trials + 1));
    totals_.reserve(poses * trials * kSumColumns);
    partials_.reserve(poses * partial_bytes(g.trials) / sizeof(double));
    outcomes_.reserve(poses);
    g.states = states_.data();
    g.motions = motions_.data();
    g.tickets = tickets_.data();
    g.partials = partials_.data();
    g.totals = totals_.data();
    g.progress = progress_.data();
    g.outcomes = outcomes_.data();
  }

  /// Compares every buffer, because each may move alone: a batch that ran out of memory leaves only some of
  /// them grown.
  static bool same_buffers(const GraphArguments& a, const GraphArguments& b) {
    return a.header == b.header && a.states == b.states && a.motions == b.motions && a.tickets == b.tickets &&
           a.partials == b.partials && a.totals == b.totals && a.progress == b.progress &&
           a.outcomes == b.outcomes;
  }

  cuda::Context& context_;
  cuda::DeviceBuffer<LoopState> states_;
  cuda::DeviceBuffer<Motion> motions_;
  cuda::DeviceBuffer<unsigned> tickets_;
  cuda::DeviceBuffer<double> partials_, totals_;
  cuda::DeviceBuffer<GraphProgress> progress_;
  cuda::DeviceBuffer<LoopOutcome> outcomes_;
  GraphArguments built_for_;
  bool ends_in_clusters_ = false;
  std::map<std::pair<std::size_t, unsigned>, cuda::GraphExec> graphs_;
};

/// Tells why this machine can make no graph with a WHILE node; empty if it can.
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
}  // namespace ndt::gpu_multikernel
