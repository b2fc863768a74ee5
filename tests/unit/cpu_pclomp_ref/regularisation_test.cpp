#include <gtest/gtest.h>

#include <cmath>

#include "ndt/core/pose.hpp"
#include "score.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

constexpr double kFloat = 2e-6;  // the terms are float32: a few roundings of numbers up to 12

Sums some_sums() {
  Sums sums;
  sums.pairs = 200;
  sums.score = 10;
  sums.gradient << 1, 2, 3, 4, 5, 6;
  sums.hessian.setConstant(-1);
  sums.nearest_voxel_score = 3;
  sums.points_with_voxels = 2;
  return sums;
}

TEST(Regularisation, PullsAlongAHeadingOfZeroByNumbersWorkedOutByHand) {
  // 200 pairs at scale 0.01 weigh 2; the target is 3 m ahead and 4 m to the side: only the 3 count.
  Sums sums = some_sums();
  add_regularisation({13, 24}, 0.01, {10, 20, 0, 0, 0, 0}, sums);
  EXPECT_NEAR(sums.score, 10 - 2 * 9, 18 * kFloat);
  EXPECT_NEAR(sums.gradient(0), 1 + 2 * 2 * 3, 12 * kFloat);
  EXPECT_NEAR(sums.gradient(1), 2, kFloat);
  EXPECT_NEAR(sums.hessian(0, 0), -1 - 4, 4 * kFloat);
  EXPECT_NEAR(sums.hessian(0, 1), -1, kFloat);
  EXPECT_NEAR(sums.hessian(1, 0), -1, kFloat);
  EXPECT_NEAR(sums.hessian(1, 1), -1, kFloat);
}

TEST(Regularisation, PullsAlongTheYaw) {
  // Heading 30°: along = 4·½ + 3·√3/2.
  const double c = std::sqrt(3.0) / 2, s = 0.5, along = 4 * s + 3 * c, weight = 2;
  Sums sums = some_sums();
  add_regularisation({13, 24}, 0.01, {10, 20, 0, 0, 0, kPi / 6}, sums);
  EXPECT_NEAR(sums.score, 10 - weight * along * along, 50 * kFloat);
  EXPECT_NEAR(sums.gradient(0), 1 + 2 * weight * c * along, 20 * kFloat);
  EXPECT_NEAR(sums.gradient(1), 2 + 2 * weight * s * along, 20 * kFloat);
  EXPECT_NEAR(sums.hessian(0, 0), -1 - 2 * weight * c * c, 4 * kFloat);
  EXPECT_NEAR(sums.hessian(0, 1), -1 - 2 * weight * c * s, 4 * kFloat);
  EXPECT_NEAR(sums.hessian(1, 0), -1 - 2 * weight * c * s, 4 * kFloat);
  EXPECT_NEAR(sums.hessian(1, 1), -1 - 2 * weight * s * s, 4 * kFloat);
}

TEST(Regularisation, LeavesEverythingElseAlone) {
  const Sums before = some_sums();
  Sums sums = before;
  add_regularisation({13, 24}, 0.01, {10, 20, 0, 0.1, 0.2, 0.3}, sums);
  for (int i = 2; i < 6; ++i) {
    EXPECT_EQ(sums.gradient(i), before.gradient(i)) << i;
    for (int j = 0; j < 6; ++j) EXPECT_EQ(sums.hessian(i, j), before.hessian(i, j)) << i << ", " << j;
  }
  EXPECT_EQ(sums.nvtl(), before.nvtl());
  EXPECT_EQ(sums.pairs, before.pairs);
}

TEST(Regularisation, IsTheSameInBothBranchesOfTheAngles) {
  const Pose pose{10, 20, 0, -0.02, 0.01, 0.4};
  const Pose branch = derivative_pose(to_transform(pose));
  ASSERT_GT(branch.roll, 3);
  Sums a = some_sums(), b = some_sums();
  add_regularisation({13, 24}, 0.01, pose, a);
  add_regularisation({13, 24}, 0.01, branch, b);
  EXPECT_NEAR(a.score, b.score, 50 * kFloat);
  EXPECT_NEAR(a.gradient(0), b.gradient(0), 20 * kFloat);
  EXPECT_NEAR(a.hessian(0, 1), b.hessian(0, 1), 4 * kFloat);
}

TEST(Regularisation, WeighsNothingWithoutPairs) {
  Sums sums = some_sums();
  sums.pairs = 0;
  add_regularisation({1000, 1000}, 0.01, {}, sums);
  EXPECT_EQ(sums.score, 10);
  EXPECT_EQ(sums.gradient(0), 1);
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
