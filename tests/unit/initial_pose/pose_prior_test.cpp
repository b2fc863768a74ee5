#include "ndt/initial_pose/pose_prior.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "message_of.hpp"
#include "ndt/initial_pose/tpe.hpp"

namespace ndt::initial_pose {
namespace {

const PosePrior kTiltedPrior{{10, -5, 1, 0.01, -0.02, 0.7}, {1.0, 0.8, 0.1, 0.01, 0.02}};

TEST(PosePrior, DrawsHaveItsMomentsAndYawFillsTheCircle) {
  constexpr int kDraws = 40000;
  std::mt19937_64 random(1);
  PriorSampler sampler(kTiltedPrior);
  double sum[6] = {}, squares[6] = {};
  for (int k = 0; k < kDraws; ++k) {
    const Pose pose = sampler.pose(sampler.draw(random));
    ASSERT_GE(pose.yaw, -kPi);
    ASSERT_LT(pose.yaw, kPi);
    for (int i = 0; i < 6; ++i)
      sum[i] += coordinate(pose, i), squares[i] += coordinate(pose, i) * coordinate(pose, i);
  }
  for (int i = 0; i < 6; ++i) {
    const double mean = sum[i] / kDraws, deviation = std::sqrt(squares[i] / kDraws - mean * mean);
    const double expected_mean = i < 5 ? coordinate(kTiltedPrior.mean, i) : 0;
    const double expected = i < 5 ? kTiltedPrior.sigma[i] : kPi / std::sqrt(3.0);
    EXPECT_NEAR(mean, expected_mean, 5 * expected / std::sqrt(kDraws)) << i;  // five standard errors
    EXPECT_NEAR(deviation, expected, 5 * expected / std::sqrt(2.0 * kDraws)) << i;
  }
}

TEST(PosePrior, AHeadingWithADeviationIsNormalAboutTheMeans) {
  PosePrior prior = kTiltedPrior;
  prior.mean.yaw = 3;  // across the cut of the circle
  prior.sigma_yaw_rad = 0.3;
  constexpr int kDraws = 40000;
  std::mt19937_64 random(1);
  PriorSampler sampler(prior);
  double sum = 0, squares = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double yaw = sampler.pose(sampler.draw(random)).yaw;
    ASSERT_LE(std::abs(yaw), kPi);
    const double turn = std::remainder(yaw - 3, 2 * kPi);
    sum += turn, squares += turn * turn;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 * 0.3 / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(squares / kDraws), 0.3, 5 * 0.3 / std::sqrt(2.0 * kDraws));
  prior.sigma_yaw_rad = 0;
  EXPECT_EQ(PriorSampler(prior).pose(PriorSampler(prior).draw(random)).yaw, 3);
  prior.sigma_yaw_rad = -1;
  EXPECT_THROW(require_valid(prior), std::invalid_argument);
}

TEST(PosePrior, DrawsAreThoseOfTheStandardLibraryThatTheReferenceUses) {
#if !defined(__GLIBCXX__)
  GTEST_SKIP() << "not built with libstdc++";
#endif
  std::mt19937_64 random(3), theirs(3);
  PriorSampler sampler(kTiltedPrior);
  std::normal_distribution<double> normal[5];
  for (int k = 0; k < 1000; ++k) {
    const Pose pose = sampler.pose(sampler.draw(random));
    for (int i = 0; i < 5; ++i)
      ASSERT_EQ(coordinate(pose, i),
                normal[i](theirs) * kTiltedPrior.sigma[i] + coordinate(kTiltedPrior.mean, i))
          << k << ' ' << i;
    ASSERT_EQ(pose.yaw, std::uniform_real_distribution<double>(-kPi, kPi)(theirs)) << k;
  }
}

TEST(PosePrior, WithoutDeviationsDrawsAreTheMeanBesideTheHeading) {
  std::mt19937_64 random(1);
  PriorSampler sampler(PosePrior{kTiltedPrior.mean, {0, 0, 0, 0, 0}});
  for (int k = 0; k < 10; ++k) {
    const Pose pose = sampler.pose(sampler.draw(random));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(coordinate(pose, i), coordinate(kTiltedPrior.mean, i)) << i;
    EXPECT_NE(pose.yaw, kTiltedPrior.mean.yaw);
  }
}

TEST(PosePrior, WhatIsNoPlaceOrNoDeviationIsRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const auto refusal = [](const PosePrior& prior) -> std::string {
    return message_of<std::invalid_argument>([&] { require_valid(prior); });
  };
  EXPECT_EQ(refusal(kTiltedPrior), "");
  for (int i = 0; i < 6; ++i)
    for (const double bad : {nan, infinity}) {
      PosePrior prior = kTiltedPrior;
      coordinate(prior.mean, i) = bad;
      EXPECT_NE(refusal(prior).find("of the guess"), std::string::npos) << i;
    }
  for (int i = 0; i < 5; ++i)
    for (const double bad : {nan, infinity, -0.1}) {
      PosePrior prior = kTiltedPrior;
      prior.sigma[i] = bad;
      EXPECT_NE(refusal(prior).find("sigma"), std::string::npos) << i << ' ' << bad;
    }
}

}  // namespace
}  // namespace ndt::initial_pose
