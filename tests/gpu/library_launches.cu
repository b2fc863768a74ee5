#include <vector>

#include "cuda_backend.cuh"
#include "library_launches.hpp"

namespace ndt::gpu_multikernel {
namespace {

int kernels_of(cuda::Context& context, cudaGraph_t graph) {
  std::size_t count = 0;
  context.call("cudaGraphGetNodes", [&] { return cudaGraphGetNodes(graph, nullptr, &count); });
  std::vector<cudaGraphNode_t> nodes(count);
  context.call("cudaGraphGetNodes", [&] { return cudaGraphGetNodes(graph, nodes.data(), &count); });
  int kernels = 0;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    context.call("cudaGraphNodeGetType", [&] { return cudaGraphNodeGetType(node, &type); });
    kernels += type == cudaGraphNodeTypeKernel ? 1 : 0;
  }
  return kernels;
}

template <class F>
Launches launches_of(cuda::Context& context, F&& f) {
  f();
  context.synchronise();
  const std::int64_t before = context.traffic().launches;
  context.call("cudaStreamBeginCapture",
               [&] { return cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeRelaxed); });
  f();
  cudaGraph_t graph = nullptr;
  context.call("cudaStreamEndCapture", [&] { return cudaStreamEndCapture(context.stream(), &graph); });
  const Launches out{static_cast<int>(context.traffic().launches - before), kernels_of(context, graph)};
  context.call("cudaGraphDestroy", [&] { return cudaGraphDestroy(graph); });
  return out;
}

}  // namespace

Launches launches_of_solve(int systems) {
  cuda::Context context;
  CudaBackend backend(context);
  const auto n = static_cast<std::size_t>(systems);
  cuda::DeviceBuffer<double> matrices(context, 36 * n), vectors(context, 6 * n);
  cuda::DeviceBuffer<int> factorised(context, n);
  context.fill_bytes(matrices.data(), 0, 36 * n * sizeof(double));
  context.fill_bytes(vectors.data(), 0, 6 * n * sizeof(double));
  return launches_of(context,
                     [&] { backend.solve(matrices.data(), vectors.data(), factorised.data(), systems); });
}

Launches launches_of_sum(int segments, int length) {
  cuda::Context context;
  CudaBackend backend(context);
  const auto n = static_cast<std::size_t>(segments), values = n * static_cast<std::size_t>(length);
  cuda::DeviceBuffer<float> from(context, values);
  cuda::DeviceBuffer<double> sums(context, n);
  context.fill_bytes(from.data(), 0, values * sizeof(float));
  return launches_of(context, [&] { backend.sum_segments(from.data(), segments, length, sums.data()); });
}

}  // namespace ndt::gpu_multikernel
