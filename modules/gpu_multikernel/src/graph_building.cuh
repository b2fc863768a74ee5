// From the kernels to a graph that can be launched: begin -> WHILE { passes } -> conclude.
#pragma once

#include <cstdlib>

#include "graph_kernels.cuh"
#include "ndt/cuda/graph.cuh"

namespace ndt::gpu_multikernel {
namespace {

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

}  // namespace
}  // namespace ndt::gpu_multikernel
