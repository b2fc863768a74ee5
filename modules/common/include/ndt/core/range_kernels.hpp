// Ranges of points side by side. Host only. The code is compiled for several instruction sets, all of which
// give the same bits.
#pragma once

#include <cstddef>
#include <span>

#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// Points whose ranges are added in float32 by mean_range_m().
inline constexpr std::size_t kRangeBlock = 16;

/// The code for one instruction set.
struct RangeKernels {
  const char* instructions;  ///< such as x86-64-v3
  bool (*usable)();          ///< whether this CPU has them
  /// Adds the ranges of whole blocks of kRangeBlock points [m], point i's to column i % 4, up to the first
  /// block with a point that is not finite or whose squared range is near_squared [m²] or more. Gives the
  /// number of their points.
  std::size_t (*add_near)(const Vec3<float>* points, std::size_t n, float near_squared, double (&columns)[4]);
};

/// The kernels of this build that this CPU can run, best last; there is at least one.
std::span<const RangeKernels* const> usable_range_kernels();

}  // namespace ndt
