// Newton steps in a trust region, from the coarsest map to the finest: the other way to run the loop of
// newton_loop.hpp. Like that it evaluates nothing itself and knows no threads. A step is scaled so that its
// length is the distance that a point at the scan's mean range moves. A trial that lowers the score is taken
// back, and the region shrinks.  [Conn, Gould, Toint 2000, alg. 6.1.1]  Away from the end the Hessian has a
// share of its negative curvature only, so that it is definite where most pairs are still far apart.
#pragma once

#include <cmath>

#include "ndt/align/align_result.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/newton_loop.hpp"

namespace ndt {

/// The pose in coordinates whose origin is `shift` back.
NDT_HD inline Pose shifted(Pose pose, const Vec3<double>& shift) {
  pose.x += shift.x, pose.y += shift.y, pose.z += shift.z;
  return pose;
}

/// Solves (B + damping I) s = q with B = -D⁻¹HD⁻¹ and q = D⁻¹g, D = diag(1, 1, 1, range, range, range), and
/// cuts s at the radius. The damping is 0, then grows from 0.03 of the largest diagonal entry, threefold at
/// most 9 times, until the matrix is positive definite. The crew must see `here` and `out`.
template <class Crew>
NDT_HD inline void find_step(const Crew& crew, const Derivatives& here, double mean_range_m, double radius_m,
                             RegionStep& out) {
  constexpr int kSolves = 10;
  constexpr double kFirstDamping = 0.03, kGrowth = 3;
  const double per_metre = mean_range_m > 0 ? 1 / mean_range_m : 1;
  crew.each(6, [&](int i) {
    const double row = i < 3 ? 1 : per_metre;
    out.slope[i] = row * here.gradient[i];
    for (int j = 0; j < 6; ++j) out.curvature(i, j) = row * (j < 3 ? 1 : per_metre) * here.hessian(i, j);
  });
  double largest = 0;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) largest = std::fmax(largest, std::fabs(out.curvature(i, i)));
  Vec6 s;
  double damping = 0, squared = 0;
  int solve = 0;
  for (; solve < kSolves; ++solve) {
    const bool definite = solve_positive_definite(out.curvature, out.slope, s, damping);
    squared = dot(s, s);
    if (definite && std::isfinite(squared)) break;
    damping = solve == 0 ? kFirstDamping * largest : kGrowth * damping;
  }
  const double norm = std::sqrt(squared), cut = norm > radius_m ? radius_m / norm : 1;
  double gain = 0;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) {
    double curved = 0;
    NDT_UNROLL
    for (int j = 0; j < 6; ++j) curved += out.curvature(i, j) * s[j];
    gain += cut * s[i] * (out.slope[i] + cut * curved / 2);
  }
  crew.one([&] {
    out.damped = solve > 0;
    out.failed = solve == kSolves;
    out.length_m = cut * norm;
    out.predicted_gain = gain;
    NDT_UNROLL
    for (int i = 0; i < 6; ++i) out.move[i] = (i < 3 ? 1 : per_metre) * (cut * s[i]);
  });
}

/// Whether a map's surfaces fix the pose. Along a direction that they leave free, as in a tunnel, the score
/// of a coarse map would follow its own voxel grid. Tells so by the definiteness of A - I λ /
/// kMaxSurfaceConditionNumber with λ = trace(A^16)^(1/16), which is 1 to 1.12 times the largest eigenvalue.
/// The crew must see the information and the work space.
template <class Crew>
NDT_HD inline bool fixes_the_pose(const Crew& crew, const SurfaceInformation& information,
                                  NewtonScratch& work, Mat6& negated) {
  const auto entry = [&](int row, int col) {
    return information.entries[row <= col ? row * (11 - row) / 2 + col : col * (11 - col) / 2 + row];
  };
  double trace = 0;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) trace += entry(i, i);
  if (!(trace > 0)) return false;
  const auto square = [&](const double(&from)[6][6], double(&to)[6][6]) {
    crew.each(36, [&](int i) {
      double sum = 0;
      for (int k = 0; k < 6; ++k) sum += from[i / 6][k] * from[k][i % 6];
      to[i / 6][i % 6] = sum;
    });
  };
  crew.each(36, [&](int i) {
    work.a[i / 6][i % 6] = entry(i / 6, i % 6) / trace;
    negated.m[i] = -work.a[i / 6][i % 6];
  });
  square(work.a, work.v), square(work.v, work.a), square(work.a, work.v), square(work.v, work.a);
  double largest = 0;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) largest += work.a[i][i];
  NDT_UNROLL
  for (int root = 0; root < 4; ++root) largest = std::sqrt(largest);
  Vec6 solution;
  return solve_positive_definite(negated, Vec6{}, solution, -largest / kMaxSurfaceConditionNumber);
}

/// The functions below run on one thread.
namespace region {

inline constexpr double kSlow = 0.6;  ///< of the step before: the blended curvature converges linearly

NDT_HD inline bool is_slow(double step_m, const LoopState& state) {
  return step_m > kSlow * state.region.kept_step_m;
}

NDT_HD inline double share_after(double step_m, bool slow, const RegionOptions& options) {
  return slow || step_m <= options.near_m ? 1 : options.curvature_share;
}

NDT_HD inline void evaluate_next(Purpose purpose, const Pose& pose, int level, double curvature_share,
                                 LoopState& state) {
  state.region.purpose = purpose;
  state.region.level = level;
  state.region.curvature_share = curvature_share;
  state.trial = pose;
}

/// Ends the loop, after one more evaluation if the last map's true Hessian at the pose is not known.
NDT_HD inline void end_with(LoopStatus status, const RegionOptions& options, LoopState& state) {
  RegionState& r = state.region;
  if (status == LoopStatus::non_finite || status == LoopStatus::no_overlap ||
      (r.here_level == options.last && r.here_curvature_share == 1)) {
    state.status = status;
    return;
  }
  r.ending = status;
  evaluate_next(Purpose::true_hessian, state.here.pose, options.last, 1, state);
}

/// Makes the evaluated pose the current one; `step_m` long was the way there.
NDT_HD inline void keep_found(double step_m, LoopState& state) {
  const Pose &to = state.found.pose, &from = state.here.pose;
  if (step_m > 0) state.oscillation.add_step({to.x - from.x, to.y - from.y, to.z - from.z});
  state.here = state.found;
  state.region.here_level = state.region.level;
  state.region.here_curvature_share = state.region.curvature_share;
  state.step = step_m;
}

/// Keeps or takes back a trial.  [Conn, Gould, Toint 2000, sec. 6.1]
NDT_HD inline void judge_trial(const RegionOptions& options, LoopState& state) {
  RegionState& r = state.region;
  const LevelSteps& level = options.levels[r.level];
  const double gain = state.found.at.score - state.here.at.score;
  if (gain < 0) {
    r.radius_m = r.step_m / 4;
    r.level_ended = r.step_m < level.end_m || r.radius_m < level.end_m / 2;
    state.step = 0;
    return;
  }
  if (gain > 0.75 * r.step.predicted_gain && r.step_m >= 0.99 * r.radius_m)
    r.radius_m = std::fmin(2 * r.radius_m, level.radius_m);
  else if (gain < 0.25 * r.step.predicted_gain)
    r.radius_m = std::fmax(r.step_m / 2, level.end_m);
  keep_found(r.step_m, state);
  r.kept_step_m = r.last_step_m = r.step_m;
  r.level_ended = r.level == options.last && r.step_m < level.end_m;
}

/// Goes to the next finer map at a pose that is `step_m` from the current one.
NDT_HD inline void enter_next_level(const Pose& pose, double step_m, const RegionOptions& options,
                                    LoopState& state) {
  RegionState& r = state.region;
  const int level = r.here_level + 1;
  r.radius_m = options.levels[level].radius_m;
  r.kept_step_m = INFINITY;
  r.level_ended = false;
  r.step_m = step_m;
  evaluate_next(Purpose::next_level, pose, level, share_after(r.last_step_m, false, options), state);
}

/// Chooses the next pose to evaluate by the step in state.region.step: a trial on this map, or the first pose
/// on the next, which evaluates it anyway.
NDT_HD inline void take_step(const RegionOptions& options, LoopState& state) {
  RegionState& r = state.region;
  const RegionStep& step = r.step;
  state.fallbacks += step.damped ? 1 : 0;
  if (step.failed) return end_with(LoopStatus::degenerate, options, state);
  const Pose to = moved(state.here.pose, step.move, 1);
  const bool slow = is_slow(step.length_m, state);
  const double end_m = options.levels[r.here_level].end_m;
  if (r.here_level < options.last && step.length_m < (slow ? end_m / 4 : end_m)) {
    r.last_step_m = step.length_m;
    return enter_next_level(to, step.length_m, options, state);
  }
  r.step_m = step.length_m;
  evaluate_next(Purpose::trial, to, r.here_level, share_after(step.length_m, slow, options), state);
}

/// Takes the evaluation in state.found. Ends the loop, enters the next level, or leaves needs_step.
NDT_HD inline void take_evaluation(const LoopOptions& loop, LoopState& state) {
  const RegionOptions& options = loop.region;
  RegionState& r = state.region;
  const Purpose purpose = r.purpose;
  const bool finite = is_finite(state.found.at);
  ++state.evaluations;
  state.accepted = r.needs_step = false;
  if (purpose == Purpose::guess) state.guess = state.found;
  if (purpose == Purpose::trial || purpose == Purpose::next_level) ++state.iterations;
  if (!finite) {
    state.status = LoopStatus::non_finite;
    return;
  }
  if (purpose == Purpose::true_hessian) {
    keep_found(0, state);
    state.status = state.here.at.pairs == 0 ? LoopStatus::no_overlap : r.ending;
    return;
  }
  state.accepted = true;
  if (purpose == Purpose::trial)
    judge_trial(options, state);
  else
    keep_found(purpose == Purpose::guess ? 0 : r.step_m, state);

  if (state.here.at.pairs == 0)
    state.status = LoopStatus::no_overlap;
  else if (r.level_ended && r.here_level == options.last)
    end_with(LoopStatus::step_below_epsilon, options, state);
  else if (state.iterations >= loop.max_iterations)
    end_with(LoopStatus::max_iterations, options, state);
  else if (r.level_ended)
    enter_next_level(state.here.pose, 0, options, state);
  else
    r.needs_step = true;
}

}  // namespace region

/// The steps of StepControl::trust_region, a policy of the schedules as ClampedSteps is.
struct TrustRegion {
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

  /// As newton_loop.hpp's propose(); the state is complete after it.
  template <class Crew>
  NDT_HD static void propose(const Crew& crew, const DerivativeSums<double>& sums, const LoopOptions& options,
                             LoopState& state) {
    const Pose pose = state.trial;
    Derivatives at = derivatives_of(sums, state.at.angles, state.region.curvature_share);
    add_regularisation(options.regularisation, pose, state.at.exact.sine[2], state.at.exact.cosine[2], at);
    crew.one([&] {
      state.found = {pose, at};
      region::take_evaluation(options, state);
    });
    if (state.region.needs_step) {
      find_step(crew, state.here.at, options.region.mean_range_m, state.region.radius_m, state.region.step);
      crew.one([&] { region::take_step(options.region, state); });
    }
    if (state.status == LoopStatus::running) go_to_trial(crew, options, state);
  }
  /// Ends the loop early, unless it is about to end.
  template <class Crew>
  NDT_HD static void interrupt(const Crew& crew, LoopStatus status, const LoopOptions& options,
                               LoopState& state) {
    const bool ending = state.region.purpose == Purpose::true_hessian;
    if (!ending) crew.one([&] { region::end_with(status, options.region, state); });
    if (!ending && state.status == LoopStatus::running) go_to_trial(crew, options, state);
  }
  template <class Crew, class Then>
  NDT_HD static void commit(const Crew& crew, const LoopOptions&, LoopState& state, Then&& then) {
    const bool kept = state.accepted;
    crew.one([&] {
      if (kept) then();
    });
  }

 private:
  template <class Crew>
  NDT_HD static void go_to_trial(const Crew& crew, const LoopOptions& options, LoopState& state) {
    crew.each(3, [&](int i) { state.at.set_angle(i, coordinate(state.trial, 3 + i)); });
    state.at.set_motion(crew, shifted(state.trial, options.region.levels[state.region.level].shift));
  }
};

}  // namespace ndt
