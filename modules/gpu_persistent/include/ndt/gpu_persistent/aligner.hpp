// The whole Newton loop as one SPMD body. Here its host row; the CUDA rows run the same body on a grid, a cluster or a block.
#pragma once

#include <memory>

#include "ndt/align/aligner.hpp"

namespace ndt::gpu_persistent {

/// persistent_cpu: the body on a pool of CPU threads. Throws std::invalid_argument for options out of range.
std::unique_ptr<BatchAligner> make_cpu_aligner(const AlignOptions& options);

}  // namespace ndt::gpu_persistent
