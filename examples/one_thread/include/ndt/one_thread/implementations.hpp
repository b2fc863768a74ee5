// A complete implementation in the fewest lines: the shared Newton loop on the calling thread. CONTRIBUTING
// explains it.
#pragma once

#include <span>

#include "ndt/align/implementation.hpp"

namespace ndt::one_thread {

std::span<const Implementation> implementations();

}  // namespace ndt::one_thread
