// The widest registers of the instruction set that a file is compiled for. For files that are compiled for
// several alone: everything here has internal linkage, so that no inline function of one instruction set is
// linked into code for another.
#pragma once

#include "ndt/core/simd.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ndt {
namespace {

#if defined(__AVX2__)
using Floats = float __attribute__((vector_size(32)));  ///< floats of a register
using Ints = int __attribute__((vector_size(32)));      ///< as many ints
#else
using Floats = Float4;  ///< floats of a register
using Ints = Int4;      ///< as many ints
#endif

}  // namespace
}  // namespace ndt
