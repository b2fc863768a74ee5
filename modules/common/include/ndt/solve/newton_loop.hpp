// The Newton iteration as a state machine that evaluates nothing itself.  [Magnusson 2009, alg. 2] A schedule
// sums the scan at state.at.motion, calls propose() and then commit(), and repeats until state.status is set.
// Only the crew that called propose() needs to wait for commit(); a schedule that gains nothing from this
// calls advance(), which is both. The loop knows no threads, so one source serves a thread, a pool, a block
// and a grid.
#pragma once

#include <cmath>

#include "ndt/core/pose.hpp"
#include "ndt/exec/crew.hpp"
#include "ndt/score/derivatives.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/solve/line_search.hpp"
#include "ndt/solve/loop_state.hpp"
#include "ndt/solve/newton.hpp"
#include "ndt/solve/newton_trial.hpp"

namespace ndt {

// A device's loop takes its instructions from memory that is small. So what few alignments need is not
// inlined into it, and passes on what it found in the state.

/// Evaluates the trial into state.found.
template <class Crew>
NDT_HD NDT_NOINLINE inline void store_trial(const Crew& crew, const DerivativeSums<double>& sums,
                                            const LoopOptions& options, LoopState& state) {
  crew.one([&] { state.found = {state.trial, derivatives_at(trial_of(state), sums, options)}; });
}

/// Goes to the first trial along a Newton step from the pose. Tells why there is none, or `running`.
template <class Crew>
NDT_HD inline LoopStatus step_along(const Crew& crew, const NewtonDirection& newton, const Vec6& gradient,
                                    const Pose& pose, const LoopOptions& options, LoopState& state,
                                    Proposal& out) {
  const LineStart line = line_from(newton, gradient, options);
  out.lined = out.stored || searches(options);
  if (out.lined) crew.one([&] { state.line = line; });
  if (line.status != LoopStatus::running) return line.status;
  out.moved = true;
  out.alpha = line.alpha;
  const int iterations = state.iterations + (state.evaluations == 0 ? 1 : 2);  // with the trial's
  const bool last = line.alpha < options.epsilon_m || iterations >= options.max_iterations;
  go_to_trial(crew, pose, line.direction, line.alpha, state, last && !searches(options));
  return LoopStatus::running;
}

/// Goes on from the pose of state.proposal, where the factors gave no step or the loop cannot go along the
/// one that they gave. Leaves the proposal there.
template <class Crew>
NDT_HD NDT_NOINLINE inline void step_otherwise(const Crew& crew, const DerivativeSums<double>& sums,
                                               const LoopOptions& options, LoopState& state) {
  Proposal out = state.proposal;
  if (!out.stored) store_trial(crew, sums, options, state);
  out.stored = true;
  const Derivatives& at = state.found.at;
  NewtonDirection newton;
  const Definiteness definiteness = solve_symmetric(at.hessian, at.gradient, newton.delta);
  newton.fallback = definiteness != Definiteness::positive;
  if (needs_fallback(options.newton_step, definiteness)) {
    fallback_direction(crew, options.newton_step, at.hessian, at.gradient, state.scratch, state.fallback);
    newton = state.fallback;
  }
  const LoopStatus status = step_along(crew, newton, at.gradient, state.found.pose, options, state, out);
  crew.one([&] {
    if (status != LoopStatus::running)
      state.status = is_finite(state.found.at) ? status : LoopStatus::non_finite;
    state.proposal = out;
  });
}

/// Accepts a pose, whose derivatives every thread has in registers, out.step away from the last, and goes to
/// the next trial unless the loop ends.
template <class Crew>
NDT_HD inline void accept(const Crew& crew, const DerivativeSums<double>& sums, const Pose& pose,
                          const Derivatives& at, const LoopOptions& options, LoopState& state,
                          Proposal& out) {
  const bool first = state.evaluations == 0;
  out.accepted = true;
  const LoopStatus status = why_stop(at, state.iterations + (first ? 0 : 1), out.step, options);
  if (status != LoopStatus::running) {
    // Sums that are not finite give no line, so they need no check until the loop ends.
    const bool finite = is_finite(at);
    if (!finite && !out.stored) store_trial(crew, sums, options, state);
    out.stored = out.stored || !finite;
    crew.one([&] {
      state.status = finite ? status : LoopStatus::non_finite;
      if (out.stored) state.proposal = out;
    });
    return;
  }
  NewtonDirection newton;
  if (solve_positive_definite(at.hessian, at.gradient, newton.delta) &&
      step_along(crew, newton, at.gradient, pose, options, state, out) == LoopStatus::running)
    return;
  crew.one([&] { state.proposal = out; });
  step_otherwise(crew, sums, options, state);
  out = state.proposal;
}

/// Works out the derivatives of the current pose, if keep_trial() left them for later.
template <class Crew>
NDT_HD NDT_NOINLINE inline void complete_here(const Crew& crew, const LoopOptions& options,
                                              LoopState& state) {
  crew.one([&] {
    if (!state.sums_kept) return;
    state.here = {state.kept_at.pose, derivatives_at(state.kept_at, state.kept_sums, options)};
    state.sums_kept = false;
  });
}

/// Makes the pose of state.proposal, state.found or the trial, the current one, unless it is not finite.
template <class Crew>
NDT_HD NDT_NOINLINE inline void commit_found(const Crew& crew, const DerivativeSums<double>& sums,
                                             const LoopOptions& options, LoopState& state) {
  const Proposal proposal = state.proposal;
  const bool first = state.evaluations == 0, finite = state.status != LoopStatus::non_finite;
  crew.one([&] {
    state.evaluations += state.search.trying() ? 0 : 1;
    if (proposal.stored) return;
    const PoseAngles at = proposal.moved ? state.tried : trial_of(state);
    state.found = {at.pose, derivatives_at(at, sums, options)};
  });
  if (first) copy(crew, state.found, state.guess);
  if (!finite) return complete_here(crew, options, state);
  crew.one([&] {
    count_step(state.found.pose, proposal.step, first, state);
    state.sums_kept = false;
    if (proposal.lined)
      begin_line(state.line, state.found.at.score, options, state);
    else
      state.search.take(proposal.alpha);
  });
  copy(crew, state.found, state.here);
}

/// Makes the trial, which is in state.tried, the current pose, and keeps its sums. Nobody needs the
/// derivatives of a pose that the loop has left, unless it is the last one whose sums are finite.
template <class Crew>
NDT_HD inline void keep_trial(const Crew& crew, const Proposal& proposal, const DerivativeSums<double>& sums,
                              LoopState& state) {
  crew.one([&] {
    ++state.evaluations;
    count_step(state.tried.pose, proposal.step, false, state);
    state.search.take(proposal.alpha);
    state.sums_kept = true;
  });
  copy(crew, sums, state.kept_sums);
  copy(crew, state.tried, state.kept_at);
  copy(crew, state.tried.pose, state.here.pose);
}

/// Completes the state, and lets one thread run then() if a pose was accepted. shown: the derivatives of
/// every current pose are needed, and not only of the guess and the last.
template <class Crew, class Then>
NDT_HD inline void commit(const Crew& crew, const Proposal& proposal, const DerivativeSums<double>& sums,
                          const LoopOptions& options, bool shown, LoopState& state, Then&& then) {
  const bool first = state.evaluations == 0, ended = state.status != LoopStatus::running;
  crew.one([&] { state.accepted = false; });
  if (!proposal.accepted) {
    if (ended) complete_here(crew, options, state);
    return;
  }
  if (proposal.moved && !proposal.stored && !first && !ended && !shown && !searches(options)) {
    keep_trial(crew, proposal, sums, state);
    return;
  }
  if (!proposal.stored) crew.one([&] { state.proposal = proposal; });
  commit_found(crew, sums, options, state);
  crew.one([&] {
    if (state.accepted) then();
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

/// Proposes as propose() does, where a line search goes on or the Hessian has another form. Leaves the
/// proposal in the state.
template <class Crew>
NDT_HD NDT_NOINLINE inline void propose_stored(const Crew& crew, const DerivativeSums<double>& sums,
                                               const LoopOptions& options, LoopState& state) {
  const double alpha = state.search.alpha();
  const bool trying = state.search.trying();
  store_trial(crew, sums, options, state);
  Proposal out;
  out.stored = true;
  out.step = state.evaluations == 0 ? 0 : alpha;
  bool accepted = true;
  if (trying) {
    const bool finite = is_finite(state.found.at);
    crew.one([&] {
      ++state.evaluations;
      if (finite)
        offer_trial(state);
      else
        state.status = LoopStatus::non_finite;
    });
    const Verdict verdict = finite ? state.verdict : Verdict::failed;
    accepted = verdict == Verdict::take_this || verdict == Verdict::take_best;
    if (verdict == Verdict::take_best) {
      copy(crew, state.best_trial, state.found);
      out.step = state.best_alpha;
    }
    if (verdict == Verdict::try_next)
      go_to_trial(crew, state.here.pose, state.direction, state.search.alpha(), state);
    if (finite && verdict == Verdict::failed)
      crew.one([&] { state.status = end_without_step(state, options); });
  }
  if (accepted) accept(crew, sums, state.found.pose, state.found.at, options, state, out);
  crew.one([&] { state.proposal = out; });
}

/// Takes the sums at state.at.motion, and either ends the loop or moves state.trial and state.at to the next
/// pose. The rest of the state is complete only after commit(), for which only the crew needs to wait. The
/// whole crew must see state and sums. Its threads share out sines and matrices; each computes everything
/// else alike.
template <class Crew>
NDT_HD inline Proposal propose(const Crew& crew, const DerivativeSums<double>& sums,
                               const LoopOptions& options, LoopState& state) {
  if (state.search.trying() || options.hessian == HessianForm::autoware_1_9) {
    propose_stored(crew, sums, options, state);
    return state.proposal;
  }
  Proposal out;
  out.step = state.evaluations == 0 ? 0 : state.search.alpha();
  const SinCos& exact = state.at.exact;
  Derivatives at = derivatives_of(sums, state.at.angles);
  add_regularisation(options.regularisation, state.trial, exact.sine[2], exact.cosine[2], at);
  accept(crew, sums, state.trial, at, options, state, out);
  return out;
}

/// Calls propose() and commit(), which leaves nothing for later.
template <class Crew>
NDT_HD inline void advance(const Crew& crew, const DerivativeSums<double>& sums, const LoopOptions& options,
                           LoopState& state) {
  commit(crew, propose(crew, sums, options, state), sums, options, true, state, [] {});
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
  NDT_HD static Proposal propose(const Crew& crew, const DerivativeSums<double>& sums,
                                 const LoopOptions& options, LoopState& state) {
    return ndt::propose(crew, sums, options, state);
  }
  template <class Crew>
  NDT_HD static void interrupt(const Crew& crew, LoopStatus status, const LoopOptions&, LoopState& state) {
    crew.one([&] { state.status = status; });
  }
  template <class Crew, class Then>
  NDT_HD static void commit(const Crew& crew, const Proposal& proposal, const DerivativeSums<double>& sums,
                            const LoopOptions& options, bool shown, LoopState& state, Then&& then) {
    ndt::commit(crew, proposal, sums, options, shown, state, then);
  }
};

}  // namespace ndt
