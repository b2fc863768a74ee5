// Fixed-size value types for host and device: 3-vectors, 3x3 matrices, symmetric 3x3, 6-vectors, 6x6.
// Nothing here allocates; Eigen stays out of kernels.
#pragma once

#include "ndt/core/hd.hpp"

namespace ndt {

/// A vector of three.
template <class T>
struct Vec3 {
  T x{}, y{}, z{};  ///< coordinates
};

/// Row-major 3x3.
template <class T>
struct Mat3 {
  T m[9] = {};  ///< row by row
  /// Entry of a row and column, from 0.
  NDT_HD T& operator()(int row, int col) { return m[3 * row + col]; }
  /// As above, to read.
  NDT_HD T operator()(int row, int col) const { return m[3 * row + col]; }
};

/// Symmetric 3x3, upper triangle.
template <class T>
struct Sym3 {
  T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};  ///< entries
};

/// A vector of six, mostly x y z roll pitch yaw.
struct Vec6 {
  double v[6] = {};  ///< its entries
  /// Entry i, from 0.
  NDT_HD double& operator[](int i) { return v[i]; }
  /// As above, to read.
  NDT_HD double operator[](int i) const { return v[i]; }
};

/// Row-major 6x6.
struct Mat6 {
  double m[36] = {};  ///< row by row
  /// Entry of a row and column, from 0.
  NDT_HD double& operator()(int row, int col) { return m[6 * row + col]; }
  /// As above, to read.
  NDT_HD double operator()(int row, int col) const { return m[6 * row + col]; }
};

/// Sum.
template <class T>
NDT_HD inline Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
/// Difference.
template <class T>
NDT_HD inline Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
/// Scaled vector.
template <class T>
NDT_HD inline Vec3<T> operator*(T s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
/// Dot product.
template <class T>
NDT_HD inline T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// Matrix times vector.
template <class T>
NDT_HD inline Vec3<T> operator*(const Sym3<T>& a, const Vec3<T>& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}
/// Matrix times vector.
template <class T>
NDT_HD inline Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& v) {
  return {a(0, 0) * v.x + a(0, 1) * v.y + a(0, 2) * v.z, a(1, 0) * v.x + a(1, 1) * v.y + a(1, 2) * v.z,
          a(2, 0) * v.x + a(2, 1) * v.y + a(2, 2) * v.z};
}
/// Matrix product.
template <class T>
NDT_HD inline Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  return c;
}
/// Rows and columns exchanged.
template <class T>
NDT_HD inline Mat3<T> transpose(const Mat3<T>& a) {
  return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
/// All nine entries of a symmetric matrix.
template <class T>
NDT_HD inline Mat3<T> full(const Sym3<T>& a) {
  return {{a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz}};
}
/// a b + c d with the same bits in every kernel. Of two products a compiler fuses either with the addition.
NDT_HD inline double sum_of_products(double a, double b, double c, double d) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, __dmul_rn(c, d));
#else
  return a * b + c * d;
#endif
}

/// Dot product, added in pairs so that fewer additions wait for one another.
NDT_HD inline double dot(const Vec6& a, const Vec6& b) {
  return (sum_of_products(a[0], b[0], a[1], b[1]) + sum_of_products(a[2], b[2], a[3], b[3])) +
         sum_of_products(a[4], b[4], a[5], b[5]);
}

/// Converts a fixed-size value to another scalar type.
template <class To, class From>
NDT_HD inline Vec3<To> cast(const Vec3<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}
/// As above, of a matrix.
template <class To, class From>
NDT_HD inline Mat3<To> cast(const Mat3<From>& a) {
  Mat3<To> b;
  for (int i = 0; i < 9; ++i) b.m[i] = static_cast<To>(a.m[i]);
  return b;
}
/// As above, of a symmetric matrix.
template <class To, class From>
NDT_HD inline Sym3<To> cast(const Sym3<From>& a) {
  return {static_cast<To>(a.xx), static_cast<To>(a.xy), static_cast<To>(a.xz),
          static_cast<To>(a.yy), static_cast<To>(a.yz), static_cast<To>(a.zz)};
}

}  // namespace ndt
