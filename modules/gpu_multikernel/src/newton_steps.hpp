// Steps 9, 10, 14 and 15, the beginning of a loop and its outcome. Each has one worker per pose unless noted.
// The decisions are those of solve/newton_loop.hpp.
#pragma once

#include "derivative_steps.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/trust_region.hpp"

namespace ndt::gpu_multikernel {

/// Before step 1: lists every pose, with its state at the guess. Steps: ClampedSteps or TrustRegion.
template <class Steps>
struct BeginStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    args.a.list[k] = k;
    PoseState& state = args.a.states[k];
    state.loop = {};
    Steps::begin(loop_start(args.a.guesses[k]), args.options, state.loop);
    state.alpha = 0;
    state.searching = false;
  }
};

/// The sums of step 8 as derivatives.
NDT_HD inline Derivatives derivatives_of_terms(const double* sums) {
  Derivatives out;
  out.score = sums[kScore];
  out.nearest = sums[kNearest];
  out.pairs = static_cast<std::int64_t>(sums[kPairs]);
  out.points = static_cast<std::int64_t>(sums[kMatched]);
  for (int i = 0; i < 6; ++i) out.gradient[i] = sums[kGradient + i];
  int entry = kHessian;
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) out.hessian(i, j) = out.hessian(j, i) = sums[entry++];
  return out;
}

/// Writes the state's line of the pose's trace, if there is one.
NDT_HD inline void write_trace(const StepArguments& args, int k) {
  const LoopState& loop = args.state(k).loop;
  if (args.a.trace != nullptr)
    args.a.trace[static_cast<std::size_t>(args.in_batch(k)) *
                     static_cast<std::size_t>(args.options.max_iterations + 1) +
                 static_cast<std::size_t>(loop.iterations)] = trace_line(loop);
}

/// Step 15, first half: makes the evaluated pose the current one, and ends the loop there if the step that
/// led to it was short or nothing is left to do. It runs after the evaluation, so a result's score and
/// Hessian belong to its pose.
struct ArriveStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.state(k);
    LoopState& loop = state.loop;
    if (loop.status != LoopStatus::running) return;
    EvaluatedPose next{loop.trial, derivatives_of_terms(args.a.sums + k * kTerms)};
    add_regularisation(args.options.regularisation, next.pose, next.at);
    ++loop.evaluations;
    if (!is_finite(next.at)) {
      loop.status = LoopStatus::non_finite;
      return;
    }
    const bool first = loop.evaluations == 1;
    if (first) loop.guess.at = next.at;
    make_current(next, state.alpha, first, loop);
    loop.status = why_stop(next.at, loop.iterations, state.alpha, args.options);
    write_trace(args, k);
  }
};

/// Step 15, second half: which of the listed poses stay in the list, because their loops go on.
struct GoesOn {
  StepArguments args;
  NDT_BODY bool operator()(int k) const { return args.running(k); }
};

/// Step 9, before the solver: writes -H and g in the solver's layout, and the identity for a pose that has
/// ended.
struct NewtonSystemStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    const Derivatives& at = args.state(k).loop.here.at;
    const bool running = args.running(k);
    for (int i = 0; i < 36; ++i)
      args.a.matrices[36 * k + i] = running ? -at.hessian.m[i] : (i % 7 == 0 ? 1.0 : 0.0);
    for (int i = 0; i < 6; ++i) args.a.vectors[6 * k + i] = running ? at.gradient[i] : 0.0;
  }
};

/// Step 9 without cuSOLVER: factorises every matrix as LDLᵀ, and replaces the vector by the solution. The
/// matrix is symmetric, so its order does not matter. factorised[k] is 0, or 1 if the matrix is not positive
/// definite and the vector is void.
struct FactoriseStep {
  double *matrices, *vectors;
  int* factorised;
  NDT_BODY void operator()(int k) const {
    Mat6 negated;
    Vec6 right, solution;
    for (int i = 0; i < 36; ++i) negated.m[i] = -matrices[36 * k + i];
    for (int i = 0; i < 6; ++i) right[i] = vectors[6 * k + i];
    factorised[k] = solve_positive_definite(negated, right, solution) ? 0 : 1;
    for (int i = 0; i < 6; ++i) vectors[6 * k + i] = solution[i];
  }
};

/// Step 9, after the solver: if -H was not positive definite, the solver's answer is void and the shared
/// Newton step replaces it.
struct NewtonFixUpStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.state(k);
    if (!args.running(k)) return;
    const Derivatives& at = state.loop.here.at;
    state.newton = {};
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += state.newton.delta[i] = args.a.vectors[6 * k + i];
    if (args.a.factorised[k] != 0 || !std::isfinite(sum))  // cuSOLVER takes a matrix of NaNs for definite
      state.newton = newton_direction(args.options.newton_step, at.hessian, at.gradient);
  }
};

/// Step 10: the unit direction uphill and φ'(0) along it.
struct DirectionStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.state(k);
    if (!args.running(k)) return;
    begin_line(state.newton, args.options, state.loop);
    state.searching = args.running(k);
  }
};

/// Step 14: the pose moves by the chosen step.
struct UpdatePoseStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.state(k);
    if (!args.running(k)) return;
    state.loop.trial = moved(state.loop.here.pose, state.loop.direction, state.alpha);
  }
};

/// After the loop: ends the loops that still run, because the caller asked for it. Those in a trust region
/// may need one more evaluation.
template <class Steps>
struct InterruptStep {
  StepArguments args;
  LoopStatus status;
  NDT_BODY void operator()(int k) const {
    if (args.running(k)) Steps::interrupt(SoloCrew{}, status, args.options, args.state(k).loop);
  }
};

/// Writes the share that surface point i of `count` has in the information of a map's surfaces about a pose
/// to the terms' array; zero if `wanted` is false.
NDT_HD inline void write_surface(const StepArguments& args, int k, int i, int count, bool wanted,
                                 const LevelMap& map, const Pose& pose) {
  SurfaceInformation share;
  if (wanted) {
    const std::int64_t point = static_cast<std::int64_t>(i) * args.a.points / count;
    add_surface(map.view, map.surfaces, SurfacePose(pose, args.options.region.per_metre), args.a.scan[point],
                true, SingleLane{}, share);
  }
  for (int j = 0; j < SurfaceInformation::kEntries; ++j)
    args.a.terms[static_cast<std::size_t>(k * SurfaceInformation::kEntries + j) *
                     static_cast<std::size_t>(count) +
                 static_cast<std::size_t>(i)] = static_cast<float>(share.entries[j]);
}

/// After the loop, one worker per pose and surface point.
struct SurfaceStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int count = surface_points(args.a.points), k = index / count, i = index % count;
    const LoopState& loop = args.a.states[k].loop;
    write_surface(args, k, i, count, surfaces_matter(loop.status), args.last_map(), loop.here.pose);
  }
};

/// Writes the outcomes, which are all that is downloaded, and prepares the pushes. surfaces: whether the
/// surfaces' sums are in the sums' array.
struct OutcomeStep {
  StepArguments args;
  bool surfaces;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.a.states[k];
    LoopOutcome out = outcome_of(state.loop);
    SurfaceInformation information;
    if (surfaces)
      for (int j = 0; j < SurfaceInformation::kEntries; ++j)
        information.entries[j] = args.a.sums[k * SurfaceInformation::kEntries + j];
    set_surfaces(information, out);
    args.a.outcomes[k] = out;
    if (!surfaces || !pushes_matter(out.status)) return;
    const RegionOptions& region = args.options.region;
    prepare_pushes(SoloCrew{}, information, SurfacePose(out.pose, region.per_metre), region.push_m,
                   state.pushes);
  }
};

/// One worker per pose and pushed point.
struct PushStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int count = pushed_points(args.a.points), k = index / count, i = index % count;
    const PoseState& state = args.a.states[k];
    PushSums<float> share;
    if (pushes_matter(state.loop.status)) {
      const std::int64_t point = static_cast<std::int64_t>(i) * args.a.points / count;
      add_pushed_point(args.last_map(), state.pushes.motions, args.a.scan[point], share);
    }
    float columns[PushSums<float>::kReals];
    to_columns(share, columns);
    for (int j = 0; j < PushSums<float>::kReals; ++j)
      args.a
          .terms[static_cast<std::size_t>(k * PushSums<float>::kReals + j) * static_cast<std::size_t>(count) +
                 static_cast<std::size_t>(i)] = columns[j];
  }
};

/// Adds what the pushes cost to the outcomes.
struct PushCostStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    LoopOutcome& out = args.a.outcomes[k];
    if (!pushes_matter(out.status)) return;
    PushSums<double> sums;
    for (int j = 0; j < PushSums<double>::kReals; ++j)
      set_column(sums, j, args.a.sums[k * PushSums<double>::kReals + j]);
    out.push_sigmas = push_sigmas(sums, args.a.points, args.options.region.score_error);
  }
};

/// Before step 1, one worker per pose and surface point: the surfaces of a level for the poses that begin on
/// it so far.
struct FirstSurfaceStep {
  StepArguments args;
  int level;
  NDT_BODY void operator()(int index) const {
    const int count = surface_points(args.a.points, kFewSurfacePoints), k = index / count, i = index % count;
    write_surface(args, k, i, count, args.level(k) == level, args.levels[level],
                  shifted(args.state(k).loop.trial, args.options.region.levels[level].shift));
  }
};

/// Lets a pose begin one level finer if the surfaces summed for this one do not fix it.
struct FirstLevelStep {
  StepArguments args;
  int level;
  NDT_BODY void operator()(int k) const {
    if (args.level(k) != level) return;
    LoopState& loop = args.state(k).loop;
    SurfaceInformation information;
    for (int j = 0; j < SurfaceInformation::kEntries; ++j)
      information.entries[j] = args.a.sums[k * SurfaceInformation::kEntries + j];
    if (!fixes_the_pose(information)) TrustRegion::begin_on(level + 1, args.options, loop);
  }
};

/// Steps 9, 10, 14 and 15: judges the evaluated pose and chooses the next.
struct JudgeStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    if (!args.running(k)) return;
    LoopState& loop = args.state(k).loop;
    Derivatives at = derivatives_of_terms(args.a.sums + k * kTerms);
    add_regularisation(args.options.regularisation, loop.trial, at);
    TrustRegion::take(SoloCrew{}, at, args.options, loop);
    TrustRegion::commit(SoloCrew{}, {}, {}, args.options, true, loop, [&] { write_trace(args, k); });
  }
};

}  // namespace ndt::gpu_multikernel
