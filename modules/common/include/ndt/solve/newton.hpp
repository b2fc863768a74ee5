// The 6x6 Newton step of a score that is maximised: solve H δ = -g, with -H positive definite near the optimum.
#pragma once

#include <cmath>

#include "ndt/align/align_options.hpp"
#include "ndt/core/small_matrix.hpp"
#include "ndt/core/symmetric_eigen.hpp"

namespace ndt {

struct NewtonDirection {
  Vec6 delta;
  bool fallback = false;  ///< -H was not positive definite
  bool failed = false;    ///< no damping made it so
};

NDT_HD inline double inverse_sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return rsqrt(x);
#else
  return 1 / std::sqrt(x);
#endif
}

/// Solves (-H + damping I) δ = g by Cholesky. Returns false, with delta unspecified, if that matrix is not positive definite or
/// not finite.
NDT_HD inline bool solve_positive_definite(const Mat6& hessian, const Vec6& gradient, Vec6& delta, double damping = 0) {
  double l[6][6], inverse[6];  // below the diagonal, and one over it
  bool positive = true;
  NDT_UNROLL
  for (int j = 0; j < 6; ++j) {
    double pivot = damping - hessian(j, j);
    NDT_UNROLL
    for (int k = 0; k < j; ++k) pivot -= l[j][k] * l[j][k];
    positive = positive && pivot > 0 && std::isfinite(pivot);
    inverse[j] = inverse_sqrt(pivot);
    NDT_UNROLL
    for (int i = j + 1; i < 6; ++i) {
      double sum = -hessian(i, j);
      NDT_UNROLL
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = sum * inverse[j];
    }
  }
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) {
    double sum = gradient[i];
    NDT_UNROLL
    for (int k = 0; k < i; ++k) sum -= l[i][k] * delta[k];
    delta[i] = sum * inverse[i];
  }
  NDT_UNROLL
  for (int i = 5; i >= 0; --i) {
    double sum = delta[i];
    NDT_UNROLL
    for (int k = i + 1; k < 6; ++k) sum -= l[k][i] * delta[k];
    delta[i] = sum * inverse[i];
  }
  return positive;
}

/// Solves H δ = -g by elimination with full pivoting. Returns false, with delta unspecified, unless H is finite and far from
/// singular: its smallest pivot at least `least` of the largest.
NDT_HD NDT_NOINLINE inline bool solve_indefinite(const Mat6& hessian, const Vec6& gradient, Vec6& delta,
                                                 double least = 1e-8) {
  double a[6][7];
  int column[6];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) a[i][j] = hessian(i, j);
    a[i][6] = -gradient[i];
    column[i] = i;
  }
  double first = 0;
  for (int k = 0; k < 6; ++k) {
    int row = k, col = k;
    for (int i = k; i < 6; ++i)
      for (int j = k; j < 6; ++j)
        if (std::fabs(a[i][j]) > std::fabs(a[row][col])) row = i, col = j;
    const double pivot = a[row][col];
    if (k == 0) first = std::fabs(pivot);
    if (!(std::fabs(pivot) > least * first) || !std::isfinite(pivot)) return false;
    for (int j = 0; j < 7; ++j) {
      const double swapped = a[k][j];
      a[k][j] = a[row][j], a[row][j] = swapped;
    }
    for (int i = 0; i < 6; ++i) {
      const double swapped = a[i][k];
      a[i][k] = a[i][col], a[i][col] = swapped;
    }
    const int swapped = column[k];
    column[k] = column[col], column[col] = swapped;
    for (int i = k + 1; i < 6; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (int j = k + 1; j < 7; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  for (int i = 5; i >= 0; --i) {
    double sum = a[i][6];
    for (int j = i + 1; j < 6; ++j) sum -= a[i][j] * delta[column[j]];
    delta[column[i]] = sum / a[i][i];
  }
  return true;
}

/// Minimum-norm solution of H δ = -g through the eigenvectors, dropping |λ| <= 6 ε |λ|max: what an SVD solve gives.
NDT_HD inline Vec6 solve_minimum_norm(const Mat6& hessian, const Vec6& gradient) {
  double a[6][6];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a[i][j] = hessian(i, j);
  const SymmetricEigen<6> eigen = symmetric_eigen(a);
  const double largest = std::fmax(std::fabs(eigen.values[0]), std::fabs(eigen.values[5]));
  const double threshold = 6 * 2.220446049250313e-16 * largest;
  Vec6 delta;
  for (int k = 0; k < 6; ++k) {
    if (!(std::fabs(eigen.values[k]) > threshold)) continue;
    double projection = 0;
    for (int i = 0; i < 6; ++i) projection += eigen.vectors[k][i] * gradient[i];
    for (int i = 0; i < 6; ++i) delta[i] -= projection / eigen.values[k] * eigen.vectors[k][i];
  }
  return delta;
}

/// Damping from 1e-6 of the largest diagonal entry, growing tenfold, at most 12 tries. Returns false if none was enough.
NDT_HD inline bool solve_damped(const Mat6& hessian, const Vec6& gradient, Vec6& delta) {
  double largest = 0;
  for (int i = 0; i < 6; ++i) largest = std::fmax(largest, std::fabs(hessian(i, i)));
  double damping = 1e-6 * largest;
  for (int attempt = 0; attempt < 12; ++attempt, damping *= 10)
    if (solve_positive_definite(hessian, gradient, delta, damping)) return true;
  return false;
}

/// The step where -H is not positive definite. The minimum-norm solution is the only one unless H is (nearly) singular, and
/// elimination finds it in a tenth of the time that eigenvectors take.
NDT_HD NDT_NOINLINE inline NewtonDirection indefinite_direction(NewtonStep kind, const Mat6& hessian,
                                                                const Vec6& gradient) {
  NewtonDirection out;
  out.fallback = true;
  double sum = 0;
  for (int i = 0; i < 36; ++i) sum += hessian.m[i];
  if (!std::isfinite(sum))
    out.failed = true;
  else if (kind == NewtonStep::damped)
    out.failed = !solve_damped(hessian, gradient, out.delta);
  else if (!solve_indefinite(hessian, gradient, out.delta))
    out.delta = solve_minimum_norm(hessian, gradient);
  return out;
}

NDT_HD inline NewtonDirection newton_direction(NewtonStep kind, const Mat6& hessian, const Vec6& gradient) {
  NewtonDirection out;
  if (solve_positive_definite(hessian, gradient, out.delta)) return out;
  return indefinite_direction(kind, hessian, gradient);
}

}  // namespace ndt
