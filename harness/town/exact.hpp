// Arithmetic of the town that gives the same bits with every compiler: sqrt is the only function of the maths
// library.
//
// Rules for all sources of this folder: draw one random number per statement (the order in which arguments
// are evaluated is unspecified), no std:: distributions, no container whose iteration order the standard
// leaves open.
#pragma once

#include <cmath>
#include <cstdint>

#include "ndt/core/small_matrix.hpp"

namespace ndt::harness::town {

/// The largest whole number that is not above x.
inline std::int64_t whole_below(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  return static_cast<double>(whole) > x ? whole - 1 : whole;
}

inline Vec3<double> unit(const Vec3<double>& v) { return (1.0 / std::sqrt(dot(v, v))) * v; }

/// A direction in the plane: cosine and sine of its angle.
struct Heading {
  double c = 1, s = 0;
};

/// The direction whose angle is 2 atan(half_tangent).
inline Heading heading_of(double half_tangent) {
  const double square = half_tangent * half_tangent;
  return {(1 - square) / (1 + square), 2 * half_tangent / (1 + square)};
}

/// The sum of the angles.
inline Heading operator*(const Heading& a, const Heading& b) {
  return {a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

/// A point in whole millimetres: what is written, and what sums exactly in any order.
struct Millimetres {
  std::int32_t x = 0, y = 0, z = 0;
};

inline Millimetres in_millimetres(const Vec3<double>& metres) {
  const auto round = [](double m) { return static_cast<std::int32_t>(whole_below(m * 1000 + 0.5)); };
  return {round(metres.x), round(metres.y), round(metres.z)};
}

inline Vec3<double> in_metres(const Millimetres& p) {
  const auto metres = [](std::int32_t mm) { return static_cast<double>(mm) / 1000; };
  return {metres(p.x), metres(p.y), metres(p.z)};
}

}  // namespace ndt::harness::town
