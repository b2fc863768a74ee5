// The 6x6 Newton step of a score that is maximised: solve H δ = -g, with -H positive definite near the
// optimum.
#pragma once

#include <cmath>

#include "ndt/align/align_options.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/core/small_matrix.hpp"
#include "ndt/core/symmetric_eigen.hpp"
#include "ndt/exec/crew.hpp"

namespace ndt {

struct NewtonDirection {
  Vec6 delta;
  bool fallback = false;  ///< -H was not positive definite
  bool failed = false;    ///< no damping made it so
};

/// Work space of the rare cases. It is not in a device thread's own arrays, because every launch would pay
/// for their memory.
struct NewtonScratch {
  double a[6][6], v[6][6];
  double system[6][7];  ///< a matrix and its right side
};

/// A pivot this far below the largest tells a matrix that is nearly singular.
inline constexpr double kSmallPivot = 1e-9;

/// The definiteness of -H + damping I, as its pivots show it.
enum class Definiteness {
  positive,
  indefinite,  ///< far from singular, so the solution is unique
  unknown      ///< nearly singular, or not finite: no solution
};

/// Solves (-H + damping I) δ = g by LDLᵀ without pivoting. A matrix with negative pivots is solved too if no
/// pivot is small and no multiplier large, because rounding errors stay small then. delta is unspecified if
/// the answer is unknown. Judge: false leaves out that check, and the answer is never indefinite.
template <bool Judge = true>
NDT_HD inline Definiteness solve_symmetric(const Mat6& hessian, const Vec6& gradient, Vec6& delta,
                                           double damping = 0) {
  constexpr double kLargeMultiplier = 100;
  double l[6][6], inverse[6];  // L below the diagonal; one over the pivots
  double smallest = 0, largest = 0, multiplier = 0, pivots = 0;
  bool positive = true;
  NDT_UNROLL
  for (int j = 0; j < 6; ++j) {
    double scaled[6];  // l[j][k] times pivot k
    double pivot = damping - hessian(j, j);
    NDT_UNROLL
    for (int k = 0; k < j; ++k) {
      scaled[k] = l[j][k];
      l[j][k] *= inverse[k];
      pivot -= l[j][k] * scaled[k];
      if constexpr (Judge) multiplier = std::fmax(multiplier, std::fabs(l[j][k]));
    }
    inverse[j] = reciprocal(pivot);
    positive = positive && pivot > 0;
    pivots += pivot;
    if constexpr (Judge) {
      smallest = j == 0 ? std::fabs(pivot) : std::fmin(smallest, std::fabs(pivot));
      largest = std::fmax(largest, std::fabs(pivot));
    }
    NDT_UNROLL
    for (int i = j + 1; i < 6; ++i) {
      double sum = -hessian(i, j);
      NDT_UNROLL
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = sum;
    }
  }
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) {
    double sum = gradient[i];
    NDT_UNROLL
    for (int k = 0; k < i; ++k) sum -= l[i][k] * delta[k];
    delta[i] = sum;
  }
  NDT_UNROLL
  for (int i = 5; i >= 0; --i) {
    double sum = delta[i] * inverse[i];
    NDT_UNROLL
    for (int k = i + 1; k < 6; ++k) sum -= l[k][i] * delta[k];
    delta[i] = sum;
  }
  // A NaN anywhere reaches the last pivots. Comparisons with it are false, and fmin and fmax ignore it.
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) pivots += inverse[i];
  if (!std::isfinite(pivots)) return Definiteness::unknown;
  if (positive) return Definiteness::positive;
  return Judge && smallest > kSmallPivot * largest && multiplier < kLargeMultiplier ? Definiteness::indefinite
                                                                                    : Definiteness::unknown;
}

NDT_HD inline bool solve_positive_definite(const Mat6& hessian, const Vec6& gradient, Vec6& delta,
                                           double damping = 0) {
  return solve_symmetric<false>(hessian, gradient, delta, damping) == Definiteness::positive;
}

/// Solves H δ = -g by Gauss-Jordan elimination with complete pivoting [Golub & Van Loan, 3.4.8], which a crew
/// shares out. False if H is nearly singular, and delta is unspecified then.
template <class Crew>
NDT_HD inline bool solve_pivoted(const Crew& crew, const Mat6& hessian, const Vec6& gradient,
                                 NewtonScratch& scratch, Vec6& delta) {
  double(&a)[6][7] = scratch.system;
  crew.each(42, [&](int i) {
    const int row = i / 7, col = i % 7;
    a[row][col] = col < 6 ? hessian(row, col) : -gradient[row];
  });
  int done_rows = 0, done_cols = 0, columns = 0;  // columns: of the pivots, four bits a row
  double largest = 0;
  for (int step = 0; step < 6; ++step) {
    int row = 0, col = 0;
    double pivot = 0;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        if (((done_rows >> r | done_cols >> c) & 1) == 0 && std::fabs(a[r][c]) > std::fabs(pivot))
          pivot = a[r][c], row = r, col = c;
    if (step == 0) largest = std::fabs(pivot);
    if (!(std::fabs(pivot) > kSmallPivot * largest)) return false;
    done_rows |= 1 << row;
    done_cols |= 1 << col;
    columns |= col << 4 * row;
    // Columns that have had their pivot stay as they are, because nothing reads them until the end.
    const double inverse = 1 / pivot;
    crew.each(42, [&](int i) {
      const int r = i / 7, c = i % 7;
      if (r != row && (done_cols >> c & 1) == 0) a[r][c] -= a[r][col] * inverse * a[row][c];
    });
  }
  crew.each(6, [&](int r) {
    const int c = columns >> 4 * r & 15;
    delta[c] = a[r][6] / a[r][c];
  });
  return true;
}

/// Minimum-norm solution of H δ = -g through the eigenvectors, without those of |λ| <= 6 ε |λ|max, as an SVD
/// solve gives it.
NDT_HD inline void solve_minimum_norm(const Mat6& hessian, const Vec6& gradient, NewtonScratch& scratch,
                                      Vec6& delta) {
  double(&a)[6][6] = scratch.a, (&v)[6][6] = scratch.v;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a[i][j] = hessian(i, j);
  detail::diagonalise(a, v);
  double largest = 0;
  for (int k = 0; k < 6; ++k) largest = std::fmax(largest, std::fabs(a[k][k]));
  const double threshold = 6 * 2.220446049250313e-16 * largest;
  delta = {};
  for (int k = 0; k < 6; ++k) {
    if (!(std::fabs(a[k][k]) > threshold)) continue;
    double projection = 0;
    for (int i = 0; i < 6; ++i) projection += v[i][k] * gradient[i];
    for (int i = 0; i < 6; ++i) delta[i] -= projection / a[k][k] * v[i][k];
  }
}

/// Solves with damping from 1e-6 of the largest diagonal entry, growing tenfold, at most 12 times. Returns
/// false if none was enough.
NDT_HD inline bool solve_damped(const Mat6& hessian, const Vec6& gradient, Vec6& delta) {
  double largest = 0;
  for (int i = 0; i < 6; ++i) largest = std::fmax(largest, std::fabs(hessian(i, i)));
  double damping = 1e-6 * largest;
  for (int attempt = 0; attempt < 12; ++attempt, damping *= 10)
    if (solve_positive_definite(hessian, gradient, delta, damping)) return true;
  return false;
}

/// Finds the step if the factors of -H do not give it. The whole crew must see all arguments. Where H is far
/// enough from singular its one solution is the minimum-norm solution too, and takes a fraction of the time.
template <class Crew>
NDT_HD NDT_NOINLINE inline void fallback_direction(const Crew& crew, NewtonStep kind, const Mat6& hessian,
                                                   const Vec6& gradient, NewtonScratch& scratch,
                                                   NewtonDirection& out) {
  double sum = 0;
  for (int i = 0; i < 36; ++i) sum += hessian.m[i];
  const bool finite = std::isfinite(sum), damped = kind == NewtonStep::damped;
  const bool solved = finite && !damped && solve_pivoted(crew, hessian, gradient, scratch, out.delta);
  crew.one([&] {
    out.fallback = true;
    out.failed = !finite || (damped && !solve_damped(hessian, gradient, out.delta));
    if (finite && !damped && !solved) solve_minimum_norm(hessian, gradient, scratch, out.delta);
  });
}

/// Whether fallback_direction() is needed, because the factors give no step or not the one of this kind. An
/// indefinite H that is far from singular has one solution only. The factors give it already, and it is the
/// minimum-norm solution too.
NDT_HD inline bool needs_fallback(NewtonStep kind, Definiteness definiteness) {
  return definiteness == Definiteness::unknown ||
         (definiteness == Definiteness::indefinite && kind == NewtonStep::damped);
}

NDT_HD inline NewtonDirection newton_direction(NewtonStep kind, const Mat6& hessian, const Vec6& gradient) {
  NewtonDirection out;
  const Definiteness definiteness = solve_symmetric(hessian, gradient, out.delta);
  out.fallback = definiteness != Definiteness::positive;
  if (!needs_fallback(kind, definiteness)) return out;
  NewtonScratch scratch;
  fallback_direction(SoloCrew{}, kind, hessian, gradient, scratch, out);
  return out;
}

}  // namespace ndt
