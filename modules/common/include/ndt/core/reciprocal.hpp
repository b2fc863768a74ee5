// Reciprocals on the critical path of a device thread.
#pragma once

#include <cmath>

#include "ndt/core/hd.hpp"

namespace ndt {

/// 1 / x within a few units in the last place; not finite where x is 0, subnormal or not finite. The device's own division takes
/// a branch for those and twice the time.
NDT_HD inline double reciprocal(double x) {
#if defined(__CUDA_ARCH__)
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x, y, 1.0);  // y has 20 good bits; 1 / (1 - e) = 1 + e + e^2 + ... has three times as many
  return fma(y, fma(e, e, e), y);
#else
  return 1 / x;
#endif
}

/// 1 / sqrt(x) within a few units in the last place; not finite where x is not a positive normal number.
NDT_HD inline double reciprocal_sqrt(double x) {
#if defined(__CUDA_ARCH__)
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x * y, y, 1.0);  // 1 / sqrt(1 - e) = 1 + e/2 + 3/8 e^2 + ...
  return fma(y * e, fma(0.375, e, 0.5), y);
#else
  return 1 / std::sqrt(x);
#endif
}

}  // namespace ndt
