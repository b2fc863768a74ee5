// NDT as one body that runs the whole Newton loop: on CPU threads, on the whole GPU, or on one thread-block cluster.
#pragma once

#include <memory>
#include <string>

#include "ndt/align/aligner.hpp"

namespace ndt::gpu_persistent {

/// All three throw std::invalid_argument for options out of range.
/// persistent_cpu: the body on a pool of CPU threads.
std::unique_ptr<BatchAligner> make_cpu_aligner(const AlignOptions& options);
/// persistent_cuda: one cooperative launch on as many blocks as the GPU holds at once; a batch is one launch too, a block or a
/// cluster for each pose. Throws std::runtime_error with the reason if it cannot run here, and later if a CUDA call fails.
std::unique_ptr<BatchAligner> make_grid_aligner(const AlignOptions& options);
/// persistent_cluster_cuda: one thread-block cluster for each pose. Throws as make_grid_aligner.
std::unique_ptr<BatchAligner> make_cluster_aligner(const AlignOptions& options);

/// Why the rows cannot run here; empty if they can.
std::string grid_unavailable_reason();
std::string cluster_unavailable_reason();

}  // namespace ndt::gpu_persistent
