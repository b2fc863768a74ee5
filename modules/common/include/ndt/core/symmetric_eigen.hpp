// Eigenvalues and eigenvectors of a small symmetric matrix by cyclic Jacobi rotations, on host and device.
#pragma once

#include "ndt/core/hd.hpp"
#include "ndt/core/simd.hpp"

namespace ndt {

template <int N>
struct SymmetricEigen {
  double values[N];      ///< ascending
  double vectors[N][N];  ///< vectors[k] belongs to values[k], unit length
};

namespace detail {

/// Applies one Jacobi rotation that zeroes a(p, q) to a, and accumulates it in the columns of v. Only those
/// lanes of `live` rotate in which the square of a(p, q) is above `negligible`. [Golub & Van Loan, 8.5]
template <int N, class Real, class Mask>
NDT_HD inline void rotate(Real (&a)[N][N], Real (&v)[N][N], int p, int q, Real negligible, Mask live) {
  const Mask turn = live & (a[p][q] * a[p][q] > negligible);
  if (!any(turn)) return;
  // tan, cos and sin of the angle: two roots, and two divisions that do not wait for one another.
  const Real d = a[q][q] - a[p][p], b = 2 * a[p][q], far = sqrt_of(d * d + b * b);
  const Real wide = select(d < 0, -d, d) + far;
  const Real t = select(d < 0, -b, b) / wide, c = sqrt_of(wide / (2 * far)), s = t * c;
  const auto combine = [&](Real& atp, Real& atq) {
    const Real ap = atp, aq = atq;
    atp = select(turn, c * ap - s * aq, ap);
    atq = select(turn, s * ap + c * aq, aq);
  };
  for (int k = 0; k < N; ++k) combine(a[k][p], a[k][q]);
  for (int k = 0; k < N; ++k) combine(a[p][k], a[q][k]);
  for (int k = 0; k < N; ++k) combine(v[k][p], v[k][q]);
}

template <int N, class Real>
NDT_HD inline Real off_diagonal(const Real (&a)[N][N]) {
  Real sum = broadcast<Real>(0);
  for (int i = 0; i < N; ++i)
    for (int j = i + 1; j < N; ++j) sum += a[i][j] * a[i][j];
  return sum;
}

/// Makes `a` diagonal, and its eigenvectors the columns of v. Converges quadratically; 30 sweeps are a safe
/// cap. A lane that has converged stays as it is.
template <int N, class Real>
NDT_HD inline void diagonalise(Real (&a)[N][N], Real (&v)[N][N]) {
  Real diagonal = broadcast<Real>(0);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) v[i][j] = broadcast<Real>(i == j ? 1 : 0);
    diagonal += a[i][i] * a[i][i];
  }
  auto live = diagonal == diagonal;
  for (int sweep = 0; sweep < 30; ++sweep) {
    const Real off = off_diagonal(a), enough = 1e-36 * (diagonal + off);
    live = live & (off > enough);
    if (!any(live)) break;
    const Real negligible = enough / (N * (N - 1));  // N (N - 1) / 2 of them are half of enough
    for (int p = 0; p < N; ++p)
      for (int q = p + 1; q < N; ++q) rotate(a, v, p, q, negligible, live);
  }
}

NDT_HD inline double lane_of(double x, int) { return x; }
#if !defined(__CUDACC__)
inline double lane_of(const Double2& x, int lane) { return x[lane]; }
#endif

/// Sorts the diagonal in ascending order, and the columns of v with it.
template <int N, class Real>
NDT_HD inline SymmetricEigen<N> sorted(const Real (&a)[N][N], const Real (&v)[N][N], int lane) {
  SymmetricEigen<N> out;
  int order[N];
  for (int i = 0; i < N; ++i) {
    const double value = lane_of(a[i][i], lane);
    int j = i;
    for (; j > 0 && lane_of(a[order[j - 1]][order[j - 1]], lane) > value; --j) order[j] = order[j - 1];
    order[j] = i;
  }
  for (int k = 0; k < N; ++k) {
    out.values[k] = lane_of(a[order[k]][order[k]], lane);
    for (int i = 0; i < N; ++i) out.vectors[k][i] = lane_of(v[i][order[k]], lane);
  }
  return out;
}

}  // namespace detail

/// Reads the whole of `matrix`, which must be symmetric, its entries at most 1e150.
template <int N>
NDT_HD inline SymmetricEigen<N> symmetric_eigen(const double (&matrix)[N][N]) {
  double a[N][N], v[N][N];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a[i][j] = matrix[i][j];
  detail::diagonalise(a, v);
  return detail::sorted(a, v, 0);
}

#if !defined(__CUDACC__)

template <int N>
struct SymmetricEigenPair {
  SymmetricEigen<N> first, second;
};

/// Decomposes two matrices side by side; each result has the bits that its matrix alone would give. This is
/// faster, because one rotation is a chain of divisions and roots, and two chains overlap.
template <int N>
inline SymmetricEigenPair<N> symmetric_eigen(const double (&first)[N][N], const double (&second)[N][N]) {
  Double2 a[N][N], v[N][N];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a[i][j] = Double2{first[i][j], second[i][j]};
  detail::diagonalise(a, v);
  return {detail::sorted(a, v, 0), detail::sorted(a, v, 1)};
}

#endif

}  // namespace ndt
