// Owners of a CUDA graph and of what it was instantiated to.
#pragma once

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

}  // namespace ndt::cuda
