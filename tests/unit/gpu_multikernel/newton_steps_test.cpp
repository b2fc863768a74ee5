// Steps 9, 10, 14 and 15: the 6x6 solves and what replaces them, φ'(0), the moved pose, and the stop test.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "random_poses.hpp"
#include "staged_frame.hpp"

namespace ndt::gpu_multikernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Vec6 random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Vec6 v;
  for (int i = 0; i < 6; ++i) v[i] = 100 * normal(random);
  return v;
}

/// A Hessian as near a score's maximum. Lever arms of 10 m give rotations their larger weight.
Mat6 negative_definite(std::mt19937& random) {
  std::normal_distribution<double> normal;
  double a[6][6];
  for (auto& row : a)
    for (double& x : row) x = normal(random);
  Mat6 h;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) h(i, j) -= a[k][i] * a[k][j] * (i < 3 ? 1 : 10) * (j < 3 ? 1 : 10);
      h(i, j) -= i == j ? 0.5 * (i < 3 ? 1 : 100) : 0;
    }
  return h;
}

double length(const Vec6& v) { return std::sqrt(dot(v, v)); }
double largest_of(const Mat6& m) {
  double largest = 0;
  for (const double x : m.m) largest = std::fmax(largest, std::fabs(x));
  return largest;
}

/// A shared core's answer, to the rounding that a fused multiplication may change.
void expect_close(const Vec6& got, const Vec6& expected, const std::string& what) {
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-9 * length(expected)) << what << ", entry " << i;
}

class NewtonSteps : public StagedSteps {
 protected:
  /// Steps 9 and 10 on these derivatives.
  StagedFrame solved(const std::vector<Mat6>& hessians, const std::vector<Vec6>& gradients,
                     const LoopOptions& options = {}) {
    StagedFrame frame(std::vector<Pose>(hessians.size()), 1, options);
    run(frame, {Step::begin});
    for (std::size_t k = 0; k < hessians.size(); ++k) {
      Derivatives& at = frame.state(static_cast<int>(k)).loop.here.at;
      at.hessian = hessians[k], at.gradient = gradients[k];
    }
    run(frame, {Step::newton_system, Step::solve, Step::newton_fix_up, Step::direction});
    return frame;
  }
};

TEST_F(NewtonSteps, SolveDefiniteSystemsLikeTheSharedCholesky) {
  std::mt19937 random(21);
  std::vector<Mat6> hessians;
  std::vector<Vec6> gradients;
  for (int k = 0; k < 100; ++k)
    hessians.push_back(negative_definite(random)), gradients.push_back(random_vector(random));
  StagedFrame frame = solved(hessians, gradients);
  for (int k = 0; k < 100; ++k) {
    const Mat6& h = hessians[static_cast<std::size_t>(k)];
    const Vec6& g = gradients[static_cast<std::size_t>(k)];
    const PoseState& state = frame.state(k);
    ASSERT_EQ(frame.args.a.factorised[k], 0) << k;
    EXPECT_FALSE(state.newton.fallback);
    EXPECT_EQ(state.loop.fallbacks, 0);
    const Vec6& delta = state.newton.delta;
    for (int i = 0; i < 6; ++i) {
      double residual = g[i];
      for (int j = 0; j < 6; ++j) residual += h(i, j) * delta[j];
      // Cholesky is backward stable: the residual is rounding of |H| |δ|, whatever the condition.
      EXPECT_NEAR(residual, 0, 1e-14 * 6 * largest_of(h) * length(delta)) << k;
    }
    Vec6 expected;
    ASSERT_TRUE(solve_positive_definite(h, g, expected));
    expect_close(delta, expected, "system " + std::to_string(k));
  }
}

TEST_F(NewtonSteps, FallBackToTheSharedStepWhereTheMatrixIsNotDefinite) {
  std::mt19937 random(22);
  for (const NewtonStep kind : {NewtonStep::reference, NewtonStep::damped}) {
    Mat6 indefinite = negative_definite(random);
    indefinite(0, 0) = 1e3;
    Mat6 singular = negative_definite(random);
    for (int i = 0; i < 6; ++i) singular(2, i) = singular(i, 2) = 0;
    const std::vector<Mat6> hessians{indefinite, singular, Mat6{}, negative_definite(random)};
    const std::vector<Vec6> gradients{random_vector(random), random_vector(random), random_vector(random),
                                      random_vector(random)};
    LoopOptions options;
    options.newton_step = kind;
    StagedFrame frame = solved(hessians, gradients, options);
    for (int k = 0; k < 4; ++k) {
      const std::string what = std::string(to_string(kind)) + ", system " + std::to_string(k);
      const auto at = static_cast<std::size_t>(k);
      const NewtonDirection expected = newton_direction(kind, hessians[at], gradients[at]);
      const PoseState& state = frame.state(k);
      EXPECT_EQ(frame.args.a.factorised[k] != 0, k < 3) << what;
      EXPECT_EQ(state.newton.fallback, k < 3) << what;
      EXPECT_EQ(state.newton.failed, expected.failed) << what;
      EXPECT_EQ(state.loop.fallbacks, k < 3 ? 1 : 0) << what;
      if (!expected.failed) expect_close(state.newton.delta, expected.delta, what);
      LoopState alone = frame.state(k).loop;
      alone.status = LoopStatus::running;
      begin_line(expected, options, alone);
      EXPECT_EQ(state.loop.status, alone.status) << what;
      EXPECT_EQ(state.searching, alone.status == LoopStatus::running) << what;
    }
  }
}

TEST_F(NewtonSteps, NeverTakeANanForASolution) {
  std::mt19937 random(23);
  std::vector<Mat6> hessians(3, negative_definite(random));
  hessians[0](0, 0) = kNan;
  hessians[1](4, 1) = hessians[1](1, 4) = kNan;
  hessians[2](5, 5) = kNan;
  StagedFrame frame = solved(hessians, std::vector<Vec6>(3, random_vector(random)));
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(frame.state(k).newton.failed) << k;
    EXPECT_EQ(frame.state(k).loop.fallbacks, 1) << k;
    EXPECT_EQ(frame.state(k).loop.status, LoopStatus::degenerate) << k;
  }
}

TEST_F(NewtonSteps, ThePoseThatHasEndedIsLeftAlone) {
  std::mt19937 random(24);
  StagedFrame frame(std::vector<Pose>(2), 1);
  run(frame, {Step::begin});
  for (int k = 0; k < 2; ++k)
    frame.state(k).loop.here.at.hessian = negative_definite(random),
    frame.state(k).loop.here.at.gradient = random_vector(random);
  frame.state(0).loop.status = LoopStatus::step_below_epsilon;
  run(frame, {Step::newton_system, Step::solve, Step::newton_fix_up, Step::direction});
  EXPECT_EQ(frame.args.a.factorised[0], 0);
  EXPECT_EQ(length(frame.state(0).newton.delta), 0);
  EXPECT_FALSE(frame.state(0).searching);
  EXPECT_TRUE(frame.state(1).searching);
}

TEST_F(NewtonSteps, TheDirectionIsAUnitVectorUphillAndTheSlopeMinusItsShareOfTheGradient) {
  std::mt19937 random(25);
  std::vector<Mat6> hessians;
  std::vector<Vec6> gradients;
  for (int k = 0; k < 40; ++k) {
    hessians.push_back(negative_definite(random)), gradients.push_back(random_vector(random));
    if (k % 2 == 1)
      for (double& h : hessians.back().m) h = -h;  // the minimum-norm step goes downhill and is reversed
  }
  StagedFrame frame = solved(hessians, gradients);
  for (int k = 0; k < 40; ++k) {
    const LoopState& loop = frame.state(k).loop;
    const double along = dot(gradients[static_cast<std::size_t>(k)], loop.direction);
    EXPECT_NEAR(length(loop.direction), 1, 1e-14) << k;
    EXPECT_GT(along, 0) << k;
    EXPECT_NEAR(loop.slope, -along, 1e-13 * length(gradients[static_cast<std::size_t>(k)])) << k;
    EXPECT_NEAR(loop.newton_length, length(frame.state(k).newton.delta), 1e-15 * loop.newton_length) << k;
  }
}

TEST_F(NewtonSteps, ThePoseMovesByTheStepAlongTheDirection) {
  std::mt19937 random(26);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::vector<Pose> poses = random_poses(27, 50);
  StagedFrame frame(poses, 1);
  run(frame, {Step::begin});
  for (int k = 0; k < 50; ++k) {
    frame.state(k).alpha = 0.1 * std::fabs(unit(random));
    for (int i = 0; i < 6; ++i) frame.state(k).loop.direction[i] = unit(random);
  }
  frame.state(49).loop.status = LoopStatus::max_iterations;
  run(frame, {Step::update_pose});
  for (int k = 0; k < 50; ++k) {
    const LoopState& loop = frame.state(k).loop;
    const double by = k == 49 ? 0 : frame.state(k).alpha;
    const Pose& from = loop.here.pose;
    const double got[6] = {loop.trial.x,    loop.trial.y,     loop.trial.z,
                           loop.trial.roll, loop.trial.pitch, loop.trial.yaw},
                 start[6] = {from.x, from.y, from.z, from.roll, from.pitch, from.yaw};
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(got[i], start[i] + by * loop.direction[i], 4.5e-16 * (std::fabs(start[i]) + 0.1))
          << k << ", " << i;
  }
}

/// A loop that just evaluated where a step of `step` had led.
struct Arrival {
  double step = 0.1;
  int iterations = 3;
  double pairs = 50, score = 100;
};

class ArrivalSteps : public StagedSteps {
 protected:
  StagedFrame arrived(const std::vector<Arrival>& arrivals, const LoopOptions& options) {
    StagedFrame frame(std::vector<Pose>(arrivals.size()), 1, options, {}, true);
    run(frame, {Step::begin});
    for (std::size_t k = 0; k < arrivals.size(); ++k) {
      PoseState& state = frame.state(static_cast<int>(k));
      state.alpha = arrivals[k].step;
      state.loop.iterations = arrivals[k].iterations;
      state.loop.evaluations = arrivals[k].iterations + 1;
      state.loop.trial.x = 7;
      double* sums = frame.args.a.sums + k * kTerms;
      for (int i = 0; i < kTerms; ++i) sums[i] = -1;
      sums[kScore] = arrivals[k].score, sums[kPairs] = arrivals[k].pairs, sums[kMatched] = 20;
    }
    run(frame, {Step::arrive, Step::flag});
    return frame;
  }
};

TEST_F(ArrivalSteps, StopBelowEpsilonAndNotAtItAndTheFlagCountsWhoGoesOn) {
  LoopOptions options;
  const double epsilon = options.epsilon_m;
  StagedFrame frame = arrived({{std::nextafter(epsilon, 0.0)},
                               {epsilon},
                               {std::nextafter(epsilon, 1.0)},
                               {0.1, options.max_iterations - 1},
                               {0.1, 3, 0}},
                              options);
  const LoopStatus expected[] = {LoopStatus::step_below_epsilon, LoopStatus::running, LoopStatus::running,
                                 LoopStatus::max_iterations, LoopStatus::no_overlap};
  for (int k = 0; k < 5; ++k) EXPECT_EQ(frame.state(k).loop.status, expected[k]) << k;
  EXPECT_EQ(*frame.args.a.running, 2U);
  EXPECT_EQ(frame.args.a.list[0], 1);
  EXPECT_EQ(frame.args.a.list[1], 2);
}

TEST_F(ArrivalSteps, TheListKeepsWhoGoesOnInTheirOrder) {
  for (const int poses : {1, 2, 255, 256, 257, 1000}) {  // a device takes 256 at once
    StagedFrame frame(std::vector<Pose>(static_cast<std::size_t>(poses)), 1);
    run(frame, {Step::begin});
    std::vector<int> expected;
    std::mt19937 random(28);
    for (const unsigned out_of : {5U, 2U, 3U, 1U}) {  // one in so many ends, in the end all
      expected.clear();
      for (int k = 0; k < frame.args.a.listed; ++k) {
        const int pose = frame.args.a.list[k];
        if (random() % out_of == 0)
          frame.state(pose).loop.status = LoopStatus::max_iterations;
        else
          expected.push_back(pose);
      }
      run(frame, {Step::flag});
      ASSERT_EQ(*frame.args.a.running, expected.size()) << poses << ", 1 of " << out_of;
      frame.args.a.listed = static_cast<int>(expected.size());
      EXPECT_EQ(std::vector<int>(frame.args.a.list, frame.args.a.list + expected.size()), expected)
          << poses << ", 1 of " << out_of;
      if (expected.empty()) break;
    }
    EXPECT_TRUE(expected.empty());
  }
}

/// Steps on a list that has lost poses.
class ListedSteps : public StagedSteps {
 protected:
  /// Steps 1 to 15 and the next trial pose, for the poses of these guesses that are listed.
  StagedFrame stepped(const std::vector<Pose>& guesses, const std::vector<int>& listed) {
    LoopOptions options;
    options.max_iterations = 3;
    StagedFrame frame(guesses, 100, options, courtyard().view(), true);
    run(frame, {Step::begin});
    std::copy(listed.begin(), listed.end(), frame.args.a.list);
    frame.args.a.listed = static_cast<int>(listed.size());
    run(frame, {Step::sin_cos, Step::transform});
    evaluate(frame);
    run(frame, {Step::arrive, Step::newton_system, Step::solve, Step::newton_fix_up, Step::direction,
                Step::trials, Step::select, Step::update_pose});
    return frame;
  }
};

TEST_F(ListedSteps, AreThoseOfTheListedPoseAloneAndLeaveTheOthersStates) {
  const std::vector<Pose> guesses = test_clouds::offsets(4, 0.3, 0.05);
  StagedFrame frame = stepped(guesses, {1, 3});
  for (const int k : {1, 3}) {
    StagedFrame alone = stepped({guesses[static_cast<std::size_t>(k)]}, {0});
    const LoopState &got = frame.state(k).loop, &expected = alone.state(0).loop;
    EXPECT_GT(got.here.at.pairs, 0) << k;
    EXPECT_EQ(std::memcmp(&got.here, &expected.here, sizeof got.here), 0) << k;
    EXPECT_EQ(std::memcmp(&got.trial, &expected.trial, sizeof got.trial), 0) << k;
    EXPECT_EQ(frame.args.a.trace[4 * k].score, expected.here.at.score) << k;
  }
  for (const int k : {0, 2}) {
    EXPECT_EQ(frame.state(k).loop.evaluations, 0) << k;
    EXPECT_EQ(frame.args.a.trace[4 * k].score, 0) << k;
  }
}

TEST_F(ArrivalSteps, MakeTheEvaluatedPoseTheCurrentOneAndWriteItsLine) {
  LoopOptions options;
  options.max_iterations = 9;
  StagedFrame frame = arrived({{0.05}, {0.07, 5}}, options);
  for (int k = 0; k < 2; ++k) {
    const LoopState& loop = frame.state(k).loop;
    EXPECT_EQ(loop.here.pose.x, 7);
    EXPECT_EQ(loop.here.at.score, 100);
    EXPECT_EQ(loop.here.at.pairs, 50);
    EXPECT_EQ(loop.here.at.hessian(5, 3), -1);
    EXPECT_EQ(loop.iterations, k == 0 ? 4 : 6);
    const LoopTrace& line = frame.args.a.trace[k * (options.max_iterations + 1) + loop.iterations];
    EXPECT_EQ(line.pose.x, 7);
    EXPECT_EQ(line.score, 100);
    EXPECT_EQ(line.step, k == 0 ? 0.05 : 0.07);
  }
}

TEST_F(ArrivalSteps, SumsThatAreNotFiniteEndTheLoopAtThePoseBefore) {
  StagedFrame frame = arrived({{0.1, 3, 50, kNan}, {}}, {});
  EXPECT_EQ(frame.state(0).loop.status, LoopStatus::non_finite);
  EXPECT_NE(frame.state(0).loop.here.pose.x, 7);
  EXPECT_EQ(frame.state(1).loop.status, LoopStatus::running);
  EXPECT_EQ(*frame.args.a.running, 1U);
}

}  // namespace
}  // namespace ndt::gpu_multikernel
