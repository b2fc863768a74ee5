// The Newton iteration as a state machine that never evaluates anything: whoever runs it sums the scan at state.motion, calls
// advance(), and repeats until state.end is set. So one loop serves a thread, a pool, a block or a grid.  [Magnusson 2009, alg. 2]
#pragma once

#include <cmath>

#include "ndt/core/pose.hpp"
#include "ndt/score/derivatives.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/solve/newton.hpp"
#include "ndt/solve/oscillation.hpp"

namespace ndt {

struct LoopOptions {
  double step_m = 0.1, epsilon_m = 0.01;
  int max_iterations = 30;  ///< 0: evaluate the guess and end
  Regularisation regularisation;
};

enum class LoopEnd { running, step_below_epsilon, max_iterations, no_overlap, non_finite };

/// Everything is map-local. A worker that holds a copy of it computes the same bits as every other.
struct LoopState {
  Pose pose;         ///< derivative branch
  Motion motion;     ///< where the next sums are to be taken
  Derivatives here;  ///< at pose, once summed
  Pose guess;
  Derivatives at_guess;
  OscillationCounter oscillation;
  double step = 0;  ///< length of the step that led to pose
  int iterations = 0, evaluations = 0, fallbacks = 0;
  LoopEnd end = LoopEnd::running;
};

/// One line of a trace.
struct LoopTrace {
  Pose pose;
  double score = 0, nvtl = 0, step = 0;
};

/// Angles below 1e-4 rad count as zero in derivatives (never in the motion itself), as in the reference: Newton steps do not
/// notice, but Hessians agree with it to rounding.
NDT_HD inline Pose snapped(Pose pose) {
  if (std::fabs(pose.roll) < 1e-4) pose.roll = 0;
  if (std::fabs(pose.pitch) < 1e-4) pose.pitch = 0;
  if (std::fabs(pose.yaw) < 1e-4) pose.yaw = 0;
  return pose;
}

NDT_HD inline Motion to_motion(const Mat3<double>& rotation, const Vec3<double>& translation, const Pose& pose) {
  return {cast<float>(rotation), cast<float>(translation), cast<float>(rotation_of(snapped(pose)))};
}

/// local_guess: map-local and rigid. The first sums use the matrix itself, later ones the matrix of the pose.
NDT_HD inline LoopState begin_loop(const Transform& local_guess) {
  LoopState state;
  state.pose = state.guess = derivative_pose(local_guess);
  state.motion = to_motion(rotation_of(local_guess), translation_of(local_guess), state.pose);
  return state;
}

NDT_HD inline bool is_finite(const Derivatives& d) {
  double sum = d.score;
  for (int i = 0; i < 6; ++i) sum += d.gradient[i];
  for (int i = 0; i < 36; ++i) sum += d.hessian.m[i];
  return std::isfinite(sum);
}

/// Why the loop ends at the pose just evaluated, or running.
NDT_HD inline LoopEnd judge(const LoopState& state, const LoopOptions& options) {
  if (!is_finite(state.here)) return LoopEnd::non_finite;
  if (state.here.pairs == 0) return LoopEnd::no_overlap;
  if (state.iterations > 0 && state.step < options.epsilon_m) return LoopEnd::step_below_epsilon;
  if (state.iterations >= options.max_iterations) return LoopEnd::max_iterations;
  return LoopEnd::running;
}

/// Newton direction, made unit length and uphill, times the clamped step; then the pose moves. A zero direction ends the
/// loop where it stands, as in the reference.
NDT_HD inline void take_step(LoopState& state, const LoopOptions& options) {
  const NewtonDirection newton = newton_direction(state.here.hessian, state.here.gradient);
  const double length = std::sqrt(dot(newton.delta, newton.delta));
  if (!std::isfinite(length) || length == 0) {
    state.end = length == 0 ? LoopEnd::step_below_epsilon : LoopEnd::non_finite;
    return;
  }
  state.fallbacks += newton.fallback ? 1 : 0;
  const double slope = dot(state.here.gradient, newton.delta);
  const double clamped = std::fmax(std::fmin(length, options.step_m), options.epsilon_m / 2);
  state.step = slope == 0 ? 0.0 : clamped;
  const double factor = (slope < 0 ? -state.step : state.step) / length;

  Pose& p = state.pose;
  const Vec6& d = newton.delta;
  p = {p.x + factor * d[0],    p.y + factor * d[1],     p.z + factor * d[2],
       p.roll + factor * d[3], p.pitch + factor * d[4], p.yaw + factor * d[5]};
  state.oscillation.add_step({factor * d[0], factor * d[1], factor * d[2]});
  state.motion = to_motion(rotation_of(p), {p.x, p.y, p.z}, p);
  ++state.iterations;
}

/// Takes the sums at state.motion, and either ends the loop or moves state.pose and state.motion on.
NDT_HD inline void advance(const DerivativeSums<double>& sums, const LoopOptions& options, LoopState& state) {
  state.here = derivatives_of(sums, snapped(state.pose));
  add_regularisation(options.regularisation, state.pose, state.here);
  if (++state.evaluations == 1) state.at_guess = state.here;
  state.end = judge(state, options);
  if (state.end == LoopEnd::running) take_step(state, options);
}

}  // namespace ndt
