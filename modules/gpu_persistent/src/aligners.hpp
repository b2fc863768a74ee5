// Makers of this module's implementations. Without CUDA those on a device are null.
#pragma once

#include <memory>
#include <string>

#include "ndt/align/aligner.hpp"
#include "ndt/cuda/device.hpp"

namespace ndt::gpu_persistent {

/// The persistent body on a pool of CPU threads.
std::unique_ptr<Aligner> make_cpu_aligner(const AlignOptions& options);

#ifdef NDT_WITH_CUDA
/// One cooperative launch on as many blocks as the GPU holds at once. A batch is one launch too, with a block
/// or a cluster for each pose.
std::unique_ptr<Aligner> make_grid_aligner(const AlignOptions& options);
/// One thread-block cluster for each pose.
std::unique_ptr<Aligner> make_cluster_aligner(const AlignOptions& options);
std::string grid_unavailable_reason();
std::string cluster_unavailable_reason();
#else
inline constexpr std::unique_ptr<Aligner> (*make_grid_aligner)(const AlignOptions&) = nullptr;
inline constexpr std::unique_ptr<Aligner> (*make_cluster_aligner)(const AlignOptions&) = nullptr;
inline std::string grid_unavailable_reason() { return cuda_state().unavailable; }
inline std::string cluster_unavailable_reason() { return cuda_state().unavailable; }
#endif

}  // namespace ndt::gpu_persistent
