// The code of core/range_kernels.hpp, compiled once for each instruction set. Everything has internal
// linkage, so that no inline function of one instruction set is linked into code for another.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "ndt/core/range_kernels.hpp"
#include "ndt/core/simd.hpp"
#include "simd_registers.hpp"

namespace ndt {
namespace {

/// Points side by side.
constexpr std::size_t kRow = sizeof(Floats) / sizeof(float);
constexpr std::size_t kRowFloats = 3 * kRow;
static_assert(sizeof(Vec3<float>) == 3 * sizeof(float) && kRangeBlock % kRow == 0);

/// Four floats, and with AVX2 those of the four points after, so that a row is shuffled by fours.
inline Floats load_fours(const float* from) {
#if defined(__AVX2__)
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)), _mm_loadu_ps(from + 12), 1);
#else
  Floats out;
  std::memcpy(&out, from, sizeof out);
  return out;
#endif
}
inline void add_fours(const Floats& row, Float4& sums) {
#if defined(__AVX2__)
  sums += _mm256_castps256_ps128(row);
  sums += _mm256_extractf128_ps(row, 1);
#else
  sums += row;
#endif
}

/// Squared ranges of a row of points [m²].
inline Floats squared_ranges(const float* from) {
  // x0 y0 z0 x1 | y1 z1 x2 y2 | z2 x3 y3 z3
  Floats a = load_fours(from), b = load_fours(from + 4), c = load_fours(from + 8);
  a *= a, b *= b, c *= c;
#if defined(__AVX2__)
  const Floats yz = __builtin_shufflevector(a, b, 1, 2, 8, 9, 5, 6, 12, 13),
               xy = __builtin_shufflevector(b, c, 2, 3, 9, 10, 6, 7, 13, 14);
  return __builtin_shufflevector(a, xy, 0, 3, 8, 10, 4, 7, 12, 14) +
         __builtin_shufflevector(yz, xy, 0, 2, 9, 11, 4, 6, 13, 15) +
         __builtin_shufflevector(yz, c, 1, 3, 8, 11, 5, 7, 12, 15);
#else
  const Floats yz = __builtin_shufflevector(a, b, 1, 2, 4, 5), xy = __builtin_shufflevector(b, c, 2, 3, 5, 6);
  return __builtin_shufflevector(a, xy, 0, 3, 4, 6) + __builtin_shufflevector(yz, xy, 0, 2, 5, 7) +
         __builtin_shufflevector(yz, c, 1, 3, 4, 7);
#endif
}

inline Floats square_roots(const Floats& squared) {
#if defined(__AVX2__)
  return _mm256_sqrt_ps(squared);
#elif defined(__SSE2__)
  return _mm_sqrt_ps(squared);
#else
  Floats out;
  for (std::size_t lane = 0; lane < kRow; ++lane) out[lane] = std::sqrt(squared[lane]);
  return out;
#endif
}

inline bool all(const Ints& lanes) {
  std::int64_t words[sizeof(Ints) / sizeof(std::int64_t)], both = -1;
  std::memcpy(words, &lanes, sizeof lanes);
  for (const std::int64_t word : words) both &= word;
  return both == -1;
}

/// As RangeKernels::add_near.
std::size_t add_near(const Vec3<float>* points, std::size_t n, float near_squared, double (&columns)[4]) {
  std::size_t done = 0;
  for (; done + kRangeBlock <= n; done += kRangeBlock) {
    const float* from = &points[done].x;
    Ints near = Ints{} == Ints{};
    Float4 sums{};
    for (std::size_t row = 0; row < kRangeBlock / kRow; ++row, from += kRowFloats) {
      const Floats squared = squared_ranges(from);
      near &= squared < near_squared;
      add_fours(square_roots(squared), sums);
    }
    if (!all(near)) break;
    for (int column = 0; column < 4; ++column) columns[column] += static_cast<double>(sums[column]);
  }
  return done;
}

}  // namespace
}  // namespace ndt
