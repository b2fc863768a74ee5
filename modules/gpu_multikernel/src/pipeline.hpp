// The schedule of the staged implementations: the fifteen steps in their order. A backend launches a body for
// n workers, sums segments, selects from a list and solves 6x6 systems, on the host or on a device. Nothing
// here knows which.
#pragma once

#include <type_traits>

#include "line_search_steps.hpp"
#include "ndt/core/simd.hpp"
#include "newton_steps.hpp"

namespace ndt::gpu_multikernel {

/// Steps 1 to 8 and the first half of 15: every pose's score and derivatives, and whether its loop ends
/// there. In a trust region also the next pose.
template <class Steps, class Backend>
void evaluate_poses(Backend& backend, const StepArguments& args) {
  const int poses = args.a.listed, pairs = args.a.listed * args.a.points;
  backend.launch(poses, SinCosStep{args});
  backend.launch(poses, TransformStep{args});
  backend.launch(pairs, JacobianStep{args});
  backend.launch(pairs, PointHessianStep{args});
  backend.launch(pairs, TransformPointsStep{args});
  backend.launch(pairs, NeighbourStep{args});
  backend.launch(pairs, ScoreGradientHessianStep{args});
  backend.sum_segments(args.a.terms, poses * kTerms, args.a.points, args.a.sums);
  if constexpr (std::is_same_v<Steps, TrustRegion>)
    backend.launch(poses, JudgeStep{args});
  else
    backend.launch(poses, ArriveStep{args});
}

/// Begins every loop; in a trust region on the coarsest level whose surfaces fix the pose.
template <class Steps, class Backend>
void begin_poses(Backend& backend, const StepArguments& args) {
  const int poses = args.a.poses, count = surface_points(args.a.points, kFewSurfacePoints);
  backend.launch(poses, BeginStep<Steps>{args});
  const bool chooses = std::is_same_v<Steps, TrustRegion> && args.options.max_iterations > 0;
  for (int level = 0; chooses && level < args.options.region.last; ++level) {
    backend.launch(poses * count, FirstSurfaceStep{args, level});
    backend.sum_segments(args.a.terms, poses * SurfaceInformation::kEntries, count, args.a.sums);
    backend.launch(poses, FirstLevelStep{args, level});
  }
}

/// Steps 9 and 10.
template <class Backend>
void choose_directions(Backend& backend, const StepArguments& args) {
  backend.launch(args.a.listed, NewtonSystemStep{args});
  backend.solve(args.a.matrices, args.a.vectors, args.a.factorised, args.a.listed);
  backend.launch(args.a.listed, NewtonFixUpStep{args});
  backend.launch(args.a.listed, DirectionStep{args});
}

/// Steps 11 to 13. A sequential search runs the rounds of all trials it may need. Those after the last needed
/// do nothing, because asking the device whether to go on would cost a transfer.
template <class Backend>
void search_steps(Backend& backend, const StepArguments& args) {
  const int trials = args.a.listed * args.a.trials;
  const int rounds = args.options.line_search == LineSearch::more_thuente ? StepSearch::kMaxTrials : 1;
  for (int round = 0; round < rounds; ++round) {
    backend.launch(trials, TrialsStep{args});
    if (args.options.line_search != LineSearch::off) {
      backend.launch(trials * args.a.points, BatchTransformStep{args});
      backend.launch(trials * args.a.points, BatchScoreStep{args});
      backend.sum_segments(args.a.trial_terms, trials * kTrialTerms, args.a.points, args.a.trial_sums);
    }
    backend.launch(args.a.listed, SelectStep{args});
  }
}

/// Sums the matched surfaces' information and what pushes cost, and writes the outcomes.
template <class Backend>
void conclude(Backend& backend, const StepArguments& args) {
  const bool surfaces = args.options.max_iterations > 0;  // a mere evaluation has no ending to judge
  if (surfaces) {
    const int count = surface_points(args.a.points);
    backend.launch(args.a.poses * count, SurfaceStep{args});
    backend.sum_segments(args.a.terms, args.a.poses * SurfaceInformation::kEntries, count, args.a.sums);
  }
  backend.launch(args.a.poses, OutcomeStep{args, surfaces});
  if (!surfaces) return;
  const int count = pushed_points(args.a.points);
  backend.launch(args.a.poses * count, PushStep{args});
  backend.sum_segments(args.a.terms, args.a.poses * PushSums<float>::kReals, count, args.a.sums);
  backend.launch(args.a.poses, PushCostStep{args});
}

/// Step 15, second half: poses that have ended leave the list. The host reads only these 4 bytes in an
/// iteration, the number of poses that the next launches cover.
template <class Backend>
void keep_running(Backend& backend, StepArguments& args) {
  backend.select(args.a.listed, GoesOn{args}, args.a.list, args.a.running);
  args.a.listed = static_cast<int>(backend.read_flag(args.a.running));
}

/// Aligns all poses. Asks `watch() -> LoopStatus` once per evaluation whether to end early. The
/// host waits for the device once per iteration, for the flag. It asks for none after the guesses, so the
/// first round covers the poses that ended there too.
template <class Steps, class Backend, class Watch>
void align_poses(Backend& backend, StepArguments args, const Watch& watch) {
  constexpr bool kRegion = std::is_same_v<Steps, TrustRegion>;
  begin_poses<Steps>(backend, args);
  evaluate_poses<Steps>(backend, args);
  LoopStatus status = watch();
  bool running = args.options.max_iterations > 0;
  while (running && status == LoopStatus::running) {
    if constexpr (!kRegion) {
      choose_directions(backend, args);
      search_steps(backend, args);
      backend.launch(args.a.listed, UpdatePoseStep{args});
    }
    evaluate_poses<Steps>(backend, args);
    keep_running(backend, args);
    running = args.a.listed > 0;
    if (running) status = watch();
  }
  if (status != LoopStatus::running) {
    backend.launch(args.a.listed, InterruptStep<Steps>{args, status});
    if (kRegion) evaluate_poses<Steps>(backend, args);
  }
  conclude(backend, args);
}

}  // namespace ndt::gpu_multikernel
