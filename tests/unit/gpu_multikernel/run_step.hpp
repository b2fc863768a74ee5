// One step by its name, on any backend, with as many workers as pipeline.hpp gives it.
#pragma once

#include "pipeline.hpp"
#include "step_machine.hpp"

namespace ndt::gpu_multikernel {

template <class Backend>
void run_step(Backend& backend, const Frame& f, Step step) {
  const int poses = f.a.poses, pairs = poses * f.a.points, trials = poses * f.a.trials,
            trial_pairs = trials * f.a.points;
  switch (step) {
    case Step::begin: return backend.launch(poses, BeginStep{f});
    case Step::sin_cos: return backend.launch(poses, SinCosStep{f});
    case Step::transform: return backend.launch(poses, TransformStep{f});
    case Step::jacobian: return backend.launch(pairs, JacobianStep{f});
    case Step::point_hessian: return backend.launch(pairs, PointHessianStep{f});
    case Step::transform_points: return backend.launch(pairs, TransformPointsStep{f});
    case Step::neighbours: return backend.launch(pairs, NeighbourStep{f});
    case Step::score_gradient_hessian: return backend.launch(pairs, ScoreGradientHessianStep{f});
    case Step::sum: return backend.sum_segments(f.a.terms, poses * kTerms, f.a.points, f.a.sums);
    case Step::arrive: return backend.launch(poses, ArriveStep{f});
    case Step::flag: return backend.launch(1, FlagStep{f});
    case Step::newton_system: return backend.launch(poses, NewtonSystemStep{f});
    case Step::solve: return backend.solve(f.a.matrices, f.a.vectors, f.a.factorised, poses);
    case Step::newton_fix_up: return backend.launch(poses, NewtonFixUpStep{f});
    case Step::direction: return backend.launch(poses, DirectionStep{f});
    case Step::candidates: return backend.launch(trials, CandidatesStep{f});
    case Step::batch_transform: return backend.launch(trial_pairs, BatchTransformStep{f});
    case Step::batch_score: return backend.launch(trial_pairs, BatchScoreStep{f});
    case Step::sum_trials:
      return backend.sum_segments(f.a.trial_terms, trials * kTrialTerms, f.a.points, f.a.trial_sums);
    case Step::select: return backend.launch(poses, SelectStep{f});
    case Step::update_pose: return backend.launch(poses, UpdatePoseStep{f});
  }
}

}  // namespace ndt::gpu_multikernel
