// Steps 11 to 13: which steps are tried, what the score is there, and which is taken.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "compare.hpp"
#include "staged_frame.hpp"

namespace ndt::gpu_multikernel {
namespace {

constexpr int kSearchPoints = 1000;

template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

class LineSearchSteps : public StagedSteps {
 protected:
  static LoopOptions searching(LineSearch kind, StepRatios set = StepRatios::fixed8) {
    LoopOptions options;
    options.line_search = kind;
    options.step_ratios = set;
    return options;
  }
  /// Step 10 for a Newton step of that length along x, from a score with that slope along x.
  void head_along_x(StagedFrame& frame, int k, double newton_length, double score, double slope) {
    PoseState& state = frame.state(k);
    state.loop.here.at.score = score;
    state.loop.here.at.gradient = {};
    state.loop.here.at.gradient[0] = slope;
    state.newton = {};
    state.newton.delta[0] = newton_length;
  }
  /// Steps 1 to 11 from guesses near the true pose.
  void search_in_courtyard(StagedFrame& frame) {
    run(frame, {Step::begin, Step::sin_cos, Step::transform});
    evaluate(frame);
    run(frame, {Step::arrive, Step::newton_system, Step::solve, Step::newton_fix_up, Step::direction,
                Step::trials, Step::batch_transform, Step::batch_score, Step::sum_trials});
  }
  /// A frame whose poses are the trial poses, moved and evaluated as poses are.
  StagedFrame evaluated_one_by_one(const StagedFrame& searched) {
    const StagedArrays& a = searched.args.a;
    StagedFrame frame(std::vector<Pose>(static_cast<std::size_t>(a.poses * a.trials)), a.points, {},
                      searched.args.levels[0].view);
    run(frame, {Step::begin});
    for (int k = 0; k < frame.args.a.poses; ++k) frame.state(k).loop.trial = a.trial[k].pose;
    move_to_poses(frame);
    evaluate(frame);
    return frame;
  }
};

TEST_F(LineSearchSteps, TryEightStepsOfEitherSetWithinTheirBounds) {
  const double fixed8[] = {1, 0.75, 0.618, 0.5, 0.382, 0.25, 0.125, 0.0625};
  for (const StepRatios set : all_values<StepRatios>()) {
    StagedFrame frame(std::vector<Pose>(4), 1, searching(LineSearch::batched, set));
    const double low = frame.args.options.epsilon_m / 2, high = frame.args.options.step_m;
    const double lengths[] = {0.09, 0.03, 5, 0.001};
    run(frame, {Step::begin});
    for (int k = 0; k < 4; ++k) head_along_x(frame, k, lengths[k], 100, 30);
    run(frame, {Step::direction, Step::trials});
    ASSERT_EQ(frame.args.a.trials, 8);
    int clamped = 0;
    for (int k = 0; k < 4; ++k)
      for (int c = 0; c < 8; ++c) {
        const double first = std::clamp(lengths[k], low, high);
        const double ratio = set == StepRatios::fixed8 ? fixed8[c] : std::pow(0.618, c);
        const Trial& trial = frame.args.a.trial[8 * k + c];
        EXPECT_NEAR(trial.alpha, std::clamp(first * ratio, low, high), 1e-15)
            << to_string(set) << ' ' << k << ' ' << c;
        EXPECT_NEAR(trial.pose.x, trial.alpha, 1e-15);
        EXPECT_EQ(trial.pose.y, 0);
        clamped += trial.alpha == low ? 1 : 0;
      }
    EXPECT_GT(clamped, 8) << "the shortest Newton step is all at the lower bound, and others reach it";
  }
}

TEST_F(LineSearchSteps, TrialMotionsAndPointsAreThoseOfPosesOneByOne) {
  StagedFrame frame(test_clouds::offsets(3, 0.4, 0.1), 200, searching(LineSearch::batched),
                    courtyard().view());
  search_in_courtyard(frame);
  const StagedFrame alone = evaluated_one_by_one(frame);
  const StagedArrays &a = frame.args.a, &b = alone.args.a;
  for (int t = 0; t < a.poses * a.trials; ++t) {
    ASSERT_GT(a.trial[t].alpha, 0);
    const Motion &batch = a.trial[t].motion, &single = b.states[t].loop.at.motion;
    EXPECT_TRUE(same(batch.rotation, single.rotation)) << t;
    EXPECT_TRUE(same(batch.translation, single.translation)) << t;
    EXPECT_EQ(
        std::memcmp(a.trial_points + a.at(t, 3, 0, 0), b.moved + b.at(t, 3, 0, 0), 3 * 200 * sizeof(float)),
        0)
        << t;
  }
}

TEST_F(LineSearchSteps, TrialScoresAndSlopesAreThoseOfTheFullEvaluation) {
  StagedFrame frame(test_clouds::offsets(4, 0.4, 0.1), kSearchPoints, searching(LineSearch::batched),
                    courtyard().view());
  search_in_courtyard(frame);
  const StagedFrame alone = evaluated_one_by_one(frame);
  compare::Worst score, slope;
  for (int t = 0; t < frame.args.a.poses * frame.args.a.trials; ++t) {
    const double *trial = frame.args.a.trial_sums + t * kTrialTerms, *full = alone.args.a.sums + t * kTerms;
    const Vec6& d = frame.state(t / frame.args.a.trials).loop.direction;
    EXPECT_EQ(trial[kTrialPairs], full[kPairs]) << t;
    EXPECT_GT(full[kPairs], 500) << t;
    double expected = 0, absolute = 0;
    for (int j = 0; j < 6; ++j) {
      expected += full[kGradient + j] * d[j];
      for (int i = 0; i < kSearchPoints; ++i)
        absolute += std::fabs(
            static_cast<double>(alone.component(alone.args.a.terms, t, kTerms, kGradient + j, i)) * d[j]);
    }
    score.see(compare::relative(trial[kTrialScore], full[kScore]), std::to_string(t));
    slope.see(std::fabs(trial[kTrialSlope] - expected) / absolute, std::to_string(t));
  }
  score.print("trial score, relative");
  slope.print("slope, of absolute sum");
  // A point's score is a float32; fused otherwise, its last bits differ.
  EXPECT_LT(score.value, machine->contracts() ? 5e-7 : 1e-9);
  EXPECT_LT(slope.value, 1e-5);
}

/// φ(α) of a line search along x.
struct Phi {
  double a, c;
  bool contradicts = false;  ///< rises although its slope at 0 says otherwise
  double value(double alpha) const {
    return -100 + (contradicts ? alpha : c * (alpha - a) * (alpha - a) - c * a * a);
  }
  double slope(double alpha) const { return contradicts ? 1 : 2 * c * (alpha - a); }
  double slope_at_0() const { return -2 * c * a; }
};

class SelectSteps : public LineSearchSteps {
 protected:
  /// Steps 10 to 13 on φ, as the schedule repeats them.
  StagedFrame searched(const Phi& phi, double newton_length, const LoopOptions& options) {
    StagedFrame frame(std::vector<Pose>(1), 1, options);
    run(frame, {Step::begin});
    head_along_x(frame, 0, newton_length, -phi.value(0), -phi.slope_at_0());
    run(frame, {Step::direction});
    EXPECT_TRUE(frame.state(0).searching);
    const int rounds = options.line_search == LineSearch::more_thuente ? StepSearch::kMaxTrials : 1;
    for (int round = 0; round < rounds; ++round) {
      run(frame, {Step::trials});
      for (int c = 0; c < frame.args.a.trials; ++c) {
        double* sums = frame.args.a.trial_sums + c * kTrialTerms;
        const double alpha = frame.args.a.trial[c].alpha;
        sums[kTrialScore] = -phi.value(alpha), sums[kTrialSlope] = -phi.slope(alpha), sums[kTrialPairs] = 10;
      }
      run(frame, {Step::select});
    }
    EXPECT_FALSE(frame.state(0).searching);
    return frame;
  }
};

const LineSearch kSearches[] = {LineSearch::more_thuente, LineSearch::batched};

TEST_F(SelectSteps, WhatIsTakenOfAQuadraticSatisfiesTheStrongWolfeConditions) {
  for (const LineSearch kind : kSearches)
    for (const StepRatios set : all_values<StepRatios>())
      for (const double a : {0.012, 0.03, 0.06, 0.2})
        for (const double newton_length : {0.5 * a, a, 2 * a, 5 * a, 50 * a}) {
          const Phi phi{a, 400};
          const LoopOptions options = searching(kind, set);
          StagedFrame frame = searched(phi, newton_length, options);
          const double alpha = frame.state(0).alpha, slope = phi.slope(alpha);
          const std::string what = std::string(to_string(kind)) + ", top at " + std::to_string(a) +
                                   ", took " + std::to_string(alpha);
          EXPECT_EQ(frame.state(0).loop.status, LoopStatus::running) << what;
          EXPECT_LE(phi.value(alpha), phi.value(0) + 1e-4 * alpha * phi.slope_at_0()) << what;
          EXPECT_TRUE(std::fabs(slope) <= 0.9 * std::fabs(phi.slope_at_0()) ||
                      (alpha >= options.step_m && slope < 0))
              << what;
        }
}

TEST_F(SelectSteps, OfStepsThatAllStayTooSteepTheOneWithTheHighestScoreIsTaken) {
  const Phi far{10, 400};  // within a tenth of the way its slope keeps nine tenths
  for (const StepRatios set : all_values<StepRatios>()) {
    StagedFrame frame = searched(far, 0.05, searching(LineSearch::batched, set));
    EXPECT_EQ(frame.state(0).loop.status, LoopStatus::running);
    EXPECT_EQ(frame.state(0).alpha, frame.args.a.trial[0].alpha)
        << to_string(set) << ": the first is the longest";
    EXPECT_GT(frame.state(0).alpha, frame.args.a.trial[7].alpha);
  }
}

TEST_F(SelectSteps, CountAnEvaluationForEveryTrial) {
  EXPECT_EQ(searched({0.06, 400}, 0.1, searching(LineSearch::batched)).state(0).loop.evaluations, 8);
  EXPECT_EQ(searched({0.06, 400}, 0.06, searching(LineSearch::more_thuente)).state(0).loop.evaluations, 1);
}

TEST_F(SelectSteps, AScoreThatNoStepRaisesEndsTheLoop) {
  for (const LineSearch kind : kSearches) {
    const LoopOptions options = searching(kind);
    const Phi phi{0.05, 400, true};
    StagedFrame longer = searched(phi, 2 * options.epsilon_m, options),
                shorter = searched(phi, 0.5 * options.epsilon_m, options);
    EXPECT_EQ(longer.state(0).loop.status, LoopStatus::line_search_failed) << to_string(kind);
    EXPECT_EQ(shorter.state(0).loop.status, LoopStatus::step_below_epsilon) << to_string(kind);
    run(longer, {Step::update_pose, Step::flag});
    EXPECT_EQ(longer.state(0).loop.trial.x, 0) << "no step, no move";
    EXPECT_EQ(*longer.args.a.running, 0U);
  }
}

TEST_F(SelectSteps, WithoutASearchTheNewtonStepIsTakenUpToItsLimit) {
  for (const double newton_length : {0.001, 0.04, 3.0}) {
    const LoopOptions options;
    StagedFrame frame(std::vector<Pose>(1), 1, options);
    run(frame, {Step::begin});
    head_along_x(frame, 0, newton_length, 100, 20);
    run(frame, {Step::direction, Step::trials, Step::select, Step::update_pose});
    EXPECT_EQ(frame.state(0).alpha, std::clamp(newton_length, options.epsilon_m / 2, options.step_m));
    EXPECT_EQ(frame.state(0).loop.trial.x, frame.state(0).alpha);
    EXPECT_EQ(frame.state(0).loop.evaluations, 0);
  }
}

}  // namespace
}  // namespace ndt::gpu_multikernel
