// Eigenvalues and eigenvectors of a small symmetric matrix by cyclic Jacobi rotations, on host and device.
#pragma once

#include <cmath>

#include "ndt/core/hd.hpp"

namespace ndt {

template <int N>
struct SymmetricEigen {
  double values[N];      ///< ascending
  double vectors[N][N];  ///< vectors[k] belongs to values[k], unit length
};

namespace detail {

/// One Jacobi rotation that zeroes a(p, q), applied to a and accumulated in the columns of v.  [Golub & Van Loan, 8.5]
template <int N>
NDT_HD inline void rotate(double (&a)[N][N], double (&v)[N][N], int p, int q) {
  if (a[p][q] == 0) return;
  const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const double t = (theta >= 0 ? 1.0 : -1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < N; ++k) {
    const double akp = a[k][p], akq = a[k][q];
    a[k][p] = c * akp - s * akq;
    a[k][q] = s * akp + c * akq;
  }
  for (int k = 0; k < N; ++k) {
    const double apk = a[p][k], aqk = a[q][k];
    a[p][k] = c * apk - s * aqk;
    a[q][k] = s * apk + c * aqk;
  }
  for (int k = 0; k < N; ++k) {
    const double vkp = v[k][p], vkq = v[k][q];
    v[k][p] = c * vkp - s * vkq;
    v[k][q] = s * vkp + c * vkq;
  }
}

template <int N>
NDT_HD inline double off_diagonal(const double (&a)[N][N]) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    for (int j = i + 1; j < N; ++j) sum += a[i][j] * a[i][j];
  return sum;
}

}  // namespace detail

/// Reads the whole of `matrix`, which must be symmetric and finite. Converges quadratically; 30 sweeps are a safe cap.
template <int N>
NDT_HD inline SymmetricEigen<N> symmetric_eigen(const double (&matrix)[N][N]) {
  double a[N][N], v[N][N];
  double diagonal = 0;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) a[i][j] = matrix[i][j], v[i][j] = i == j ? 1.0 : 0.0;
    diagonal += a[i][i] * a[i][i];
  }
  for (int sweep = 0; sweep < 30; ++sweep) {
    const double off = detail::off_diagonal(a);
    if (!(off > 1e-36 * (diagonal + off))) break;
    for (int p = 0; p < N; ++p)
      for (int q = p + 1; q < N; ++q) detail::rotate(a, v, p, q);
  }
  SymmetricEigen<N> out;
  int order[N];
  for (int i = 0; i < N; ++i) {
    int j = i;
    for (; j > 0 && a[order[j - 1]][order[j - 1]] > a[i][i]; --j) order[j] = order[j - 1];
    order[j] = i;
  }
  for (int k = 0; k < N; ++k) {
    out.values[k] = a[order[k]][order[k]];
    for (int i = 0; i < N; ++i) out.vectors[k][i] = v[i][order[k]];
  }
  return out;
}

}  // namespace ndt
