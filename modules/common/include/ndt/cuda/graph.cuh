// Owners of a CUDA graph, of an instantiated graph, of a kernel that is launched as a graph, and of an event.
#pragma once

#include <memory>
#include <utility>

#include "ndt/cuda/context.cuh"

namespace ndt::cuda {

class Graph {
 public:
  explicit Graph(Context& context) {
    context.call("cudaGraphCreate", [&] { return cudaGraphCreate(&graph_, 0); });
  }
  ~Graph() {
    if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  cudaGraph_t get() const { return graph_; }

 private:
  cudaGraph_t graph_ = nullptr;
};

class GraphExec {
 public:
  GraphExec() = default;
  GraphExec(Context& context, const Graph& graph) {
    context.call("cudaGraphInstantiate", [&] { return cudaGraphInstantiate(&exec_, graph.get(), 0); });
  }
  ~GraphExec() {
    if (exec_ != nullptr) (void)cudaGraphExecDestroy(exec_);
  }
  GraphExec(GraphExec&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
  GraphExec& operator=(GraphExec&& other) noexcept {
    std::swap(exec_, other.exec_);
    return *this;
  }
  cudaGraphExec_t get() const { return exec_; }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

/// Gives a kernel node the priority of the context's stream, which a graph does not take from it.
inline void prioritise(Context& context, cudaGraphNode_t node) {
  if (context.priority() == 0) return;
  cudaKernelNodeAttrValue value{};
  value.priority = context.priority();
  context.call("cudaGraphKernelNodeSetAttribute",
               [&] { return cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value); });
}

/// A kernel that is launched over and over, as a graph of one node: a driver starts a graph sooner than a
/// kernel, most of all if the grid is that of the launch before.
class KernelGraph {
 public:
  /// As Context::launch() of a cooperative kernel. parameters: the kernel's only argument.
  template <class Parameters>
  void launch(Context& context, void (*kernel)(Parameters), const Grid& grid, const Parameters& parameters) {
    void* values[] = {const_cast<Parameters*>(&parameters)};
    cudaKernelNodeParams node{};
    node.func = reinterpret_cast<void*>(kernel);
    node.gridDim = dim3(launched(grid).blocks, grid.blocks_y);
    node.blockDim = dim3(grid.threads);
    node.sharedMemBytes = grid.shared_bytes;
    node.kernelParams = values;
    if (built_.exec.get() == nullptr)
      built_ = build(context, node);
    else
      context.call("cudaGraphExecKernelNodeSetParams",
                   [&] { return cudaGraphExecKernelNodeSetParams(built_.exec.get(), built_.node, &node); });
    context.launch_graph(built_.exec.get());
  }

 private:
  struct Built {
    std::unique_ptr<const Graph> graph;  ///< the executable's node is known by this one's
    cudaGraphNode_t node = nullptr;
    GraphExec exec;
  };

  static Built build(Context& context, const cudaKernelNodeParams& kernel) {
    Built out;
    out.graph = std::make_unique<const Graph>(context);
    context.call("cudaGraphAddKernelNode",
                 [&] { return cudaGraphAddKernelNode(&out.node, out.graph->get(), nullptr, 0, &kernel); });
    cudaKernelNodeAttrValue value{};
    value.cooperative = 1;
    context.call("cudaGraphKernelNodeSetAttribute", [&] {
      return cudaGraphKernelNodeSetAttribute(out.node, cudaKernelNodeAttributeCooperative, &value);
    });
    prioritise(context, out.node);
    out.exec = GraphExec(context, *out.graph);
    return out;
  }

  Built built_;
};

// An event: a point in a stream's time, for measuring on the device.

class Event {
 public:
  explicit Event(Context& context) : context_(context) {
    context.call("cudaEventCreate", [&] { return cudaEventCreate(&event_); });
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() {
    context_.call("cudaEventRecord", [&] { return cudaEventRecord(event_, context_.stream()); });
  }
  /// Device time since `start` [µs]; both must have been reached.
  double us_since(const Event& start) const {
    float ms = 0;
    context_.call("cudaEventElapsedTime", [&] { return cudaEventElapsedTime(&ms, start.event_, event_); });
    return 1000.0 * static_cast<double>(ms);
  }

 private:
  Context& context_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace ndt::cuda
