// The Newton iteration as a state machine that evaluates nothing itself.  [Magnusson 2009, alg. 2] A schedule
// sums the scan at state.at.motion, calls propose() and then commit(), and repeats until state.status is set.
// Only the crew that called propose() needs to wait for commit(); a schedule that gains nothing from this
// calls advance(), which is both. The loop knows no threads, so one source serves a thread, a pool, a block
// and a grid.
#pragma once

#include <cfloat>
#include <cmath>

#include "ndt/core/pose.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/exec/crew.hpp"
#include "ndt/score/derivatives.hpp"
#include "ndt/score/scan_point.hpp"
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

/// Makes a pose, which every thread of the crew has, the trial. Leaves its motion to the caller.
template <class Crew>
NDT_HD inline void set_trial(const Crew& crew, const Pose& trial, LoopState& state) {
  crew.each(6, [&](int i) {
    double to = coordinate(trial, 0);
    NDT_UNROLL
    for (int k = 1; k < 6; ++k) to = k == i ? coordinate(trial, k) : to;  // indexing needs trial in memory
    coordinate(state.trial, i) = to;
    if (i >= 3) state.at.set_angle(i - 3, to);
  });
}

/// Moves the trial to pose + alpha direction. Every thread of the crew has these values.
template <class Crew>
NDT_HD inline void go_to_trial(const Crew& crew, const Pose& pose, const Vec6& direction, double alpha,
                               LoopState& state) {
  set_trial(crew, moved(pose, direction, alpha), state);
  state.at.set_motion(crew, state.trial);
}

NDT_HD inline LineStart line_from(const NewtonDirection& newton, const Derivatives& here,
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
  const double inverse = reciprocal_sqrt(squared), slope = dot(here.gradient, newton.delta) * inverse;
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
  const LineStart line = line_from(newton, state.here.at, options);
  begin_line(line, state.here.at.score, options, state);
  if (line.status != LoopStatus::running) state.status = line.status;
}

/// One thread: makes an evaluated pose the current one.
NDT_HD inline void make_current(const EvaluatedPose& next, double step, bool first, LoopState& state) {
  if (!first) {
    const Pose &to = next.pose, &from = state.here.pose;
    state.oscillation.add_step({to.x - from.x, to.y - from.y, to.z - from.z});
    ++state.iterations;
  }
  state.here = next;
  state.step = step;
  state.accepted = true;
}

/// Computes newton_direction() of state.found, whose derivatives every thread has in registers.
template <class Crew>
NDT_HD inline NewtonDirection direction_from(const Crew& crew, const Derivatives& found, NewtonStep kind,
                                             LoopState& state) {
  NewtonDirection out;
  const Definiteness definiteness = solve_symmetric(found.hessian, found.gradient, out.delta);
  out.fallback = definiteness != Definiteness::positive;
  if (!needs_fallback(kind, definiteness)) return out;
  fallback_direction(crew, kind, state.found.at.hessian, state.found.at.gradient, state.scratch,
                     state.fallback);
  return state.fallback;
}

/// Accepts state.found, `step` away from the last pose, and goes to the next trial unless the loop ends.
template <class Crew>
NDT_HD inline void accept_trial(const Crew& crew, const Derivatives& found, double step,
                                const LoopOptions& options, LoopState& state) {
  const bool first = state.evaluations == 0;
  LoopStatus status = why_stop(found, state.iterations + (first ? 0 : 1), step, options);
  LineStart line;
  if (status == LoopStatus::running) {
    line = line_from(direction_from(crew, found, options.newton_step, state), found, options);
    status = line.status;
  }
  // Sums that are not finite give no line, so they need no check until the loop ends.
  if (status != LoopStatus::running && !is_finite(state.found.at)) status = LoopStatus::non_finite;
  crew.one([&] {
    state.line = line;
    state.step = step;
    state.pending = true;
    state.status = status;
  });
  if (status == LoopStatus::running) go_to_trial(crew, state.found.pose, line.direction, line.alpha, state);
}

/// One thread: enters the pose that accept_trial() accepted into the state.
NDT_HD inline void commit_trial(const LoopOptions& options, LoopState& state) {
  const bool first = state.evaluations == 0;
  state.pending = false;
  if (first) state.guess = state.found;
  state.evaluations += state.search.trying() ? 0 : 1;
  if (state.status == LoopStatus::non_finite) return;
  make_current(state.found, state.step, first, state);
  begin_line(state.line, state.found.at.score, options, state);
}

/// Completes the state if accept_trial() left a pose pending, and lets the same thread run then(). Every
/// thread reads `pending` before the barrier in one(). A compiler may make the whole crew read it wherever
/// one() does, and after the barrier that read would race with the thread that clears it.
template <class Crew, class Then>
NDT_HD inline void commit(const Crew& crew, const LoopOptions& options, LoopState& state, Then&& then) {
  const bool pending = state.pending;
  crew.one([&] {
    if (!pending) return;
    commit_trial(options, state);
    then();
  });
}

/// Tells how the loop ends when no trial raised the score. If Newton's own step was shorter than epsilon, the
/// pose is the optimum: the shortest trial allowed, epsilon / 2, stepped over it.
NDT_HD inline LoopStatus end_without_step(const LoopState& state, const LoopOptions& options) {
  return state.newton_length < options.epsilon_m ? LoopStatus::step_below_epsilon
                                                 : LoopStatus::line_search_failed;
}

/// One thread: asks the line search about the trial, and keeps the trial if it is the best so far.
NDT_HD inline void offer_trial(LoopState& state) {
  const EvaluatedPose& trial = state.found;
  const double alpha = state.search.alpha();
  state.verdict = state.search.offer(-trial.at.score, -dot(trial.at.gradient, state.direction));
  const bool goes_on = state.verdict == Verdict::try_next || state.verdict == Verdict::take_best;
  if (goes_on && state.search.current_is_best()) state.best_trial = trial, state.best_alpha = alpha;
}

/// Asks the line search about the trial and does what it says.
template <class Crew>
NDT_HD NDT_NOINLINE void search_on(const Crew& crew, const LoopOptions& options, LoopState& state) {
  const double alpha = state.search.alpha();
  crew.one([&] { offer_trial(state); });
  switch (state.verdict) {
    case Verdict::take_this: accept_trial(crew, state.found.at, alpha, options, state); return;
    case Verdict::take_best:
      copy(crew, state.best_trial, state.found);
      accept_trial(crew, state.found.at, state.best_alpha, options, state);
      return;
    case Verdict::try_next:
      go_to_trial(crew, state.here.pose, state.direction, state.search.alpha(), state);
      return;
    case Verdict::failed: crew.one([&] { state.status = end_without_step(state, options); }); return;
  }
}

/// Takes the sums at state.at.motion, and either ends the loop or moves state.trial and state.at to the next
/// pose. The rest of the state is complete only after commit(), for which only the crew needs to wait. The
/// whole crew must see state and sums. Its threads share out sines and matrices; each computes everything
/// else alike.
template <class Crew>
NDT_HD inline void propose(const Crew& crew, const DerivativeSums<double>& sums, const LoopOptions& options,
                           LoopState& state) {
  const Pose pose = state.trial;
  Derivatives at = derivatives_of(sums, state.at.angles);
  if (options.hessian == HessianForm::autoware_1_9) turn_sign_of_autoware_1_9(sums, state.at.angles, at);
  add_regularisation(options.regularisation, pose, state.at.exact.sine[2], state.at.exact.cosine[2], at);
  const bool searching = state.search.trying();
  crew.one([&] {
    state.found = {pose, at};
    state.accepted = false;
    if (searching) ++state.evaluations;
  });
  if (!searching)
    accept_trial(crew, at, state.evaluations == 0 ? 0 : state.search.alpha(), options, state);
  else if (is_finite(at))
    search_on(crew, options, state);
  else
    crew.one([&] { state.status = LoopStatus::non_finite; });
}

/// Calls propose() and commit().
template <class Crew>
NDT_HD inline void advance(const Crew& crew, const DerivativeSums<double>& sums, const LoopOptions& options,
                           LoopState& state) {
  propose(crew, sums, options, state);
  commit(crew, options, state, [] {});
}

/// The steps of StepControl::clamped, as a policy of schedules that offer TrustRegion too.
struct ClampedSteps {
  /// Index of the map on which the next sums are taken, and of the last map.
  NDT_HD static int level(const LoopState&) { return 0; }
  NDT_HD static int last_level(const LoopOptions&) { return 0; }
  NDT_HD static void begin(const LoopStart& start, const LoopOptions&, LoopState& state) {
    begin_loop(start, state);
  }
  template <class Crew>
  NDT_HD static void propose(const Crew& crew, const DerivativeSums<double>& sums, const LoopOptions& options,
                             LoopState& state) {
    ndt::propose(crew, sums, options, state);
  }
  template <class Crew>
  NDT_HD static void interrupt(const Crew& crew, LoopStatus status, const LoopOptions&, LoopState& state) {
    crew.one([&] { state.status = status; });
  }
  template <class Crew, class Then>
  NDT_HD static void commit(const Crew& crew, const LoopOptions& options, LoopState& state, Then&& then) {
    ndt::commit(crew, options, state, then);
  }
};

}  // namespace ndt
