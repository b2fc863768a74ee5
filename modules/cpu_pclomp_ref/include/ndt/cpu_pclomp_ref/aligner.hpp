// The oracle: the exact behaviour of Autoware's multigrid_ndt_omp in independent C++, sharing no NDT maths with the rest.
#pragma once

#include <memory>

#include "ndt/align/aligner.hpp"

namespace ndt::cpu_pclomp_ref {

/// Throws std::invalid_argument for options out of range.
std::unique_ptr<Aligner> make_aligner(const AlignOptions& options);

}  // namespace ndt::cpu_pclomp_ref
