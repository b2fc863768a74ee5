// Owners of a CUDA graph, of an instantiated graph, and of an event.
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
