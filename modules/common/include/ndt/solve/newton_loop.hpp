// The Newton iteration as a state machine that never evaluates anything: whoever runs it sums the scan at state.motion, calls
// advance(), and repeats until state.end is set. So one loop serves a thread, a pool, a block or a grid.  [Magnusson 2009, alg. 2]
#pragma once

#include <cmath>

#include "ndt/core/pose.hpp"
#include "ndt/score/derivatives.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/solve/line_search.hpp"
#include "ndt/solve/newton.hpp"
#include "ndt/solve/oscillation.hpp"

namespace ndt {

struct LoopOptions {
  double step_m = 0.1, epsilon_m = 0.01;
  int max_iterations = 30;  ///< 0: evaluate the guess and end
  Regularisation regularisation;
  NewtonStep newton_step = NewtonStep::reference;
  LineSearch line_search = LineSearch::off;
  CandidateSet candidates = CandidateSet::design15;
};

enum class LoopEnd {
  running,
  step_below_epsilon,
  max_iterations,
  no_overlap,
  degenerate,
  non_finite,
  line_search_failed,
  cancelled,
  timeout
};

/// A pose with what was found there.
struct Evaluated {
  Pose pose;  ///< derivative branch
  Derivatives at;
};

/// Everything is map-local. A worker that holds a copy of it computes the same bits as every other.
struct LoopState {
  Pose trial;             ///< where the next sums are to be taken
  Motion motion;          ///< of trial
  SinCos angles;          ///< of trial, snapped
  Evaluated here, guess;  ///< the last accepted pose, and the first
  Evaluated best_trial;   ///< of the running line search
  Vec6 direction;         ///< unit, uphill
  StepSearch search;
  OscillationCounter oscillation;
  double best_alpha = 0;     ///< its step
  double newton_length = 0;  ///< of the step that the running line search shortens
  double slope = 0;          ///< φ'(0) along the direction: minus the gradient's share in it
  double step = 0;           ///< length of the step that led to here
  int iterations = 0, evaluations = 0, fallbacks = 0;
  bool accepted = false;  ///< the last advance() moved `here`: a new line for the trace
  LoopEnd end = LoopEnd::running;
};

/// One line of a trace.
struct LoopTrace {
  Pose pose;
  double score = 0, nvtl = 0, step = 0;
};
NDT_HD inline LoopTrace trace_line(const LoopState& state) {
  return {state.here.pose, state.here.at.score, state.here.at.nvtl(), state.step};
}

/// Angles below 1e-4 rad count as zero in derivatives (never in the motion itself), as in the reference: Newton steps do not
/// notice, but Hessians agree with it to rounding.
NDT_HD inline SinCos snapped(SinCos angles, const Pose& pose) {
  const double of[3] = {pose.roll, pose.pitch, pose.yaw};
  NDT_UNROLL
  for (int i = 0; i < 3; ++i)
    if (std::fabs(of[i]) < 1e-4) angles.sine[i] = 0, angles.cosine[i] = 1;
  return angles;
}

/// How points move at a pose, and the angles their derivatives are taken at.
struct PoseMotion {
  Motion motion;
  SinCos angles;  ///< snapped
  NDT_HD explicit PoseMotion(const Pose& pose) {
    const SinCos exact = sin_cos_of(pose);
    angles = snapped(exact, pose);
    motion.rotation = cast<float>(rotation_of(exact));
    motion.translation = cast<float>(Vec3<double>{pose.x, pose.y, pose.z});
    motion.lever = cast<float>(rotation_of(angles));
  }
};

/// local_guess: map-local and rigid. The first sums use the matrix itself, later ones the matrix of the pose.
NDT_HD inline LoopState begin_loop(const Transform& local_guess) {
  LoopState state;
  state.trial = derivative_pose(local_guess);
  state.here.pose = state.guess.pose = state.trial;
  const PoseMotion at(state.trial);
  state.angles = at.angles;
  state.motion = {cast<float>(rotation_of(local_guess)), cast<float>(translation_of(local_guess)), at.motion.lever};
  return state;
}

NDT_HD inline bool is_finite(const Derivatives& d) {
  double gradient = d.score, hessian[6] = {};
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) gradient += d.gradient[i];
  NDT_UNROLL
  for (int i = 0; i < 36; ++i) hessian[i / 6] += d.hessian.m[i];
  return std::isfinite(gradient + (hessian[0] + hessian[1] + hessian[2]) + (hessian[3] + hessian[4] + hessian[5]));
}

/// Why the loop ends at the pose just accepted, or running.
NDT_HD inline LoopEnd judge(const LoopState& state, const LoopOptions& options) {
  if (state.here.at.pairs == 0) return LoopEnd::no_overlap;
  if (state.iterations > 0 && state.step < options.epsilon_m) return LoopEnd::step_below_epsilon;
  if (state.iterations >= options.max_iterations) return LoopEnd::max_iterations;
  return LoopEnd::running;
}

NDT_HD inline Pose moved(const Pose& p, const Vec6& direction, double by) {
  const Vec6& d = direction;
  return {p.x + by * d[0],    p.y + by * d[1],     p.z + by * d[2],
          p.roll + by * d[3], p.pitch + by * d[4], p.yaw + by * d[5]};
}

NDT_HD inline void go_to_trial(LoopState& state) {
  const double alpha = state.search.alpha();
  state.trial = moved(state.here.pose, state.direction, alpha);
  const PoseMotion at(state.trial);
  state.motion = at.motion;
  state.angles = at.angles;
}

/// Turns a Newton step into a unit direction uphill and the first trial along it. A zero step ends the loop where it stands,
/// as in the reference.
NDT_HD inline void head_for(const NewtonDirection& newton, const LoopOptions& options, LoopState& state) {
  const Derivatives& at = state.here.at;
  state.fallbacks += newton.fallback ? 1 : 0;
  const double length = std::sqrt(dot(newton.delta, newton.delta));
  if (newton.failed || !std::isfinite(length) || length == 0) {
    state.end = newton.failed           ? LoopEnd::degenerate
                : std::isfinite(length) ? LoopEnd::step_below_epsilon
                                        : LoopEnd::non_finite;
    return;
  }
  const double slope = dot(at.gradient, newton.delta) / length;
  const double scale = (slope < 0 ? -1 : 1) / length;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) state.direction[i] = scale * newton.delta[i];
  const LineSearchOptions search{slope == 0 ? LineSearch::off : options.line_search, options.candidates,
                                 options.epsilon_m / 2, options.step_m};
  state.newton_length = length;
  state.slope = -std::fabs(slope);
  state.search = StepSearch(search, {0, -at.score, state.slope}, length);
  if (slope == 0)
    state.search = StepSearch({LineSearch::off, options.candidates, 0, 0}, {}, 0);  // the reference's zero step
}

/// Makes an evaluated pose the current one, and ends the loop there if it is to end.
NDT_HD inline void arrive(const Evaluated& next, double step, const LoopOptions& options, LoopState& state) {
  if (state.evaluations > 1) {
    const Pose &to = next.pose, &from = state.here.pose;
    state.oscillation.add_step({to.x - from.x, to.y - from.y, to.z - from.z});
    ++state.iterations;
  }
  state.here = next;
  state.step = step;
  state.accepted = true;
  state.end = judge(state, options);
}

/// Arrives, and starts the next step unless the loop ends.
NDT_HD inline void accept(const Evaluated& next, double step, const LoopOptions& options, LoopState& state) {
  arrive(next, step, options, state);
  if (state.end != LoopEnd::running) return;
  head_for(newton_direction(options.newton_step, state.here.at.hessian, state.here.at.gradient), options, state);
  if (state.end == LoopEnd::running) go_to_trial(state);
}

/// No trial raised the score. Where Newton's own step was shorter than epsilon that is the optimum: the shortest trial
/// allowed, epsilon / 2, stepped over it.
NDT_HD inline LoopEnd end_without_step(const LoopState& state, const LoopOptions& options) {
  return state.newton_length < options.epsilon_m ? LoopEnd::step_below_epsilon : LoopEnd::line_search_failed;
}

/// Takes the sums at state.motion, and either ends the loop or moves state.trial and state.motion on.
NDT_HD inline void advance(const DerivativeSums<double>& sums, const LoopOptions& options, LoopState& state) {
  Evaluated next{state.trial, derivatives_of(sums, state.angles)};
  add_regularisation(options.regularisation, next.pose, next.at);
  ++state.evaluations;
  state.accepted = false;
  if (!is_finite(next.at)) {
    state.end = LoopEnd::non_finite;
    return;
  }
  if (state.evaluations == 1) {
    state.guess.at = next.at;
    accept(next, 0, options, state);
    return;
  }
  const double alpha = state.search.alpha();
  switch (state.search.offer(-next.at.score, -dot(next.at.gradient, state.direction))) {
    case Verdict::take_this: accept(next, alpha, options, state); return;
    case Verdict::take_best: {
      if (state.search.current_is_best()) state.best_trial = next, state.best_alpha = alpha;
      const Evaluated best = state.best_trial;
      accept(best, state.best_alpha, options, state);
      return;
    }
    case Verdict::try_next:
      if (state.search.current_is_best()) state.best_trial = next, state.best_alpha = alpha;
      go_to_trial(state);
      return;
    case Verdict::failed: state.end = end_without_step(state, options); return;
  }
}

}  // namespace ndt
