// Newton steps in a trust region, from the coarsest map to the finest: the other way to run the loop of
// newton_loop.hpp. Like that it evaluates nothing itself and knows no threads. A step is scaled so that its
// length is the distance that a point at the scan's mean range moves. A trial that lowers the score is taken
// back, and the region shrinks.  [Conn, Gould, Toint 2000, alg. 6.1.1]  Away from the end the Hessian has a
// share of its negative curvature only, so that it is definite where most pairs are still far apart.
#pragma once

#include <cfloat>
#include <cmath>

#include "ndt/align/align_result.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/newton_loop.hpp"

namespace ndt {

/// The pose in coordinates whose origin is `shift` back.
NDT_HD inline Pose shifted(Pose pose, const Vec3<double>& shift) {
  pose.x += shift.x, pose.y += shift.y, pose.z += shift.z;
  return pose;
}

/// Solves (B + damping I) s = q with B = -D⁻¹HD⁻¹ and q = D⁻¹g, D = diag(1, 1, 1, range, range, range). False
/// if the matrix is not positive definite.
NDT_HD inline bool solve_scaled(const Derivatives& here, double per_metre, double damping, Vec6& slope,
                                Vec6& s) {
  Mat6 scaled;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) {
    slope[i] = i < 3 ? here.gradient[i] : per_metre * here.gradient[i];
    NDT_UNROLL
    for (int j = i; j < 6; ++j) {
      const double entry = j < 3 ? here.hessian(i, j) : per_metre * here.hessian(i, j);
      scaled(i, j) = scaled(j, i) = i < 3 ? entry : per_metre * entry;
    }
  }
  return solve_positive_definite(scaled, slope, s, damping) && std::isfinite(dot(s, s));
}

/// Solves the same with a damping that grows from 0.03 of the largest diagonal entry, threefold at most 8
/// times, until the matrix is positive definite.
NDT_HD NDT_NOINLINE inline void solve_with_damping(const Derivatives& here, double per_metre,
                                                   ScaledStep& out) {
  constexpr int kSolves = 9;
  constexpr double kFirstDamping = 0.03, kGrowth = 3;
  double largest = 0;
  for (int i = 0; i < 6; ++i)
    largest = std::fmax(largest, std::fabs(here.hessian(i, i)) * (i < 3 ? 1 : per_metre * per_metre));
  out.damping = kFirstDamping * largest;
  out.failed = false;
  Vec6 slope, s;
  for (int solve = 0; solve < kSolves; ++solve, out.damping *= kGrowth)
    if (solve_scaled(here, per_metre, out.damping, slope, s)) {
      out.s = s;
      return;
    }
  out.failed = true;
}

/// A step in the scaled metric, cut at the region's radius, and the gain that the quadratic model predicts.
struct RegionStep {
  Vec6 move;  ///< x y z roll pitch yaw
  double length_m = 0, predicted_gain = 0;
  bool damped = false, failed = false;
};

/// The step from a pose whose derivatives every thread has in registers and the crew sees in `seen`.
template <class Crew>
NDT_HD inline RegionStep find_step(const Crew& crew, const Derivatives& here, const Derivatives& seen,
                                   const RegionOptions& options, double radius_m, ScaledStep& rare) {
  const double per_metre = options.per_metre;
  RegionStep out;
  Vec6 slope, s;
  double damping = 0;
  out.damped = !solve_scaled(here, per_metre, 0, slope, s);
  if (out.damped) {
    crew.one([&] { solve_with_damping(seen, per_metre, rare); });
    s = rare.s, damping = rare.damping, out.failed = rare.failed;
  }
  const double squared = dot(s, s), inverse = squared < DBL_MIN ? 0 : reciprocal_sqrt(squared),
               norm = squared * inverse, cut = norm > radius_m ? radius_m * inverse : 1;
  out.length_m = norm > radius_m ? radius_m : norm;  // exactly, because a radius may be a level's end
  // Because (B + damping I) s = q, sᵀBs = qᵀs - damping |s|².
  const double along = dot(slope, s);
  out.predicted_gain = cut * (along - cut * (along - damping * squared) / 2);
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) out.move[i] = cut * (i < 3 ? s[i] : per_metre * s[i]);
  return out;
}

/// Whether a map's surfaces fix the pose: the smallest eigenvalue of their information is at least 1/3000 of
/// all six together. Along a direction that they leave free, as in a tunnel, the score of a coarse map would
/// follow its own voxel grid. (Streets and rooms come to 1/1500 at least, tunnels to 1/5500 at most.)
NDT_HD inline bool fixes_the_pose(const SurfaceInformation& information) {
  constexpr double kLeastShare = 1.0 / 3000;
  Mat6 negated;
  double trace = 0;
  int entry = 0;
  NDT_UNROLL
  for (int row = 0; row < 6; ++row) {
    trace += information.entries[entry];
    NDT_UNROLL
    for (int col = row; col < 6; ++col) negated(row, col) = negated(col, row) = -information.entries[entry++];
  }
  Vec6 solution;
  return trace > 0 && solve_positive_definite(negated, Vec6{}, solution, -kLeastShare * trace);
}

namespace region {

inline constexpr double kSlow = 0.6;  ///< of the step before: the blended curvature converges linearly
inline constexpr double kLong = 0.3;  ///< of a coarse level's first radius: the guess was far off

NDT_HD inline double share_after(double step_m, bool slow, const RegionOptions& options) {
  return slow || step_m <= options.near_m ? 1 : options.curvature_share;
}

NDT_HD inline void evaluate_next(Purpose purpose, int level, double curvature_share, RegionState& r) {
  r.purpose = purpose;
  r.level = level;
  r.curvature_share = curvature_share;
}

NDT_HD inline double end_of(int level, const RegionOptions& options, const RegionState& r) {
  return r.from_afar ? options.levels[level].end_from_afar_m : options.levels[level].end_m;
}

/// Keeps or takes back a trial that gained that much.  [Conn, Gould, Toint 2000, sec. 6.1]  A step that is
/// short only because the region cut it does not end the level.
NDT_HD inline void judge_trial(double gain, const RegionOptions& options, RegionState& r) {
  const double end_m = end_of(r.level, options, r);
  const bool cut = r.step_m >= r.radius_m;
  r.kept = !(gain < 0);
  if (!r.kept) {
    r.radius_m = r.step_m / 4;
    r.level_ended = r.step_m < end_m || r.radius_m < end_m / 2;
    return;
  }
  if (gain > 0.75 * r.predicted_gain && r.step_m >= 0.99 * r.radius_m)
    r.radius_m = std::fmin(2 * r.radius_m, options.levels[r.level].radius_m);
  else if (gain < 0.25 * r.predicted_gain)
    r.radius_m = std::fmax(r.step_m / 2, end_m);
  r.kept_step_m = r.last_step_m = r.step_m;
  r.level_ended = r.level == options.last && !options.finish && r.step_m < end_m && !cut;
}

/// Takes the evaluation of a pose. Gives the reason for which the loop ends there, or `running`. iterations:
/// with this one.
NDT_HD inline LoopStatus arrive(const Derivatives& found, double here_score, int iterations,
                                const LoopOptions& options, RegionState& r) {
  r.found_for = r.purpose;
  r.found_step_m = r.purpose == Purpose::trial || r.purpose == Purpose::next_level ? r.step_m : 0;
  r.kept = true;
  if (r.purpose == Purpose::next_level) r.radius_m = options.region.levels[r.level].radius_m;
  if (r.purpose == Purpose::trial) judge_trial(found.score - here_score, options.region, r);
  if (r.kept) r.here_level = r.level, r.here_curvature_share = r.curvature_share;
  if (r.kept && found.pairs == 0) return LoopStatus::no_overlap;
  if (r.purpose == Purpose::true_hessian) return r.ending;
  if (r.level_ended && r.here_level == options.region.last && !options.region.finish)
    return LoopStatus::step_below_epsilon;
  return iterations >= options.max_iterations ? LoopStatus::max_iterations : LoopStatus::running;
}

/// Goes to the next finer map with a step of this length, from the last one to the windows.
NDT_HD inline void enter_next_level(double step_m, const RegionOptions& options, RegionState& r) {
  const int level = r.here_level + 1;
  r.step_m = step_m;
  if (level > options.last) return evaluate_next(Purpose::finish, level, 1, r);
  r.kept_step_m = INFINITY;
  r.level_ended = false;
  evaluate_next(Purpose::next_level, level, share_after(r.last_step_m, false, options), r);
}

/// Decides whether a step leads to a trial on this map or to the first pose on the next, which evaluates it
/// anyway.
NDT_HD inline void take(const RegionStep& step, const RegionOptions& options, RegionState& r) {
  const bool slow = step.length_m > kSlow * r.kept_step_m;
  const bool coarse = r.here_level < options.last;
  r.from_afar |= coarse && step.length_m >= kLong * options.levels[r.here_level].radius_m;
  r.predicted_gain = step.predicted_gain;
  const double end_m = end_of(r.here_level, options, r);
  if ((coarse || options.finish) && step.length_m < (slow ? end_m / 4 : end_m)) {
    r.last_step_m = step.length_m;
    return enter_next_level(step.length_m, options, r);
  }
  r.step_m = step.length_m;
  evaluate_next(Purpose::trial, r.here_level, share_after(step.length_m, slow, options), r);
}

/// Gives the status that ends the loop, or `running` if the last map's true Hessian at the current pose has
/// to be evaluated first.
NDT_HD inline LoopStatus end(LoopStatus status, const Derivatives& found, const RegionOptions& options,
                             RegionState& r) {
  if (!is_finite(found)) return LoopStatus::non_finite;
  if (status == LoopStatus::no_overlap || r.found_for == Purpose::true_hessian ||
      (r.here_level == options.last && r.here_curvature_share == 1))
    return status;
  r.ending = status;
  evaluate_next(Purpose::true_hessian, options.last, 1, r);
  return LoopStatus::running;
}

}  // namespace region

/// The steps of StepControl::trust_region, a policy of the schedules as ClampedSteps is. Every thread of a
/// crew decides alike on a copy of the region's state in its own registers.
struct TrustRegion {
  struct Nothing {};  ///< what propose() leaves to commit(): all is in the state

  NDT_HD static int level(const LoopState& state) { return state.region.level; }
  NDT_HD static int last_level(const LoopOptions& options) { return options.region.last; }

  /// One thread. Begins on the coarsest level; an evaluation without iterations is one of the last map's true
  /// derivatives.
  NDT_HD static void begin(const LoopStart& start, const LoopOptions& options, LoopState& state) {
    begin_loop(start, state);
    state.region.kept_step_m = state.region.last_step_m = INFINITY;
    begin_on(options.max_iterations == 0 ? options.region.last : 0, options, state);
    state.region.curvature_share = options.max_iterations == 0 ? 1 : options.region.curvature_share;
  }
  /// One thread, before the first evaluation.
  NDT_HD static void begin_on(int level, const LoopOptions& options, LoopState& state) {
    state.region.level = level;
    state.region.radius_m = options.region.levels[level].radius_m;
    const Pose at = shifted(state.trial, options.region.levels[level].shift);
    state.at.motion.translation = cast<float>(Vec3<double>{at.x, at.y, at.z});
  }

  /// As newton_loop.hpp's propose().
  template <class Crew>
  NDT_HD static Nothing propose(const Crew& crew, const DerivativeSums<double>& sums,
                                const LoopOptions& options, LoopState& state) {
    Derivatives at = derivatives_of(sums, state.at.angles, state.region.curvature_share);
    add_regularisation(options.regularisation, state.trial, state.at.exact.sine[2], state.at.exact.cosine[2],
                       at);
    take(crew, at, options, state);
    return {};
  }
  /// The part of propose() that follows from the trial's derivatives.
  template <class Crew>
  NDT_HD static void take(const Crew& crew, Derivatives at, const LoopOptions& options, LoopState& state) {
    if (state.region.purpose == Purpose::finish) return finish(crew, at, options, state);
    Pose pose = state.trial;
    RegionState r = state.region;
    const bool counts = r.purpose == Purpose::trial || r.purpose == Purpose::next_level;
    LoopStatus status =
        region::arrive(at, state.here.at.score, state.iterations + (counts ? 1 : 0), options, r);
    r.damped = false;
    crew.one([&] {
      state.found = {pose, at};
      state.region = r;  // the solver needs the registers
    });
    if (!r.kept) at = state.here.at, pose = state.here.pose;
    if (status == LoopStatus::running && r.level_ended) {
      region::enter_next_level(0, options.region, r);
    } else if (status == LoopStatus::running) {
      const RegionStep step = find_step(crew, at, r.kept ? state.found.at : state.here.at, options.region,
                                        r.radius_m, state.damped);
      r = state.region;
      r.damped = step.damped;
      if (step.failed) {
        status = LoopStatus::degenerate;
      } else {
        region::take(step, options.region, r);
        pose = moved(pose, step.move, 1);
      }
    }
    go_on(crew, status, pose, options, r, state);
  }

  /// Ends the loop early, unless it is about to end. May come before commit() or after it.
  template <class Crew>
  NDT_HD static void interrupt(const Crew& crew, LoopStatus status, const LoopOptions& options,
                               LoopState& state) {
    const RegionState r = state.region;
    if (r.purpose != Purpose::true_hessian)
      go_on(crew, status, r.kept ? state.found.pose : state.here.pose, options, r, state);
  }

  /// As newton_loop.hpp's commit(). then() follows every evaluation that counts, also of a trial that was
  /// taken back.
  template <class Crew, class Then>
  NDT_HD static void commit(const Crew& crew, Nothing, const DerivativeSums<double>&, const LoopOptions&,
                            bool /*shown*/, LoopState& state, Then&& then) {
    crew.one([&] {
      enter_found(state);
      if (state.accepted) then();
    });
  }

 private:
  /// Takes one step in the windows, to the pose that is returned with the last level's sums there. The pose
  /// stays without a window near, without a step, or with one that the radius cuts: windows do not fit there.
  template <class Crew>
  NDT_HD static void finish(const Crew& crew, const Derivatives& at, const LoopOptions& options,
                            LoopState& state) {
    const Pose pose = state.trial;
    RegionState r = state.region;
    r.found_for = Purpose::finish;
    r.found_step_m = r.step_m;
    r.here_level = r.level, r.radius_m = options.region.levels[r.level].radius_m;
    r.kept = true, r.damped = false;
    r.finish_step_m = 0, r.finish_score = at.score;
    crew.one([&] {
      state.found = {pose, at};
      state.region = r;
    });
    Vec6 move;
    if (at.pairs > 0 && is_finite(at)) {
      const RegionStep step = find_step(crew, at, state.found.at, options.region, r.radius_m, state.damped);
      r = state.region;
      if (!step.failed) r.finish_step_m = step.length_m;
      if (!step.failed && step.length_m < r.radius_m) move = step.move;
      r.damped = step.damped;
    }
    r.ending = LoopStatus::step_below_epsilon;
    region::evaluate_next(Purpose::true_hessian, options.region.last, 1, r);
    go_on(crew, LoopStatus::running, moved(pose, move, 1), options, r, state);
  }

  /// Goes to the pose, or ends the loop.
  template <class Crew>
  NDT_HD static void go_on(const Crew& crew, LoopStatus status, const Pose& pose, const LoopOptions& options,
                           RegionState r, LoopState& state) {
    if (status != LoopStatus::running) status = region::end(status, state.found.at, options.region, r);
    crew.one([&] {
      state.region = r;
      state.status = status;
    });
    if (status != LoopStatus::running) return;
    set_trial(crew, pose, state);
    state.at.set_motion(crew, shifted(state.trial, options.region.levels[r.level].shift));
  }

  /// One thread: enters what take() found into the state.
  NDT_HD static void enter_found(LoopState& state) {
    const RegionState& r = state.region;
    ++state.evaluations;
    if (r.found_for == Purpose::guess) state.guess = state.found;
    if (r.found_for != Purpose::guess && r.found_for != Purpose::true_hessian) ++state.iterations;
    state.fallbacks += r.damped ? 1 : 0;
    state.accepted = false;
    if (state.status == LoopStatus::non_finite) return;
    state.accepted = r.found_for != Purpose::true_hessian;
    state.step = r.kept ? r.found_step_m : 0;
    if (!r.kept) return;
    const Pose &to = state.found.pose, &from = state.here.pose;
    if (r.found_step_m > 0) state.oscillation.add_step({to.x - from.x, to.y - from.y, to.z - from.z});
    state.here = state.found;
  }
};

}  // namespace ndt
