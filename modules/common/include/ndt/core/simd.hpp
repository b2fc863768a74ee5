// Arithmetic and loads that are faster than what compilers make of plain code. On the host, several floats or
// two doubles lie side by side, in the compilers' portable vector extension (SSE, NEON, ...). On a device
// there are reciprocals and whole-record loads. The maths that uses them is a template over its scalar: one
// source for float, double and these.
#pragma once

#include <cmath>
#include <cstring>

#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// cond ? a : b, lane by lane where there are lanes.
NDT_HD inline float select(bool condition, float a, float b) { return condition ? a : b; }
NDT_HD inline double select(bool condition, double a, double b) { return condition ? a : b; }

/// Whether the condition holds in any lane.
NDT_HD inline bool any(bool condition) { return condition; }

NDT_HD inline double sqrt_of(double x) { return std::sqrt(x); }

/// On a device within 2^-22 + |x| 2^-24 of the value: std::exp takes eight instructions more for the last
/// bit.
NDT_HD inline float exp_of(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695040888963F));
  return y;
#else
  return std::exp(x);
#endif
}
NDT_HD inline double exp_of(double x) { return std::exp(x); }

/// Converts a value to double, and adds its lanes if it has several.
NDT_HD inline double folded(float x) { return static_cast<double>(x); }
NDT_HD inline double folded(double x) { return x; }

/// Returns the same value in every lane.
template <class Real>
NDT_HD inline Real broadcast(float x) {
  return static_cast<Real>(x);
}

#if !defined(__CUDACC__)

using Float4 = float __attribute__((vector_size(16)));
using Int4 = int __attribute__((vector_size(16)));

using Double2 = double __attribute__((vector_size(16)));
using Long2 = decltype(Double2{} < Double2{});

inline Double2 select(Long2 condition, Double2 a, Double2 b) { return condition ? a : b; }
inline bool any(Long2 condition) { return (condition[0] | condition[1]) != 0; }
inline Double2 sqrt_of(Double2 x) { return Double2{std::sqrt(x[0]), std::sqrt(x[1])}; }

template <>
inline Double2 broadcast<Double2>(float x) {
  return Double2{x, x};
}

/// exp of every lane for x <= 0 within 2 ulp; below -87 (and for NaN) the smallest normal numbers. Range
/// reduction to |r| <= ln2/2 and a Taylor polynomial of degree 7, whose remainder is below 1e-8 there.
/// Inlined always: the code of one instruction set must not be linked into another's.
template <class Floats, class Ints>
[[gnu::always_inline]] inline Floats exp_of_lanes(Floats x) {
  x = x > -87.0F ? x : Floats{} - 87.0F;
  const Ints n = __builtin_convertvector(x * 1.442695040888963F - 0.5F, Ints);
  const Floats nf = __builtin_convertvector(n, Floats);
  const Floats r = (x - nf * 0.693359375F) - nf * -2.12194440e-4F;  // ln 2 in two parts, the first short
  Floats p = r * (1.0F / 5040) + 1.0F / 720;
  p = p * r + 1.0F / 120;
  p = p * r + 1.0F / 24;
  p = p * r + 1.0F / 6;
  p = p * r + 0.5F;
  p = (p * r) * r + r + 1.0F;
  const Ints bits = (n + 127) << 23;
  Floats scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return p * scale;
}

/// The sums of eight lanes in memory.
struct alignas(32) FloatLanes {
  static constexpr int kCount = 8;
  float lane[kCount] = {};
};

inline double folded(const FloatLanes& x) {
  const auto two = [&](int i) { return static_cast<double>(x.lane[i]) + static_cast<double>(x.lane[i + 1]); };
  return (two(0) + two(2)) + (two(4) + two(6));
}

#endif

/// 1 / x within a few units in the last place; not finite if x is 0, subnormal or not finite. The device's
/// own division handles these with a branch and takes twice the time.
NDT_HD inline double reciprocal(double x) {
#if defined(__CUDA_ARCH__)
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  // y has 20 good bits; 1 / (1 - e) = 1 + e + e^2 + ... has three times as many.
  const double e = fma(-x, y, 1.0);
  return fma(y, fma(e, e, e), y);
#else
  return 1 / x;
#endif
}

/// 1 / sqrt(x) within a few units in the last place; not finite unless x is a positive normal number.
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

/// Copies *from, which must not be written while a kernel reads it.
template <class T>
NDT_HD inline T load_aligned(const T* from) {
#if defined(__CUDA_ARCH__)
  static_assert(alignof(T) >= sizeof(float4) && sizeof(T) % sizeof(float4) == 0);
  constexpr int kRows = sizeof(T) / sizeof(float4);
  float4 rows[kRows];
  NDT_UNROLL
  for (int i = 0; i < kRows; ++i) rows[i] = __ldg(reinterpret_cast<const float4*>(from) + i);
  T out;
  memcpy(&out, rows, sizeof out);
  return out;
#else
  return *from;
#endif
}

}  // namespace ndt
