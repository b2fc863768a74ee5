// The Newton loop's state machine, fed with made-up sums: every way it can end, and the step rule.
#include "ndt/solve/newton_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ndt/edge/loop_aligner.hpp"

namespace ndt {
namespace {

/// Sums of a score that is a paraboloid in x, y, z with its top at `top`, as seen from the state's pose.
DerivativeSums<double> paraboloid(const LoopState& state, const Vec3<double>& top, double curvature = 100) {
  DerivativeSums<double> sums;
  const Vec3<double> away = top - Vec3<double>{state.trial.x, state.trial.y, state.trial.z};
  sums.score = 1000 - 0.5 * curvature * dot(away, away);
  sums.v = curvature * away;
  sums.m = {-curvature, 0, 0, -curvature, 0, -curvature};
  sums.ymy = {-curvature, 0, 0, -curvature, 0, -curvature};
  sums.pairs = 10, sums.points = 10;
  return sums;
}

LoopState run(const Vec3<double>& top, const LoopOptions& options) {
  LoopState state = begin_loop(Transform{});
  while (state.status == LoopStatus::running) advance(SoloCrew{}, paraboloid(state, top), options, state);
  return state;
}

/// The outcome on surfaces that fix y `condition` times less than everything else.
LoopOutcome on_surfaces(const LoopState& state, double condition) {
  SurfaceInformation information;
  for (const int diagonal : {0, 11, 15, 18, 20}) information.entries[diagonal] = 1;
  information.entries[6] = 1 / condition;
  LoopOutcome outcome = outcome_of(state);
  set_surfaces(information, outcome);
  outcome.push_sigmas = static_cast<float>(kLeastPushSigmas);
  return outcome;
}
LoopOutcome fixed_by_surfaces(const LoopState& state) { return on_surfaces(state, 1); }

TEST(NewtonLoop, TakesFullStepsOfTheLimitAndEndsAfterAShortOne) {
  const LoopState state = run({0.35, 0, 0}, {});
  EXPECT_EQ(state.status, LoopStatus::step_below_epsilon);
  EXPECT_NEAR(state.here.pose.x, 0.35, 0.005 + 1e-12) << "the last step is at least epsilon / 2 long";
  // 0.1 + 0.1 + 0.1 + 0.05, and one short step unless the last one landed exactly.
  EXPECT_GE(state.iterations, 4);
  EXPECT_LE(state.iterations, 5);
  EXPECT_EQ(state.evaluations, state.iterations + 1);
}

TEST(NewtonLoop, NeverStepsLessThanHalfEpsilon) {
  const LoopState state = run({0.001, 0, 0}, {});
  EXPECT_EQ(state.iterations, 1);
  EXPECT_NEAR(state.here.pose.x, 0.005, 1e-12);
}

TEST(NewtonLoop, EndsWhereItStandsWhenTheGradientIsZero) {
  const LoopState state = run({0, 0, 0}, {});
  EXPECT_EQ(state.status, LoopStatus::step_below_epsilon);
  EXPECT_EQ(state.iterations, 0);
}

TEST(NewtonLoop, StopsAtTheIterationLimit) {
  LoopOptions options;
  options.max_iterations = 3;
  const LoopState state = run({10, 0, 0}, options);
  EXPECT_EQ(state.status, LoopStatus::max_iterations);
  EXPECT_EQ(state.iterations, 3);
  EXPECT_NEAR(state.here.pose.x, 0.3, 1e-12);
}

TEST(NewtonLoop, EvaluatesOnceWithNoIterationsAllowed) {
  LoopOptions options;
  options.max_iterations = 0;
  const LoopState state = run({1, 0, 0}, options);
  EXPECT_EQ(state.evaluations, 1);
  EXPECT_EQ(state.iterations, 0);
  EXPECT_EQ(state.here.pose.x, 0);
}

TEST(NewtonLoop, ClimbsWhereTheHessianIsIndefinite) {
  LoopState state = begin_loop(Transform{});
  DerivativeSums<double> sums = paraboloid(state, {0.5, 0, 0});
  sums.m.xx = 100;  // convex along x: the raw Newton step would go downhill
  advance(SoloCrew{}, sums, {}, state);
  EXPECT_EQ(state.fallbacks, 1);
  EXPECT_GT(state.trial.x, 0) << "the step must not go against the gradient";
}

TEST(NewtonLoop, ReportsNoOverlapWithoutPairs) {
  LoopState state = begin_loop(Transform{});
  advance(SoloCrew{}, {}, {}, state);
  EXPECT_EQ(state.status, LoopStatus::no_overlap);
}

TEST(NewtonLoop, ReportsNonFiniteSums) {
  LoopState state = begin_loop(Transform{});
  DerivativeSums<double> sums = paraboloid(state, {0.5, 0, 0});
  sums.ymy.xy = std::numeric_limits<double>::quiet_NaN();
  advance(SoloCrew{}, sums, {}, state);
  EXPECT_EQ(state.status, LoopStatus::non_finite);
}

TEST(NewtonLoop, OverlapLostOnTheWayReturnsTheGuessAndItsScore) {
  const Transform guess = to_transform({1, 2, 3, 0, 0, 0.1});
  LoopState state = begin_loop(guess);
  advance(SoloCrew{}, paraboloid(state, {5, 2, 3}), {}, state);
  ASSERT_EQ(state.status, LoopStatus::running);
  const double score_at_guess = state.guess.at.score;
  advance(SoloCrew{}, {}, {}, state);
  const AlignResult result = to_result(fixed_by_surfaces(state), guess, {}, {10, 0, 10.0}, {});
  EXPECT_EQ(result.stop, Stop::no_overlap);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(result.map_from_scan.m[i], guess.m[i]) << "entry " << i;
  EXPECT_EQ(result.score, score_at_guess);
}

TEST(NewtonLoop, IsConvergedOnlyWithAWellPosedHessian) {
  LoopState state = run({0.05, 0, 0}, {});
  const ScanFacts facts{10, 0, 1.0};
  EXPECT_EQ(to_result(fixed_by_surfaces(state), Transform{}, {}, facts, {}).stop, Stop::converged);
  state.here.at.hessian(1, 1) = -1e-6;  // sideways all but free: a corridor
  const AlignResult corridor = to_result(fixed_by_surfaces(state), Transform{}, {}, facts, {});
  EXPECT_EQ(corridor.stop, Stop::degenerate);
  EXPECT_NEAR(std::fabs(corridor.conditioning.weak_direction[1]), 1, 1e-6);
  state.here.at.hessian(1, 1) = 5;  // a saddle
  EXPECT_EQ(to_result(fixed_by_surfaces(state), Transform{}, {}, facts, {}).stop, Stop::degenerate);
}

TEST(NewtonLoop, IsConvergedOnlyOnSurfacesThatFixThePose) {
  const LoopState state = run({0.05, 0, 0}, {});
  const ScanFacts facts{10, 0, 1.0};
  const double limit = kMaxSurfaceConditionNumber;
  for (const double bad : {std::numeric_limits<double>::infinity(), 1.001 * limit}) {
    const AlignResult result = to_result(on_surfaces(state, bad), Transform{}, {}, facts, {});
    EXPECT_EQ(result.stop, Stop::degenerate) << bad;
    EXPECT_NEAR(limit / result.conditioning.surface_condition_number, limit / bad, 1e-6);
    EXPECT_EQ(std::fabs(result.conditioning.weak_direction[1]), 1) << bad;
  }
  EXPECT_EQ(to_result(on_surfaces(state, 0.999 * limit), Transform{}, {}, facts, {}).stop, Stop::converged);
}

TEST(NewtonLoop, IsConvergedOnlyIfPushesCostEnough) {
  LoopOutcome outcome = fixed_by_surfaces(run({0.05, 0, 0}, {}));
  outcome.push_sigmas = static_cast<float>(0.999 * kLeastPushSigmas);
  EXPECT_EQ(to_result(outcome, Transform{}, {}, {10, 0, 1.0}, {}).stop, Stop::degenerate);
}

TEST(NewtonLoop, TheSurfacesCountOnlyWhereTheyDecideTheLabel) {
  LoopState state = run({0.05, 0, 0}, {});
  const auto number = [&] {
    return to_result(fixed_by_surfaces(state), Transform{}, {}, {10, 0, 1.0}, {})
        .conditioning.surface_condition_number;
  };
  EXPECT_NEAR(number(), 1, 1e-6);
  for (const LoopStatus end : {LoopStatus::no_overlap, LoopStatus::non_finite, LoopStatus::degenerate}) {
    state.status = end;
    EXPECT_EQ(number(), 0) << static_cast<int>(end);
  }
}

TEST(NewtonLoop, IsDegenerateAtTheIterationLimitOnSurfacesThatLeaveADirectionFree) {
  LoopOptions one_step;
  one_step.max_iterations = 1;
  const LoopState state = run({0.5, 0, 0}, one_step);
  ASSERT_EQ(state.status, LoopStatus::max_iterations);
  const LoopOutcome free = on_surfaces(state, 1.001 * kMaxSurfaceConditionNumber);
  EXPECT_EQ(to_result(free, Transform{}, {}, {10, 0, 1.0}, {}).stop, Stop::degenerate);
  EXPECT_EQ(to_result(fixed_by_surfaces(state), Transform{}, {}, {10, 0, 1.0}, {}).stop,
            Stop::max_iterations);
}

TEST(NewtonLoop, DampedStepsClimbAndGiveUpHonestly) {
  LoopOptions damped;
  damped.newton_step = NewtonStep::damped;
  LoopState state = begin_loop(Transform{});
  DerivativeSums<double> sums = paraboloid(state, {0.5, 0, 0});
  sums.m.xx = 100;
  advance(SoloCrew{}, sums, damped, state);
  EXPECT_EQ(state.fallbacks, 1);
  EXPECT_GT(state.trial.x, 0);
  // A zero Hessian cannot be damped: the damping is a share of its largest entry.
  LoopState flat = begin_loop(Transform{});
  DerivativeSums<double> nothing = paraboloid(flat, {0.5, 0, 0});
  nothing.m = {}, nothing.ymy = {};
  advance(SoloCrew{}, nothing, damped, flat);
  EXPECT_EQ(flat.status, LoopStatus::degenerate);
}

TEST(NewtonLoop, LineSearchesReachTheTopWithStepsThatNeverLowerTheScore) {
  for (const LineSearch kind : {LineSearch::more_thuente, LineSearch::batched}) {
    LoopOptions options;
    options.line_search = kind;
    LoopState state = begin_loop(Transform{});
    double accepted_score = -1e300;
    while (state.status == LoopStatus::running) {
      advance(SoloCrew{}, paraboloid(state, {0.35, 0, 0}), options, state);
      if (!state.accepted) continue;
      EXPECT_GE(state.here.at.score, accepted_score) << to_string(kind);
      accepted_score = state.here.at.score;
    }
    EXPECT_EQ(state.status, LoopStatus::step_below_epsilon) << to_string(kind);
    EXPECT_NEAR(state.here.pose.x, 0.35, 0.006) << to_string(kind);
  }
}

TEST(NewtonLoop, ALineSearchThatFindsNoDecreaseKeepsThePose) {
  for (const LineSearch kind : {LineSearch::more_thuente, LineSearch::batched}) {
    LoopOptions options;
    options.line_search = kind;
    LoopState state = begin_loop(Transform{});
    const DerivativeSums<double> start = paraboloid(state, {0.5, 0, 0});
    advance(SoloCrew{}, start, options, state);
    int evaluations = 0;
    while (state.status == LoopStatus::running && ++evaluations < 100) {
      DerivativeSums<double> worse = paraboloid(state, {0.5, 0, 0});
      worse.score = start.score - 100;  // a score that contradicts its gradient
      advance(SoloCrew{}, worse, options, state);
    }
    EXPECT_EQ(state.status, LoopStatus::line_search_failed) << to_string(kind);
    EXPECT_EQ(state.here.pose.x, 0) << to_string(kind);
    EXPECT_EQ(state.iterations, 0) << to_string(kind);
    EXPECT_LE(evaluations, StepSearch::kMaxTrials) << to_string(kind);
  }
}

TEST(NewtonLoop, AddsTheMapOriginInDouble) {
  const Vec3<double> origin{5e6, -3e6, 0};
  const Transform guess = make_transform(rotation_of(Pose{}), origin + Vec3<double>{0.25, 0.125, 0});
  LoopState state = begin_loop(to_local(guess, origin));
  EXPECT_EQ(state.trial.x, 0.25);
  while (state.status == LoopStatus::running)
    advance(SoloCrew{}, paraboloid(state, {0.3, 0.125, 0}), {}, state);
  const AlignResult result = to_result(fixed_by_surfaces(state), guess, origin, {10, 0, 1.0}, {});
  EXPECT_NEAR(result.map_from_scan(0, 3) - origin.x, 0.3, 0.006);
  EXPECT_NEAR(result.map_from_scan(1, 3) - origin.y, 0.125, 1e-6);
}

}  // namespace
}  // namespace ndt
