// How much memory a program has asked for: its operator new is replaced by one that counts.
#pragma once

#include <cstddef>

namespace ndt::catalogue {

/// Bytes asked of operator new since the start, used or not, given back or not.
std::size_t asked_memory();

}  // namespace ndt::catalogue
