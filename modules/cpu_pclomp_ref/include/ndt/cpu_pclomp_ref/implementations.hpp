// The oracle: the behaviour of Autoware's multigrid_ndt_omp in independent C++.
#pragma once

#include <span>

#include "ndt/align/implementation.hpp"

namespace ndt::cpu_pclomp_ref {

/// cpu_pclomp_ref, in report order.
std::span<const Implementation> implementations();

}  // namespace ndt::cpu_pclomp_ref
