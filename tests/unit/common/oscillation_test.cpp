#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

#include "ndt/solve/loop_state.hpp"

namespace ndt {
namespace {

int longest(std::initializer_list<Vec3<double>> steps) {
  OscillationCounter counter;
  for (const Vec3<double>& step : steps) counter.add_step(step);
  return counter.longest();
}

constexpr Vec3<double> kForth{0.1, 0.02, 0}, kBack{-0.1, -0.02, 0}, kAside{0, 0, 0.1}, kZero{};

TEST(Oscillation, BackAndForthCountsEveryReversal) {
  EXPECT_EQ(longest({}), 0);
  EXPECT_EQ(longest({kForth}), 0);
  EXPECT_EQ(longest({kForth, kBack}), 1);
  EXPECT_EQ(longest({kForth, kBack, kForth, kBack, kForth}), 4);
}

TEST(Oscillation, MovingOnCountsNothing) {
  EXPECT_EQ(longest({kForth, kForth, kForth}), 0);
  EXPECT_EQ(longest({kForth, kAside, kForth, kAside}), 0);
}

TEST(Oscillation, StepLengthsDoNotMatter) {
  EXPECT_EQ(longest({kForth, {-1e-9, -2e-10, 0}, {1e9, 2e8, 0}}), 2);
}

TEST(Oscillation, AZeroStepEndsARunAndDoesNotBridgeIt) {
  EXPECT_EQ(longest({kForth, kBack, kZero, kForth, kBack}), 1);
  EXPECT_EQ(longest({kForth, kZero, kBack}), 0);
  EXPECT_EQ(longest({kZero, kZero}), 0);
}

TEST(Oscillation, OnlyACosineBelowMinusNineTenthsIsAReversal) {
  const auto at_cosine = [](double cosine) {
    return Vec3<double>{cosine, std::sqrt(1 - cosine * cosine), 0};
  };
  EXPECT_EQ(longest({{1, 0, 0}, at_cosine(-0.899)}), 0);
  EXPECT_EQ(longest({{1, 0, 0}, at_cosine(-0.901)}), 1);
}

TEST(Oscillation, TheLongestRunCountsEvenIfALaterOneIsShorter) {
  EXPECT_EQ(longest({kForth, kBack, kForth, kBack, kAside, kForth, kBack}), 3);
  EXPECT_EQ(longest({kForth, kBack, kAside, kForth, kBack, kForth, kAside}), 2);
}

}  // namespace
}  // namespace ndt
