// The schedule of the staged implementations: the fifteen steps in their order. A backend launches a body for
// n workers, sums segments and solves 6x6 systems, on the host or on a device. Nothing here knows which.
#pragma once

#include "line_search_steps.hpp"
#include "newton_steps.hpp"

namespace ndt::gpu_multikernel {

/// Steps 1 to 8 and the first half of 15: every pose's score and derivatives, and whether its loop ends
/// there.
template <class Backend>
void evaluate_poses(Backend& backend, const Frame& f) {
  const int poses = f.a.poses, pairs = f.a.poses * f.a.points;
  backend.launch(poses, SinCosStep{f});
  backend.launch(poses, TransformStep{f});
  backend.launch(pairs, JacobianStep{f});
  backend.launch(pairs, PointHessianStep{f});
  backend.launch(pairs, TransformPointsStep{f});
  backend.launch(pairs, NeighbourStep{f});
  backend.launch(pairs, ScoreGradientHessianStep{f});
  backend.sum_segments(f.a.terms, poses * kTerms, f.a.points, f.a.sums);
  backend.launch(poses, ArriveStep{f});
}

/// Steps 9 and 10.
template <class Backend>
void choose_directions(Backend& backend, const Frame& f) {
  backend.launch(f.a.poses, NewtonSystemStep{f});
  backend.solve(f.a.matrices, f.a.vectors, f.a.factorised, f.a.poses);
  backend.launch(f.a.poses, NewtonFixUpStep{f});
  backend.launch(f.a.poses, DirectionStep{f});
}

/// Steps 11 to 13. A sequential search runs the rounds of all trials it may need. Those after the last needed
/// do nothing, because asking the device whether to go on would cost a transfer.
template <class Backend>
void search_steps(Backend& backend, const Frame& f) {
  const int trials = f.a.poses * f.a.trials;
  const int rounds = f.options.line_search == LineSearch::more_thuente ? StepSearch::kMaxTrials : 1;
  for (int round = 0; round < rounds; ++round) {
    backend.launch(trials, CandidatesStep{f});
    if (f.options.line_search != LineSearch::off) {
      backend.launch(trials * f.a.points, BatchTransformStep{f});
      backend.launch(trials * f.a.points, BatchScoreStep{f});
      backend.sum_segments(f.a.trial_terms, trials * kTrialTerms, f.a.points, f.a.trial_sums);
    }
    backend.launch(f.a.poses, SelectStep{f});
  }
}

/// Sums the matched surfaces' information and writes the outcomes.
template <class Backend>
void conclude(Backend& backend, const Frame& f) {
  const bool surfaces = f.options.max_iterations > 0;  // a mere evaluation has no ending to judge
  if (surfaces) {
    const int count = surface_points(f.a.points);
    backend.launch(f.a.poses * count, SurfaceStep{f});
    backend.sum_segments(f.a.terms, f.a.poses * SurfaceInformation::kEntries, count, f.a.sums);
  }
  backend.launch(f.a.poses, OutcomeStep{f, surfaces});
}

/// Aligns all poses of the frame. Asks `watch() -> LoopStatus` once per evaluation whether to end early. The
/// host waits for the device once per iteration, for the 4 bytes of the flag.
template <class Backend, class Watch>
void align_poses(Backend& backend, const Frame& f, const Watch& watch) {
  backend.launch(f.a.poses, BeginStep{f});
  evaluate_poses(backend, f);
  LoopStatus status = watch();
  bool running = f.options.max_iterations > 0;
  while (running && status == LoopStatus::running) {
    choose_directions(backend, f);
    search_steps(backend, f);
    backend.launch(f.a.poses, UpdatePoseStep{f});
    evaluate_poses(backend, f);
    backend.launch(1, FlagStep{f});
    running = backend.read_flag(f.a.running) != 0;
    if (running) status = watch();
  }
  if (status != LoopStatus::running) backend.launch(f.a.poses, InterruptStep{f, status});
  conclude(backend, f);
}

}  // namespace ndt::gpu_multikernel
