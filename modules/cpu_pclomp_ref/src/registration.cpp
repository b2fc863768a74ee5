#include "registration.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "line_search.hpp"
#include "outcome.hpp"
#include "pose_vectors.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

Pose advanced(const Pose& p, const Vector6d& step) {
  return {p.x + step(0), p.y + step(1), p.z + step(2), p.roll + step(3), p.pitch + step(4), p.yaw + step(5)};
}

/// (-H + λI) δ = g with λ = 0, then 1e-6 of the largest diagonal entry growing tenfold, at most 12 times.
std::optional<Vector6d> damped_direction(const Sums& sums) {
  const double largest = sums.hessian.diagonal().cwiseAbs().maxCoeff();
  double lambda = 0;
  for (int attempt = 0; attempt <= 12; ++attempt) {
    const Eigen::LLT<Matrix6d> llt(-sums.hessian + lambda * Matrix6d::Identity());
    if (llt.info() == Eigen::Success) return llt.solve(sums.gradient);
    lambda = lambda == 0 ? 1e-6 * largest : 10 * lambda;
  }
  return std::nullopt;
}

}  // namespace

Sums ScanProblem::sums_at(const Eigen::Matrix4f& matrix, const Pose& pose) const {
  Sums sums = sum_derivatives(grid, constants, scan.points, matrix, pose, threads, options.hessian);
  if (per_scan.regularisation)
    add_regularisation(*per_scan.regularisation, options.regularisation_scale, pose, sums);
  return sums;
}

Registration::Here Registration::evaluate(const Eigen::Matrix4f& matrix, const Pose& pose) {
  ++result_.evaluations;
  return {matrix, pose, problem_.sums_at(matrix, pose)};
}

void Registration::record(const Here& here, double step) {
  positions_.push_back(here.matrix.block<3, 1>(0, 3).cast<double>());
  if (problem_.per_scan.trace)
    result_.trace.push_back({to_double(here.matrix), here.sums.score,
                             here.sums.probability(problem_.scan.points.size()), here.sums.nvtl(), step});
}

std::optional<Vector6d> Registration::newton_direction(const Sums& sums) {
  if (Eigen::LLT<Matrix6d>(-sums.hessian).info() != Eigen::Success) ++result_.newton_fallbacks;
  if (problem_.options.newton_step == NewtonStep::damped) return damped_direction(sums);
  // Solves by SVD as the reference does, which gives the minimum norm if H is singular.
  const Eigen::JacobiSVD<Matrix6d> svd(sums.hessian, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.solve(-sums.gradient);
}

std::optional<Registration::Here> Registration::search(const Here& from, const Vector6d& direction,
                                                       double slope, double newton_length, double& step) {
  const AlignOptions& options = problem_.options;
  const SearchBounds bounds{options.epsilon_m / 2, options.step_m,
                            std::max(std::min(newton_length, options.step_m), options.epsilon_m / 2)};
  std::vector<std::pair<double, Here>> trials;
  const Phi phi = [&](double alpha) {
    const Pose pose = advanced(from.pose, alpha * direction);
    trials.emplace_back(alpha, evaluate(matrix_of(pose), pose));
    const Sums& sums = trials.back().second.sums;
    return PhiSample{alpha, -sums.score, -sums.gradient.dot(direction)};
  };
  const PhiSample at_zero{0, -from.sums.score, -slope};
  const std::optional<PhiSample> found = options.line_search == LineSearch::more_thuente
                                             ? search_more_thuente(phi, at_zero, bounds)
                                             : search_candidates(phi, at_zero, bounds, options.step_ratios);
  if (!found) return std::nullopt;
  step = found->alpha;
  const auto used =
      std::find_if(trials.begin(), trials.end(), [&](const auto& t) { return t.first == found->alpha; });
  return used->second;
}

std::optional<Stop> Registration::iterate(Here& here) {
  const std::optional<Vector6d> delta = newton_direction(here.sums);
  if (!delta) return Stop::degenerate;
  const double length = delta->norm();
  if (!std::isfinite(length)) return Stop::non_finite;
  if (length == 0) return Stop::converged;
  Vector6d direction = *delta / length;
  const double slope = here.sums.gradient.dot(direction);
  if (slope < 0) direction = -direction;
  if (problem_.options.line_search == LineSearch::off || slope == 0) {
    const AlignOptions& options = problem_.options;
    last_step_ = slope == 0 ? 0.0 : std::max(std::min(length, options.step_m), options.epsilon_m / 2);
    const Pose pose = advanced(here.pose, last_step_ * direction);
    here = evaluate(matrix_of(pose), pose);
  } else {
    const std::optional<Here> next = search(here, direction, std::abs(slope), length, last_step_);
    // No step of epsilon / 2 or longer raises the score. If Newton's step was below epsilon too, this is the
    // optimum.
    if (!next) return length < problem_.options.epsilon_m ? Stop::converged : Stop::line_search_failed;
    here = *next;
  }
  ++result_.iterations;
  record(here, last_step_);
  return std::nullopt;
}

AlignResult Registration::run(const Transform& guess) {
  result_.dropped_points = problem_.scan.dropped;
  const Eigen::Matrix4f matrix = to_float(guess);
  const Here first = evaluate(matrix, pose_of(matrix));
  Here here = first;
  record(here, 0);

  std::optional<Stop> stop;
  while (!stop) {
    if (!here.finite())
      stop = Stop::non_finite;
    else if (here.sums.pairs == 0)
      stop = Stop::no_overlap;
    else if (result_.iterations > 0 && last_step_ < problem_.options.epsilon_m)
      stop = Stop::converged;
    else if (result_.iterations >= problem_.options.max_iterations)
      stop = Stop::max_iterations;
    else if (const std::optional<Stop> asked = interruption(problem_.per_scan))
      stop = asked;
    else
      stop = iterate(here);
  }

  const bool guess_returned = stop == Stop::non_finite || stop == Stop::no_overlap;
  const Here& last = guess_returned ? first : here;
  fill_sums(last.sums, problem_.scan.points.size(), last.pose, result_);
  result_.map_from_scan = guess_returned || result_.iterations == 0 ? guess : to_double(here.matrix);
  result_.oscillation_count = count_oscillations(positions_);
  result_.stop = *stop;
  if (!guess_returned)
    judge(problem_.grid, problem_.constants, problem_.scan.points, here.matrix, here.sums.hessian, result_);
  return result_;
}

}  // namespace ndt::cpu_pclomp_ref
