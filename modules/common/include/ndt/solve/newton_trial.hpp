// The trials of a Newton loop: how it goes to one along a step, and what makes one the current pose.
#pragma once

#include <cfloat>
#include <cmath>

#include "ndt/core/pose.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/score/derivatives.hpp"
#include "ndt/solve/line_search.hpp"
#include "ndt/solve/loop_state.hpp"

namespace ndt {

/// Whether all sums are finite. Sums beyond 1e300 count as not finite too.
NDT_HD inline bool is_finite(const Derivatives& d) {
  double sum = std::fabs(d.score), more = 0;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) sum += std::fabs(d.gradient[i]);
  NDT_UNROLL
  for (int row = 0; row < 6; ++row) {
    double magnitudes = 0;  // one for each row, so that few additions wait for one another
    NDT_UNROLL
    for (int col = row; col < 6; ++col) magnitudes += std::fabs(d.hessian(row, col));
    more += magnitudes;
  }
  return sum + more <= 1e300;
}

/// Tells why the loop ends at a pose after `iterations` iterations, the last of length `step`; `running` if
/// it goes on.
NDT_HD inline LoopStatus why_stop(const Derivatives& here, int iterations, double step,
                                  const LoopOptions& options) {
  if (here.pairs == 0) return LoopStatus::no_overlap;
  if (iterations > 0 && step < options.epsilon_m) return LoopStatus::step_below_epsilon;
  if (iterations >= options.max_iterations) return LoopStatus::max_iterations;
  return LoopStatus::running;
}

NDT_HD inline Pose moved(const Pose& p, const Vec6& direction, double by) {
  Pose out;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) coordinate(out, i) = coordinate(p, i) + by * direction[i];
  return out;
}

/// Makes a pose, which every thread of the crew has, the trial. Leaves its motion to the caller. ends: the
/// trial's sums are the last.
template <class Crew>
NDT_HD inline void set_trial(const Crew& crew, const Pose& trial, LoopState& state, bool ends = false) {
  crew.each(6, [&](int i) {
    if (i == 0) state.ends_next = ends;
    double to = coordinate(trial, 0);
    NDT_UNROLL
    for (int k = 1; k < 6; ++k) to = k == i ? coordinate(trial, k) : to;  // indexing needs trial in memory
    coordinate(state.tried.pose, i) = coordinate(state.trial, i);
    coordinate(state.trial, i) = to;
    if (i < 3) return;
    state.at.copy_angle(i - 3, state.tried);
    state.at.set_angle(i - 3, to);
  });
}

/// Moves the trial to pose + alpha direction. Every thread of the crew has these values.
template <class Crew>
NDT_HD inline void go_to_trial(const Crew& crew, const Pose& pose, const Vec6& direction, double alpha,
                               LoopState& state, bool ends = false) {
  set_trial(crew, moved(pose, direction, alpha), state, ends);
  state.at.set_motion(crew, state.trial);
}

NDT_HD inline LineStart line_from(const NewtonDirection& newton, const Vec6& gradient,
                                  const LoopOptions& options) {
  LineStart out;
  out.fallback = newton.fallback;
  const double squared = dot(newton.delta, newton.delta);
  if (newton.failed || !std::isfinite(squared) || squared < DBL_MIN) {
    out.status = newton.failed            ? LoopStatus::degenerate
                 : std::isfinite(squared) ? LoopStatus::step_below_epsilon
                                          : LoopStatus::non_finite;
    return out;
  }
  const double inverse = reciprocal_sqrt(squared), slope = dot(gradient, newton.delta) * inverse;
  const double scale = slope < 0 ? -inverse : inverse;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) out.direction[i] = scale * newton.delta[i];
  out.length = squared * inverse;
  out.slope = -std::fabs(slope);
  out.alpha = slope == 0 ? 0 : StepSearch::first_trial(out.length, options.epsilon_m / 2, options.step_m);
  return out;
}

/// One thread: begins the search along a line.
NDT_HD inline void begin_line(const LineStart& line, double score, const LoopOptions& options,
                              LoopState& state) {
  state.fallbacks += line.fallback ? 1 : 0;
  if (line.status != LoopStatus::running) return;
  state.direction = line.direction;
  state.newton_length = line.length;
  state.slope = line.slope;
  if (line.slope == 0)  // the reference's zero step
    state.search.start({LineSearch::off, options.step_ratios, 0, 0}, {}, 0);
  else
    state.search.start({options.line_search, options.step_ratios, options.epsilon_m / 2, options.step_m},
                       {0, -score, line.slope}, line.length);
}
NDT_HD inline void begin_line(const NewtonDirection& newton, const LoopOptions& options, LoopState& state) {
  const LineStart line = line_from(newton, state.here.at.gradient, options);
  begin_line(line, state.here.at.score, options, state);
  if (line.status != LoopStatus::running) state.status = line.status;
}

/// One thread: counts the step to a pose that becomes the current one.
NDT_HD inline void count_step(const Pose& to, double step, bool first, LoopState& state) {
  if (!first) {
    const Pose& from = state.here.pose;
    state.oscillation.add_step({to.x - from.x, to.y - from.y, to.z - from.z});
    ++state.iterations;
  }
  state.step = step;
  state.accepted = true;
}
/// One thread: makes an evaluated pose the current one.
NDT_HD inline void make_current(const EvaluatedPose& next, double step, bool first, LoopState& state) {
  count_step(next.pose, step, first, state);
  state.here = next;
}

/// Whether the loop searches along its steps.
NDT_HD inline bool searches(const LoopOptions& options) { return options.line_search != LineSearch::off; }

/// The derivatives at a pose, of the sums there.
NDT_HD inline Derivatives derivatives_at(const PoseAngles& at, const DerivativeSums<double>& sums,
                                         const LoopOptions& options) {
  Derivatives out = derivatives_of(sums, at.angles);
  if (options.hessian == HessianForm::autoware_1_9) turn_sign_of_autoware_1_9(sums, at.angles, out);
  add_regularisation(options.regularisation, at.pose, at.exact.sine[2], at.exact.cosine[2], out);
  return out;
}
NDT_HD inline PoseAngles trial_of(const LoopState& state) {
  return {state.trial, state.at.exact, state.at.angles};
}

}  // namespace ndt
