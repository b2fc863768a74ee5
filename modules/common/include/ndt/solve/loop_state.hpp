// A Newton loop's options, its state between two evaluations, and its beginning.
#pragma once

#include <cmath>

#include "ndt/core/limits.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/core/small_matrix.hpp"
#include "ndt/exec/crew.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/derivatives.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/solve/line_search.hpp"
#include "ndt/solve/newton.hpp"

namespace ndt {

/// Longest run of consecutive position steps that reverse the one before (cosine below -0.9). A zero-length
/// step ends a run.
class OscillationCounter {
 public:
  NDT_HD void add_step(const Vec3<double>& step) {
    const double along = dot(step, previous_), squared_norms = dot(step, step) * dot(previous_, previous_);
    run_ = along < 0 && along * along > 0.9 * 0.9 * squared_norms ? run_ + 1 : 0;
    if (run_ > longest_) longest_ = run_;
    previous_ = step;
  }
  NDT_HD int longest() const { return longest_; }

 private:
  Vec3<double> previous_;
  int run_ = 0, longest_ = 0;
};

/// How far steps on one of the maps may go, and how short they are when they end it; lengths in metres that a
/// point at the scan's mean range moves.
struct LevelSteps {
  double radius_m = 0, end_m = 0;
  double end_from_afar_m = 0;  ///< in place of end_m if the guess turned out to be far off
  Vec3<double> shift;          ///< from coordinates local to the last map to coordinates local to this one
};

/// Most maps of a registration: its levels and, behind the last, the windows of a finish.
inline constexpr int kMostMaps = static_cast<int>(Limits::kLevels) + 1;

/// The options that StepControl::trust_region needs; see solve/trust_region.hpp.
struct RegionOptions {
  LevelSteps levels[kMostMaps];  ///< coarse to fine
  int last = 0;                  ///< index of the last level
  bool finish = false;           ///< whether there are windows behind it
  double near_m = 0;             ///< after a shorter step the Hessian is the true one
  double curvature_share = 1;    ///< of the negative curvature, before that
  double per_metre = 1;          ///< one over the scan's mean range: makes metres radians
  double push_m = 0;             ///< length of the pushes of solve/push_test.hpp
  double score_error = 0;        ///< score_error() of the last map
};

struct LoopOptions {
  double step_m = 0.1, epsilon_m = 0.01;
  int max_iterations = 30;  ///< 0: evaluate the guess and end
  Regularisation regularisation;
  NewtonStep newton_step = NewtonStep::reference;
  LineSearch line_search = LineSearch::off;
  StepRatios step_ratios = StepRatios::fixed8;
  HessianForm hessian = HessianForm::exact;
  RegionOptions region;
};

enum class LoopStatus {
  block_missing = kBlockMissing,  ///< no result: blocks waited in vain for one of them
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

/// A pose and the derivatives of the score there.
struct alignas(16) EvaluatedPose {
  Pose pose;  ///< derivative branch
  Derivatives at;
};

/// Angles below 1e-4 rad count as zero in derivatives (never in the motion itself), as in the reference.
/// Newton steps hardly change by it, and Hessians agree with the reference's to rounding.
NDT_HD inline bool counts_as_zero(double angle) { return std::fabs(angle) < 1e-4; }
NDT_HD inline SinCos snapped(SinCos angles, const Pose& pose) {
  NDT_UNROLL
  for (int i = 0; i < 3; ++i)
    if (counts_as_zero(coordinate(pose, 3 + i))) angles.sine[i] = 0, angles.cosine[i] = 1;
  return angles;
}

/// A pose, its angles, and these as derivatives take them.
struct PoseAngles {
  Pose pose;
  SinCos exact, angles;  ///< angles: snapped
};

/// A pose's angles, exact and as derivatives take them, and the motion that takes points there.
struct PoseMotion {
  SinCos exact, angles;  ///< angles: snapped
  Motion motion;

  PoseMotion() = default;
  NDT_HD explicit PoseMotion(const Pose& pose) {
    NDT_UNROLL
    for (int i = 0; i < 3; ++i) set_angle(i, coordinate(pose, 3 + i));
    set_motion(SoloCrew{}, pose);
  }
  NDT_HD void set_angle(int i, double angle) {
    double sine, cosine;
    sin_cos(angle, sine, cosine);
    exact.sine[i] = sine, exact.cosine[i] = cosine;
    const bool zero = counts_as_zero(angle);
    angles.sine[i] = zero ? 0 : sine, angles.cosine[i] = zero ? 1 : cosine;
  }
  /// Copies angle i of the pose that this is of.
  NDT_HD void copy_angle(int i, PoseAngles& to) const {
    to.exact.sine[i] = exact.sine[i], to.exact.cosine[i] = exact.cosine[i];
    to.angles.sine[i] = angles.sine[i], to.angles.cosine[i] = angles.cosine[i];
  }
  /// Sets the motion from the angles and the pose's translation.
  template <class Crew>
  NDT_HD void set_motion(const Crew& crew, const Pose& pose) {
    crew.each(7, [&](int k) {
      if (k == 6) {
        motion.translation = cast<float>(Vec3<double>{pose.x, pose.y, pose.z});
        return;
      }
      const int row = k < 3 ? k : k - 3;
      float* const to = (k < 3 ? motion.rotation : motion.lever).m + 3 * row;
      const Vec3<double> r = rotation_row(k < 3 ? exact : angles, row);
      to[0] = static_cast<float>(r.x), to[1] = static_cast<float>(r.y), to[2] = static_cast<float>(r.z);
    });
  }
};

/// A Newton step from a pose as a unit direction uphill, and the first trial along it.
struct LineStart {
  Vec6 direction;
  double length = 0;  ///< the Newton step's
  double slope = 0;   ///< φ'(0) along the direction, not positive
  double alpha = 0;
  bool fallback = false;
  LoopStatus status =
      LoopStatus::running;  ///< not running: there is no step. A zero step ends the loop, as in the reference
};

/// The message from propose() of clamped steps to commit(): every thread of the crew has it in registers.
struct Proposal {
  bool accepted = false;  ///< whether the trial becomes the current pose
  bool stored = false;    ///< whether state.found is the trial, evaluated
  bool moved = false;     ///< whether state.trial is the next one, and this one in state.tried
  bool lined = false;     ///< whether state.line is the step from there
  double step = 0;        ///< length of the step that led there
  double alpha = 0;       ///< of the next trial
};

/// The purpose of an evaluation of a trust region.
enum class Purpose { guess, trial, next_level, finish, true_hessian };

/// A step that needed damping, in the scaled metric of solve/trust_region.hpp.
struct ScaledStep {
  Vec6 s;
  double damping = 0;
  bool failed = false;  ///< no damping made the matrix positive definite
};

/// The state that a trust region keeps between two evaluations. "Here" is the current pose, "found" the pose
/// evaluated last.
struct RegionState {
  int level = 0;               ///< the next sums are taken on
  double curvature_share = 1;  ///< in the next sums
  Purpose purpose = Purpose::guess;
  double radius_m = 0;
  double step_m = 0;          ///< length of the step to the pose under evaluation
  double predicted_gain = 0;  ///< of that step
  double kept_step_m = 0;     ///< last step kept on this level, infinite before the first
  double last_step_m = 0;     ///< the same on any level
  int here_level = 0;
  double here_curvature_share = 1;
  double found_step_m = 0;  ///< length of the step from the pose before to the one found
  Purpose found_for = Purpose::guess;
  bool kept = false;                            ///< the found pose is the current one
  bool from_afar = false;                       ///< a step on a coarse level was long
  bool level_ended = false;                     ///< no further step is taken on the level of the current pose
  bool damped = false;                          ///< the step to the pose under evaluation
  LoopStatus ending = LoopStatus::running;      ///< what the loop ends with after Purpose::true_hessian
  double finish_step_m = -1, finish_score = 0;  ///< of Purpose::finish, once it was
};

/// The state of a loop. Everything is map-local. Every worker that holds a copy computes the same bits.
struct LoopState {
  Pose trial;                        ///< pose at which the next sums are to be taken
  PoseMotion at;                     ///< the trial's angles and motion
  EvaluatedPose here, guess;         ///< last accepted pose, and the first one
  EvaluatedPose found;               ///< trial as the last sums evaluated it; of clamped steps where needed
  PoseAngles tried;                  ///< trial that the last sums are of, where it is not in `found`
  LineStart line;                    ///< step from the current pose, where a search or a rare case needs it
  Proposal proposal;                 ///< as functions that are not inlined pass it on
  DerivativeSums<double> kept_sums;  ///< at `here`, and that pose with its angles; see keep_trial()
  PoseAngles kept_at;
  EvaluatedPose best_trial;  ///< best trial of the running line search
  NewtonDirection fallback;  ///< Newton step that needed more than registers
  NewtonScratch scratch;
  Vec6 direction;  ///< unit, uphill
  StepSearch search;
  OscillationCounter oscillation;
  double best_alpha = 0;     ///< best_trial's step
  double newton_length = 0;  ///< length of the Newton step that the running line search shortens
  double slope = 0;          ///< φ'(0) along the direction: minus the gradient's component along it
  double step = 0;           ///< length of the step that led to here
  int iterations = 0, evaluations = 0, fallbacks = 0;
  bool sums_kept = false;  ///< here's derivatives are yet to be worked out of kept_sums
  bool accepted = false;   ///< the last advance() moved `here`: a new line for the trace
  bool ends_next = false;  ///< the sums at the trial are the loop's last, and the trial is where it ends
  LoopStatus status = LoopStatus::running;
  Verdict verdict = Verdict::take_this;  ///< the line search's, on the trial
  RegionState region;                    ///< these two are unused by clamped steps
  ScaledStep damped;
};

/// One line of a trace.
struct LoopTrace {
  Pose pose;
  double score = 0, nvtl = 0, step = 0, radius = 0;
  int level = 0, unused = 0;
};
NDT_HD inline LoopTrace trace_line(const LoopState& state) {
  return {state.here.pose, state.here.at.score,   state.here.at.nvtl(),
          state.step,      state.region.radius_m, state.region.here_level};
}

/// The pose at which a loop begins, with its motion.
struct LoopStart {
  Pose pose;
  PoseMotion at;
};

/// local_guess: map-local and rigid. The first sums use the matrix itself, later ones the matrix of the pose.
NDT_HD inline LoopStart loop_start(const Transform& local_guess) {
  const Pose pose = derivative_pose(local_guess);
  LoopStart start{pose, PoseMotion(pose)};
  start.at.motion.rotation = cast<float>(rotation_of(local_guess));
  start.at.motion.translation = cast<float>(translation_of(local_guess));
  return start;
}

NDT_HD inline void begin_loop(const LoopStart& start, LoopState& state) {
  state.trial = state.here.pose = state.guess.pose = start.pose;
  state.at = start.at;
}
NDT_HD inline LoopState begin_loop(const Transform& local_guess) {
  LoopState state;
  begin_loop(loop_start(local_guess), state);
  return state;
}

}  // namespace ndt
