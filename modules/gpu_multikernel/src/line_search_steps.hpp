// Steps 11 to 13: trial steps along the direction, their scores, and the choice of one. φ(α) = -score(p + α
// d). Every trial is evaluated at its own pose with its own near voxels, so φ' is the derivative of φ.
#pragma once

#include "derivative_steps.hpp"

namespace ndt::gpu_multikernel {

/// Step 11: the steps to evaluate together, and the poses they lead to. One worker per pose and trial.
struct TrialsStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int k = index / args.a.trials, c = index % args.a.trials;
    const PoseState& state = args.state(k);
    Trial& trial = args.a.trial[index];
    trial = {};
    if (!state.searching || c >= state.loop.search.trials_ahead()) return;
    const Vec6& d = state.loop.direction;
    trial.alpha = state.loop.search.trial_ahead(c);
    trial.pose = moved(state.loop.here.pose, d, trial.alpha);
    const SinCos exact = sin_cos_of(trial.pose), angles = snapped(exact, trial.pose);
    trial.motion.rotation = cast<float>(rotation_derivative(exact, 0, 0, 0));  // as step 2 does
    trial.motion.translation = cast<float>(Vec3<double>{trial.pose.x, trial.pose.y, trial.pose.z});
    Mat3<double> turn;
    for (int axis = 0; axis < 3; ++axis) {
      const Mat3<double> by = rotation_derivative(angles, axis == 0, axis == 1, axis == 2);
      for (int i = 0; i < 9; ++i) turn.m[i] += d[3 + axis] * by.m[i];
    }
    trial.turn = cast<float>(turn);
    trial.shift = cast<float>(Vec3<double>{d[0], d[1], d[2]});
  }
};

/// Step 12, first part: the points at every trial pose. One worker per pose, trial and point.
struct BatchTransformStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int pose = index / args.a.points, i = index % args.a.points;  // pose and trial in one
    const Vec3<float> p = move_point(args.a.trial[pose].motion, args.a.scan[i]);
    args.a.trial_points[args.a.at(pose, 3, 0, i)] = p.x;
    args.a.trial_points[args.a.at(pose, 3, 1, i)] = p.y;
    args.a.trial_points[args.a.at(pose, 3, 2, i)] = p.z;
  }
};

/// Step 12, second part: each point's score and slope at the trial pose; zero if the pose is not searching.
struct BatchScoreStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int pose = index / args.a.points, i = index % args.a.points;
    const Trial& trial = args.a.trial[pose];
    PointSums<float> point;
    int pairs = 0;
    if (args.state(pose / args.a.trials).searching) {
      const Vec3<float> p{args.a.trial_points[args.a.at(pose, 3, 0, i)],
                          args.a.trial_points[args.a.at(pose, 3, 1, i)],
                          args.a.trial_points[args.a.at(pose, 3, 2, i)]};
      pairs = add_neighbours(args.last_map().view, args.last_map().gauss, p, SingleLane{}, point);
    }
    args.a.trial_terms[args.a.at(pose, kTrialTerms, kTrialScore, i)] = point.score;
    args.a.trial_terms[args.a.at(pose, kTrialTerms, kTrialSlope, i)] =
        dot(point.v, trial.shift + trial.turn * args.a.scan[i]);
    args.a.trial_terms[args.a.at(pose, kTrialTerms, kTrialPairs, i)] = static_cast<float>(pairs);
  }
};

/// φ and φ' of a trial, regularisation included.
NDT_HD inline LinePoint line_point(const StepArguments& args, const Trial& trial, const double* sums,
                                   const Vec6& direction) {
  Derivatives at;
  at.score = sums[kTrialScore];
  at.pairs = static_cast<std::int64_t>(sums[kTrialPairs]);
  add_regularisation(args.options.regularisation, trial.pose, at);
  return {trial.alpha, -at.score, -(sums[kTrialSlope] + dot(at.gradient, direction))};
}

/// Step 13: offers the trials in order until the search has decided. One worker per pose. With the search off
/// there is one trial, which was not evaluated, and the search takes it as it is.
struct SelectStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.state(k);
    LoopState& loop = state.loop;
    if (!state.searching) return;
    const int ahead = loop.search.trials_ahead(), count = ahead < args.a.trials ? ahead : args.a.trials;
    const bool evaluated = args.options.line_search != LineSearch::off;
    loop.evaluations += evaluated ? count : 0;
    for (int c = 0; c < count; ++c) {
      const int index = k * args.a.trials + c;
      const LinePoint at = evaluated ? line_point(args, args.a.trial[index],
                                                  args.a.trial_sums + index * kTrialTerms, loop.direction)
                                     : LinePoint{args.a.trial[index].alpha, 0, 0};
      const Verdict verdict = loop.search.offer(at.value, at.slope);
      if (loop.search.current_is_best()) loop.best_alpha = at.alpha;
      if (verdict == Verdict::try_next) continue;
      state.searching = false;
      if (verdict == Verdict::failed) loop.status = end_without_step(loop, args.options);
      state.alpha = verdict == Verdict::take_this ? at.alpha : loop.best_alpha;
      return;
    }
  }
};

}  // namespace ndt::gpu_multikernel
