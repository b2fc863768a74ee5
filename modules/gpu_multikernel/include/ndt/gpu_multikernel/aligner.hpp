// NDT as a chain of kernels that keeps everything on the device: staged, step by step, and as one CUDA graph.
#pragma once

#include <memory>
#include <string>

#include "ndt/align/aligner.hpp"

namespace ndt::gpu_multikernel {

/// All three throw std::invalid_argument for options out of range.
/// multikernel_cpu: the staged steps as loops on a pool of CPU threads, plain C++ in place of CUB and cuSOLVER.
std::unique_ptr<BatchAligner> make_cpu_aligner(const AlignOptions& options);
/// multikernel_cuda: 15 steps, a kernel or library call each; one 4-byte flag per iteration comes back.
/// Throws std::runtime_error with the reason if it cannot run here, and later if a CUDA call fails.
std::unique_ptr<BatchAligner> make_cuda_aligner(const AlignOptions& options);
/// multikernel_graph_cuda: fused kernels in a CUDA graph whose WHILE node is ended on the device. Throws as make_cuda_aligner.
std::unique_ptr<BatchAligner> make_graph_aligner(const AlignOptions& options);

/// Why the rows cannot run here; empty if they can.
std::string cuda_unavailable_reason();
std::string graph_unavailable_reason();

}  // namespace ndt::gpu_multikernel
