// One step by its name, on any backend, with as many workers as pipeline.hpp gives it.
#pragma once

#include "ndt/core/simd.hpp"
#include "pipeline.hpp"
#include "step_machine.hpp"

namespace ndt::gpu_multikernel {

template <class Backend>
void run_step(Backend& backend, const StepArguments& args, Step step) {
  const int poses = args.a.listed, pairs = poses * args.a.points, trials = poses * args.a.trials,
            trial_pairs = trials * args.a.points;
  switch (step) {
    case Step::begin: return backend.launch(poses, BeginStep<ClampedSteps>{args});
    case Step::sin_cos: return backend.launch(poses, SinCosStep{args});
    case Step::transform: return backend.launch(poses, TransformStep{args});
    case Step::jacobian: return backend.launch(pairs, JacobianStep{args});
    case Step::point_hessian: return backend.launch(pairs, PointHessianStep{args});
    case Step::transform_points: return backend.launch(pairs, TransformPointsStep{args});
    case Step::neighbours: return backend.launch(pairs, NeighbourStep{args});
    case Step::score_gradient_hessian: return backend.launch(pairs, ScoreGradientHessianStep{args});
    case Step::sum: return backend.sum_segments(args.a.terms, poses * kTerms, args.a.points, args.a.sums);
    case Step::arrive: return backend.launch(poses, ArriveStep{args});
    case Step::flag: return backend.select(poses, GoesOn{args}, args.a.list, args.a.running);
    case Step::newton_system: return backend.launch(poses, NewtonSystemStep{args});
    case Step::solve: return backend.solve(args.a.matrices, args.a.vectors, args.a.factorised, poses);
    case Step::newton_fix_up: return backend.launch(poses, NewtonFixUpStep{args});
    case Step::direction: return backend.launch(poses, DirectionStep{args});
    case Step::trials: return backend.launch(trials, TrialsStep{args});
    case Step::batch_transform: return backend.launch(trial_pairs, BatchTransformStep{args});
    case Step::batch_score: return backend.launch(trial_pairs, BatchScoreStep{args});
    case Step::sum_trials:
      return backend.sum_segments(args.a.trial_terms, trials * kTrialTerms, args.a.points, args.a.trial_sums);
    case Step::select: return backend.launch(poses, SelectStep{args});
    case Step::update_pose: return backend.launch(poses, UpdatePoseStep{args});
  }
}

}  // namespace ndt::gpu_multikernel
