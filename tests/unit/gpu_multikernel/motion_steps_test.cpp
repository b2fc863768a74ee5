// Steps 1 to 5: motions, Jacobians, point Hessians and moved points against poses and differences in double.
#include <cmath>
#include <cstring>

#include "random_poses.hpp"
#include "staged_frame.hpp"

namespace ndt::gpu_multikernel {
namespace {

constexpr double kUlp = 1.2e-7;  // of a float near 1
constexpr int kMotionPoints = 60;

/// With angles that are 0, and a pitch at which roll and yaw turn about the same axis.
std::vector<Pose> some_poses() {
  std::vector<Pose> poses = random_poses(11, 20);
  poses.push_back({});
  poses.push_back({1, 2, 3, 0, 0, 0.4});
  poses.push_back({1, 2, 3, 0.3, 0, 0});
  poses.push_back({0, 1, 0, 0.4, kPi / 2, -0.2});
  poses.push_back({0, 1, 0, 0.4, kPi / 2 - 1e-5, -0.2});
  poses.push_back({0, 1, 0, -0.4, -kPi / 2, 0.2});
  return poses;
}

Vec3<double> at_pose(const Pose& pose, const Vec3<double>& x) {
  return rotation_of(pose) * x + Vec3<double>{pose.x, pose.y, pose.z};
}
double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

class MotionSteps : public StagedSteps {
 protected:
  static Vec3<double> scan_point(int i) {
    return cast<double>(test_clouds::scan().points[static_cast<std::size_t>(i)]);
  }
};

TEST_F(MotionSteps, TheMotionOfAPoseIsItsTransform) {
  StagedFrame frame(random_poses(1, 200), 1);
  run(frame, {Step::begin});
  move_to_poses(frame);
  for (int k = 0; k < frame.args.a.poses; ++k) {
    const LoopState& loop = frame.state(k).loop;
    const Transform expected = to_transform(loop.trial);
    const Mat3<double> rotation = rotation_of(expected);
    for (int i = 0; i < 9; ++i)
      EXPECT_NEAR(static_cast<double>(loop.at.motion.rotation.m[i]), rotation.m[i], kUlp) << loop.trial;
    const Vec3<float> translation = cast<float>(translation_of(expected));
    EXPECT_EQ(loop.at.motion.translation.x, translation.x);
    EXPECT_EQ(loop.at.motion.translation.y, translation.y);
    EXPECT_EQ(loop.at.motion.translation.z, translation.z);
  }
}

TEST_F(MotionSteps, TheFirstEvaluationKeepsTheGuessesOwnMatrix) {
  std::vector<Transform> guesses;
  for (const Pose& pose : random_poses(2, 20)) {
    guesses.push_back(to_transform(pose));
    for (int i = 0; i < 3; ++i) guesses.back()(i, i) += 1e-5;  // as far from rigid as a guess of few digits
  }
  StagedFrame frame(guesses, 1);
  run(frame, {Step::begin, Step::sin_cos, Step::transform});
  int other = 0;
  for (int k = 0; k < frame.args.a.poses; ++k) {
    const LoopState& loop = frame.state(k).loop;
    const Mat3<float> own = cast<float>(rotation_of(guesses[static_cast<std::size_t>(k)])),
                      of_pose = cast<float>(rotation_of(loop.trial));
    EXPECT_EQ(std::memcmp(&loop.at.motion.rotation, &own, sizeof own), 0) << k;
    other += std::memcmp(&own, &of_pose, sizeof own) != 0 ? 1 : 0;
  }
  EXPECT_EQ(other, frame.args.a.poses)
      << "the matrices must differ from the poses' for this test to say anything";
}

TEST_F(MotionSteps, JacobiansAreCentralDifferencesOfTheMovedPoints) {
  constexpr double kStep =
      1e-6;  // rounding 1e-16 / 1e-6 and truncation 1e-12 of a lever arm, far below float32
  StagedFrame frame(some_poses(), kMotionPoints);
  run(frame, {Step::begin, Step::sin_cos, Step::transform, Step::jacobian});
  for (int k = 0; k < frame.args.a.poses; ++k)
    for (int i = 0; i < kMotionPoints; ++i) {
      const Pose& pose = frame.state(k).loop.trial;
      const Vec3<double> x = scan_point(i);
      for (int col = 0; col < 6; ++col) {
        const Vec3<double> difference =
            (0.5 / kStep) * (at_pose(nudged(pose, col, kStep), x) - at_pose(nudged(pose, col, -kStep), x));
        const double expected[3] = {difference.x, difference.y, difference.z};
        for (int row = 0; row < 3; ++row)
          ASSERT_NEAR(static_cast<double>(
                          frame.component(frame.args.a.jacobians, k, kJacobianEntries, 6 * row + col, i)),
                      expected[row], 4 * kUlp * (1 + length(x)))
              << pose << " row " << row << " column " << col;
      }
    }
}

TEST_F(MotionSteps, PointHessiansAreSecondDifferencesForAllSixPairsOfAngles) {
  constexpr double kStep = 1e-4;  // rounding 1e-16 / 1e-8 and truncation 1e-8 / 3 of a lever arm
  StagedFrame frame(some_poses(), kMotionPoints);
  run(frame, {Step::begin, Step::sin_cos, Step::transform, Step::point_hessian});
  for (int k = 0; k < frame.args.a.poses; ++k)
    for (int point = 0; point < kMotionPoints; ++point) {
      Pose pose = frame.state(k).loop.trial;
      pose.x = pose.y = pose.z = 0;  // of no influence, and less to round
      const Vec3<double> x = scan_point(point);
      int pair = 0;
      for (int i = 3; i < 6; ++i)
        for (int j = i; j < 6; ++j, ++pair) {
          const auto at = [&](int a, int b) {
            return at_pose(nudged(nudged(pose, i, a * kStep), j, b * kStep), x);
          };
          const Vec3<double> second =
              (0.25 / (kStep * kStep)) * ((at(1, 1) - at(1, -1)) - (at(-1, 1) - at(-1, -1)));
          const double expected[3] = {second.x, second.y, second.z};
          for (int row = 0; row < 3; ++row)
            ASSERT_NEAR(static_cast<double>(frame.component(frame.args.a.point_hessians, k,
                                                            kPointHessianEntries, 3 * pair + row, point)),
                        expected[row], 4 * kUlp * (1 + length(x)))
                << pose << " pair " << pair << " row " << row;
        }
    }
}

TEST_F(MotionSteps, PointsMoveInTheReferencesRounding) {
  StagedFrame frame(some_poses(), kMotionPoints);
  run(frame, {Step::begin});
  move_to_poses(frame);
  run(frame, {Step::transform_points});
  for (int k = 0; k < frame.args.a.poses; ++k)
    for (int i = 0; i < kMotionPoints; ++i) {
      const LoopState& loop = frame.state(k).loop;
      const Vec3<float> expected = move_point(loop.at.motion, frame.args.a.scan[i]);
      const float got[3] = {frame.component(frame.args.a.moved, k, 3, 0, i),
                            frame.component(frame.args.a.moved, k, 3, 1, i),
                            frame.component(frame.args.a.moved, k, 3, 2, i)};
      EXPECT_EQ(got[0], expected.x);
      EXPECT_EQ(got[1], expected.y);
      EXPECT_EQ(got[2], expected.z);
      const Vec3<double> exact = at_pose(loop.trial, scan_point(i));
      EXPECT_LT(length(cast<double>(expected) - exact),
                4 * kUlp * (length(exact) + length(scan_point(i)) + 50));
    }
}

}  // namespace
}  // namespace ndt::gpu_multikernel
