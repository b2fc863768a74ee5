// Makers of this module's implementations. Without CUDA those on a device are null.
#pragma once

#include <memory>
#include <string>

#include "ndt/align/aligner.hpp"
#include "ndt/cuda/device.hpp"

namespace ndt::gpu_multikernel {

/// The staged steps as loops on a pool of CPU threads, plain C++ in place of CUB and cuSOLVER.
std::unique_ptr<Aligner> make_cpu_aligner(const AlignOptions& options);

#ifdef NDT_WITH_CUDA
/// The staged steps on a device: 15 steps, each a kernel or a library call. One 4-byte flag per iteration
/// comes back.
std::unique_ptr<Aligner> make_cuda_aligner(const AlignOptions& options);
/// Names the solver of its systems on this machine: cuSOLVER, or the shared LDLᵀ and why.
std::string cuda_solver();
/// The staged steps with their sums and their solver on the host: every point's terms come back. A study.
std::unique_ptr<Aligner> make_transfers_aligner(const AlignOptions& options);
/// Fused kernels in a CUDA graph whose WHILE node is ended on the device.
std::unique_ptr<Aligner> make_graph_aligner(const AlignOptions& options);
std::string graph_unavailable_reason();
#else
inline constexpr std::unique_ptr<Aligner> (*make_cuda_aligner)(const AlignOptions&) = nullptr;
inline std::string cuda_solver() { return {}; }
inline constexpr std::unique_ptr<Aligner> (*make_transfers_aligner)(const AlignOptions&) = nullptr;
inline constexpr std::unique_ptr<Aligner> (*make_graph_aligner)(const AlignOptions&) = nullptr;
inline std::string graph_unavailable_reason() { return cuda_state().unavailable; }
#endif

}  // namespace ndt::gpu_multikernel
