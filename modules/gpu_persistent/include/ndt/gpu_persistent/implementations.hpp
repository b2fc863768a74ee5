// NDT as one body that runs the whole Newton loop: on the whole GPU, on CPU threads, or on a thread-block
// cluster.
#pragma once

#include <span>

#include "ndt/align/implementation.hpp"

namespace ndt::gpu_persistent {

/// persistent_cuda, persistent_cpu, persistent_cluster_cuda, in report order.
std::span<const Implementation> implementations();

}  // namespace ndt::gpu_persistent
