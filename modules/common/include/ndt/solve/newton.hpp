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

/// Solves (-H + damping I) δ = g by Cholesky. Returns false, with delta unspecified, if that matrix is not positive definite.
NDT_HD inline bool solve_positive_definite(const Mat6& hessian, const Vec6& gradient, Vec6& delta, double damping = 0) {
  double l[6][6];
  for (int j = 0; j < 6; ++j) {
    double pivot = damping - hessian(j, j);
    for (int k = 0; k < j; ++k) pivot -= l[j][k] * l[j][k];
    if (!(pivot > 0)) return false;
    l[j][j] = std::sqrt(pivot);
    for (int i = j + 1; i < 6; ++i) {
      double sum = -hessian(i, j);
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = sum / l[j][j];
    }
  }
  for (int i = 0; i < 6; ++i) {
    double sum = gradient[i];
    for (int k = 0; k < i; ++k) sum -= l[i][k] * delta[k];
    delta[i] = sum / l[i][i];
  }
  for (int i = 5; i >= 0; --i) {
    double sum = delta[i];
    for (int k = i + 1; k < 6; ++k) sum -= l[k][i] * delta[k];
    delta[i] = sum / l[i][i];
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

NDT_HD inline NewtonDirection newton_direction(NewtonStep kind, const Mat6& hessian, const Vec6& gradient) {
  NewtonDirection out;
  double sum = 0;
  for (int i = 0; i < 36; ++i) sum += hessian.m[i];
  if (!std::isfinite(sum)) {
    out.fallback = out.failed = true;
    return out;
  }
  if (solve_positive_definite(hessian, gradient, out.delta)) return out;
  out.fallback = true;
  if (kind == NewtonStep::damped)
    out.failed = !solve_damped(hessian, gradient, out.delta);
  else
    out.delta = solve_minimum_norm(hessian, gradient);
  return out;
}

}  // namespace ndt
