// NDT as a chain of kernels that keeps everything on the device: staged, step by step, and as one CUDA graph.
#pragma once

#include <span>

#include "ndt/align/implementation.hpp"

namespace ndt::gpu_multikernel {

/// multikernel_cuda, multikernel_cpu, multikernel_graph_cuda, multikernel_transfers_cuda, in report order.
std::span<const Implementation> implementations();

}  // namespace ndt::gpu_multikernel
