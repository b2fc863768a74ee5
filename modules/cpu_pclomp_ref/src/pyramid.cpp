#include "pyramid.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "conditioning.hpp"
#include "ndt/core/finite_points.hpp"
#include "outcome.hpp"
#include "pose_vectors.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

// Shares of a level's voxel edge.
constexpr double kCoarseRadius = 1.0 / 3, kLastRadius = 1.0 / 2;
constexpr double kCoarseEnd = 1.0 / 15, kCoarseEndFromAfar = 1.0 / 30, kLastEnd = 1.0 / 50;
/// The share of a coarse level's first radius: such a step tells that the guess was far off.
constexpr double kLongStep = 0.3;
/// The share of the last level's edge: the evaluation after a shorter step has the whole curvature.
constexpr double kNear = 0.05;
/// A step is slow from this share of the step before: the blended curvature converges linearly.
constexpr double kSlow = 0.6;
constexpr double kFirstDamping = 0.03, kDampingGrowth = 3;  // of the largest diagonal entry
constexpr int kSolves = 10;                                 // the undamped one included

Pose moved(const Pose& p, const Vector6d& step) {
  return {p.x + step(0), p.y + step(1), p.z + step(2), p.roll + step(3), p.pitch + step(4), p.yaw + step(5)};
}

Vector6d metric_of(double range_m) {
  Vector6d metric = Vector6d::Ones();
  if (range_m > 0) metric.tail<3>().setConstant(range_m);
  return metric;
}

}  // namespace

AlignOptions at_edge(AlignOptions options, double edge_m) {
  options.resolution_m = edge_m;
  return options;
}

Level::Level(const std::vector<Point>& points, const AlignOptions& options, double edge)
    : edge_m(edge), grid(points, at_edge(options, edge)), constants(options.outlier_ratio, edge) {}

std::size_t PyramidProblem::points_used(int level) const {
  const auto stride = static_cast<std::size_t>(level >= last_level() ? 1 : options.coarse_stride);
  return (scan.points.size() + stride - 1) / stride;
}

Sums PyramidProblem::sums_at(int level, const Pose& pose, double negative_curvature) const {
  const Level& l = *levels[static_cast<std::size_t>(level)];
  Sums sums = sum_derivatives(l.grid, l.constants, scan.points, pose, negative_curvature,
                              level == last_level() ? 1 : options.coarse_stride, threads);
  if (per_scan.regularisation)
    add_regularisation(*per_scan.regularisation, options.regularisation_scale, pose, sums);
  return sums;
}

Sums PyramidProblem::finish_sums_at(const Pose& pose) const {
  Sums sums = sum_derivatives(*windows, scan.points, pose, threads);
  if (per_scan.regularisation)
    add_regularisation(*per_scan.regularisation, options.regularisation_scale, pose, sums);
  return sums;
}

bool PyramidRegistration::Here::finite() const {
  return std::isfinite(sums.score) && sums.gradient.allFinite() && sums.hessian.allFinite();
}

PyramidRegistration::PyramidRegistration(const PyramidProblem& problem)
    : problem_(problem),
      mean_range_m_(mean_range_m(problem.scan.points)),
      metric_(metric_of(mean_range_m_)) {}

int PyramidRegistration::first_level(const Pose& pose) const {
  const Eigen::Matrix4f matrix = to_float(transform_of(pose));
  int level = 0;
  while (level < problem_.last_level() &&
         !surfaces_fix_the_pose(problem_.levels[static_cast<std::size_t>(level)]->grid, problem_.scan.points,
                                matrix, mean_range_m_))
    ++level;
  return level;
}

double PyramidRegistration::radius_of(int level) const {
  const double edge_m = problem_.levels[static_cast<std::size_t>(level)]->edge_m;
  return edge_m * (level == problem_.last_level() ? kLastRadius : kCoarseRadius);
}

double PyramidRegistration::end_of(int level) const {
  const double edge_m = problem_.levels[static_cast<std::size_t>(level)]->edge_m;
  if (level == problem_.last_level()) return edge_m * kLastEnd;
  return edge_m * (from_afar_ ? kCoarseEndFromAfar : kCoarseEnd);
}

bool PyramidRegistration::slow(const Step& step) const { return step.length_m > kSlow * step_before_m_; }

double PyramidRegistration::curvature_after(double length_m, bool slow) const {
  const bool near = length_m <= kNear * problem_.levels.back()->edge_m;
  return slow || near ? 1 : problem_.options.negative_curvature;
}

PyramidRegistration::Here PyramidRegistration::evaluate(int level, const Pose& pose,
                                                        double negative_curvature) {
  ++result_.evaluations;
  return {level, negative_curvature, pose, problem_.sums_at(level, pose, negative_curvature)};
}

void PyramidRegistration::record(double step_m) {
  if (step_m > 0 || positions_.empty()) positions_.emplace_back(here_.pose.x, here_.pose.y, here_.pose.z);
  if (problem_.per_scan.trace)
    result_.trace.push_back({transform_of(here_.pose), here_.sums.score,
                             here_.sums.probability(problem_.points_used(here_.level)), here_.sums.nvtl(),
                             step_m, here_.level, radius_m_});
}

std::optional<PyramidRegistration::Step> PyramidRegistration::solve(const Sums& sums, double radius_m) {
  const Vector6d per_metre = metric_.cwiseInverse();
  const Matrix6d b = -(per_metre.asDiagonal() * sums.hessian * per_metre.asDiagonal());
  const Vector6d q = per_metre.cwiseProduct(sums.gradient);
  const double largest = b.diagonal().cwiseAbs().maxCoeff();
  double damping = 0;
  for (int solve = 0; solve < kSolves; ++solve) {
    if (solve == 1) ++result_.newton_fallbacks;
    const Eigen::LLT<Matrix6d> llt(b + damping * Matrix6d::Identity());
    damping = solve == 0 ? kFirstDamping * largest : kDampingGrowth * damping;
    if (llt.info() != Eigen::Success) continue;
    Vector6d s = llt.solve(q);
    if (!s.allFinite()) continue;
    const double norm = s.norm();
    if (norm > radius_m) s *= radius_m / norm;
    // A cut step is as long as the radius exactly, because that may be a level's end.
    return Step{per_metre.cwiseProduct(s), std::min(norm, radius_m), q.dot(s) - s.dot(b * s) / 2};
  }
  return std::nullopt;
}

void PyramidRegistration::enter_next_level(const Pose& pose, double step_m) {
  const int level = here_.level + 1;
  radius_m_ = radius_of(level);
  step_before_m_ = kNoStep;
  level_ended_ = false;
  here_ = evaluate(level, pose, curvature_after(last_step_m_, false));
  ++result_.iterations;
  record(step_m);
}

void PyramidRegistration::keep(const Step& step, const Here& trial) {
  const double gain = trial.sums.score - here_.sums.score;
  const bool cut = step.length_m >= radius_m_;  // such a step says nothing about the distance to the optimum
  if (gain > 0.75 * step.predicted_gain && step.length_m >= 0.99 * radius_m_)
    radius_m_ = std::min(2 * radius_m_, radius_of(here_.level));
  else if (gain < 0.25 * step.predicted_gain)
    radius_m_ = std::max(step.length_m / 2, end_of(here_.level));
  here_ = trial;
  step_before_m_ = last_step_m_ = step.length_m;
  level_ended_ = here_.level == problem_.last_level() && problem_.windows == nullptr &&
                 step.length_m < end_of(here_.level) && !cut;
  record(step.length_m);
}

void PyramidRegistration::take_back(const Step& step) {
  const double end_m = end_of(here_.level);
  radius_m_ = step.length_m / 4;
  level_ended_ = step.length_m < end_m || radius_m_ < end_m / 2;
  record(0);
}

std::optional<Stop> PyramidRegistration::try_step(const Step& step) {
  const Here trial =
      evaluate(here_.level, moved(here_.pose, step.move), curvature_after(step.length_m, slow(step)));
  ++result_.iterations;
  if (!trial.finite()) return Stop::non_finite;
  trial.sums.score < here_.sums.score ? take_back(step) : keep(step, trial);
  return std::nullopt;
}

Stop PyramidRegistration::finish(const Pose& pose, double step_m) {
  ++result_.evaluations;
  ++result_.iterations;
  here_ = {problem_.last_level() + 1, 1, pose, problem_.finish_sums_at(pose)};
  radius_m_ = problem_.options.finish_window * problem_.options.resolution_m / 4;
  record(step_m);
  Step step{Vector6d::Zero(), 0, 0};
  if (here_.finite() && here_.sums.pairs > 0) step = solve(here_.sums, radius_m_).value_or(step);
  result_.finish = FinishStep{step.length_m, here_.sums.score};
  if (step.length_m >= radius_m_) step.move.setZero();  // the windows do not fit there
  here_ = evaluate(problem_.last_level(), moved(pose, step.move), 1);
  if (!here_.finite()) return Stop::non_finite;
  return here_.sums.pairs == 0 ? Stop::no_overlap : Stop::converged;
}

std::optional<Stop> PyramidRegistration::iterate() {
  const bool last = here_.level == problem_.last_level();
  if (level_ended_) {
    if (last) return finish(here_.pose, 0);
    enter_next_level(here_.pose, 0);
    return std::nullopt;
  }
  const std::optional<Step> step = solve(here_.sums, radius_m_);
  if (!step) return Stop::degenerate;
  if (!last && step->length_m >= kLongStep * radius_of(here_.level)) from_afar_ = true;
  const double end_m = end_of(here_.level);
  const bool goes_on = !last || problem_.windows != nullptr;
  if (!goes_on || !(step->length_m < (slow(*step) ? end_m / 4 : end_m))) return try_step(*step);
  if (last) return finish(moved(here_.pose, step->move), step->length_m);
  // The next level evaluates there anyway.
  last_step_m_ = step->length_m;
  enter_next_level(moved(here_.pose, step->move), step->length_m);
  return std::nullopt;
}

void PyramidRegistration::conclude(Stop stop, const Transform& guess) {
  const auto returns_guess = [&] { return stop == Stop::non_finite || stop == Stop::no_overlap; };
  if (!returns_guess() && (here_.level != problem_.last_level() || here_.negative_curvature != 1)) {
    here_ = evaluate(problem_.last_level(), here_.pose, 1);
    if (!here_.finite()) stop = Stop::non_finite;
    if (here_.sums.pairs == 0) stop = Stop::no_overlap;
  }
  const Here& last = returns_guess() ? first_ : here_;
  fill_sums(last.sums, problem_.points_used(last.level), last.pose, result_);
  result_.stop = stop;
  result_.map_from_scan = returns_guess() || result_.iterations == 0 ? guess : transform_of(here_.pose);
  result_.oscillation_count = count_oscillations(positions_);
  if (!returns_guess()) {
    const Level& level = *problem_.levels.back();
    judge(level.grid, level.constants, problem_.scan.points, to_float(result_.map_from_scan),
          here_.sums.hessian, result_);
  }
}

AlignResult PyramidRegistration::run(const Transform& guess) {
  result_.dropped_points = problem_.scan.dropped;
  const Pose pose = pose_of(guess);
  const int level = first_level(pose);
  radius_m_ = radius_of(level);
  first_ = here_ = evaluate(level, pose, problem_.options.negative_curvature);
  record(0);

  std::optional<Stop> stop;
  while (!stop) {
    if (!here_.finite())
      stop = Stop::non_finite;
    else if (here_.sums.pairs == 0)
      stop = Stop::no_overlap;
    else if (level_ended_ && here_.level == problem_.last_level() && problem_.windows == nullptr)
      stop = Stop::converged;
    else if (result_.iterations >= problem_.options.max_iterations)
      stop = Stop::max_iterations;
    else if (const std::optional<Stop> asked = interruption(problem_.per_scan))
      stop = asked;
    else
      stop = iterate();
  }
  conclude(*stop, guess);
  return result_;
}

}  // namespace ndt::cpu_pclomp_ref
