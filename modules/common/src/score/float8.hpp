// Eight floats side by side, in one register of AVX, or in two of SSE or NEON: the same operations in the
// same order, so results do not depend on the registers. For the files of point_kernels_list.hpp alone.
// Everything here has internal linkage, and so has every template that is instantiated with Float8: no inline
// function of one instruction set can be linked into code for another.
#pragma once

#include <cstring>

#include "../core/simd_registers.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt {
namespace {

constexpr int kWidth = FloatLanes::kCount, kParts = kWidth * sizeof(float) / sizeof(Floats);

struct Int8 {
  Ints part[kParts] = {};
};
struct Float8 {
  Floats part[kParts] = {};
};

template <class Out, class F>
inline Out each(F&& f) {
  Out out;
  out.part[0] = f(0);
  if constexpr (kParts > 1) out.part[1] = f(1);
  return out;
}
inline Float8 operator+(const Float8& a, const Float8& b) {
  return each<Float8>([&](int k) { return a.part[k] + b.part[k]; });
}
inline Float8 operator-(const Float8& a, const Float8& b) {
  return each<Float8>([&](int k) { return a.part[k] - b.part[k]; });
}
inline Float8 operator*(const Float8& a, const Float8& b) {
  return each<Float8>([&](int k) { return a.part[k] * b.part[k]; });
}
inline Float8 operator-(const Float8& a) {
  return each<Float8>([&](int k) { return -a.part[k]; });
}
inline Float8& operator+=(Float8& a, const Float8& b) { return a = a + b; }
inline Int8 operator<(const Float8& a, const Float8& b) {
  return each<Int8>([&](int k) { return a.part[k] < b.part[k]; });
}
inline Int8 operator>(const Float8& a, const Float8& b) { return b < a; }
inline Int8 operator<=(const Float8& a, const Float8& b) {
  return each<Int8>([&](int k) { return a.part[k] <= b.part[k]; });
}
inline Int8 operator>=(const Float8& a, const Float8& b) { return b <= a; }
inline Int8 operator+(const Int8& a, const Int8& b) {
  return each<Int8>([&](int k) { return a.part[k] + b.part[k]; });
}
inline Int8 operator-(const Int8& a, const Int8& b) {
  return each<Int8>([&](int k) { return a.part[k] - b.part[k]; });
}
inline Int8 operator*(const Int8& a, const Int8& b) {
  return each<Int8>([&](int k) { return a.part[k] * b.part[k]; });
}
inline Int8 operator<(const Int8& a, const Int8& b) {
  return each<Int8>([&](int k) { return a.part[k] < b.part[k]; });
}
inline Int8 operator&(const Int8& a, const Int8& b) {
  return each<Int8>([&](int k) { return a.part[k] & b.part[k]; });
}
inline Float8 select(const Int8& condition, const Float8& a, const Float8& b) {
  return each<Float8>([&](int k) { return condition.part[k] ? a.part[k] : b.part[k]; });
}
inline Float8 exp_of(const Float8& x) {
  return each<Float8>([&](int k) { return exp_of_lanes<Floats, Ints>(x.part[k]); });
}
inline Int8 same(int x) {
  return each<Int8>([&](int) { return Ints{} + x; });
}
inline Float8 to_float(const Int8& a) {
  return each<Float8>([&](int k) { return __builtin_convertvector(a.part[k], Floats); });
}
inline Int8 truncated(const Float8& a) {
  return each<Int8>([&](int k) { return __builtin_convertvector(a.part[k], Ints); });
}

template <class T>
inline T load(const void* from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
template <class T>
inline void store(const T& value, void* to) {
  std::memcpy(to, &value, sizeof value);
}

/// A bit for each lane, lane 0 the lowest.
inline unsigned bits_of(const Int8& mask) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(load<__m256>(&mask)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(load<__m128>(&mask.part[0])) |
                               _mm_movemask_ps(load<__m128>(&mask.part[1])) << 4);
#else
  unsigned bits = 0;
  for (int lane = 0; lane < kWidth; ++lane) bits |= (mask.part[lane / 4][lane % 4] != 0 ? 1U : 0U) << lane;
  return bits;
#endif
}

/// Four rows of lanes 0 to 3 beside four of lanes 4 to 7 become columns.
inline void transpose(Floats& a, Floats& b, Floats& c, Floats& d) {
#if defined(__AVX2__)
  const Floats ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
               ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const Floats cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13),
               cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
#else
  const Floats ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Floats cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
#endif
}

/// The 16 bytes at at(lane) as four columns of lanes.
template <class At>
inline void load_columns(At&& at, Float8& a, Float8& b, Float8& c, Float8& d) {
  for (int k = 0; k < kParts; ++k) {
    const auto row = [&](int i) {
#if defined(__AVX2__)
      return __builtin_shufflevector(load<Float4>(at(i)), load<Float4>(at(i + 4)), 0, 1, 2, 3, 4, 5, 6, 7);
#else
      return load<Float4>(at(4 * k + i));
#endif
    };
    Floats r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
    transpose(r0, r1, r2, r3);
    a.part[k] = r0, b.part[k] = r1, c.part[k] = r2, d.part[k] = r3;
  }
}

/// The first three columns.
template <class At>
inline Vec3<Float8> columns(At&& at) {
  Vec3<Float8> v;
  Float8 rest;
  load_columns(at, v.x, v.y, v.z, rest);
  return v;
}

}  // namespace

template <>
inline Float8 broadcast<Float8>(float x) {
  return each<Float8>([&](int) { return Floats{} + x; });
}

namespace {

inline Vec3<Float8> broadcast3(const Vec3<float>& v) {
  return {broadcast<Float8>(v.x), broadcast<Float8>(v.y), broadcast<Float8>(v.z)};
}
inline Mat3<Float8> broadcast9(const Mat3<float>& a) {
  Mat3<Float8> b;
  for (int i = 0; i < 9; ++i) b.m[i] = broadcast<Float8>(a.m[i]);
  return b;
}

}  // namespace
}  // namespace ndt
