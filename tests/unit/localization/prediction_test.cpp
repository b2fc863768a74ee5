#include "ndt/localization/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace ndt::localization {
namespace {

/// Half a metre ahead and a little to the left.
const Transform kStep = to_transform({0.5, 0.02, 0, 0, 0, 0.05});
const Transform kStart = to_transform({10, -3, 0.4, 0.01, -0.02, 2.5});

Predictor predictor(Prediction prediction) {
  LocalizerOptions options;
  options.prediction = prediction;
  Predictor p(options);
  p.start_at(kStart);
  return p;
}

void expect_pose(const Predicted& got, const Transform& expected, Prediction by) {
  EXPECT_LT(translation_error_m(got.map_from_scan, expected), 1e-9);
  EXPECT_LT(rotation_error_rad(got.map_from_scan, expected), 1e-7);
  EXPECT_EQ(to_string(got.by), to_string(by));
}

TEST(Prediction, IsTheStartForTheFirstScanAtAnyTime) {
  for (const Prediction p : all_values<Prediction>())
    for (const double stamp_s : {-5.0, 0.0, 1e9})
      expect_pose(predictor(p).at(stamp_s), kStart, Prediction::none);
}

TEST(Prediction, NoneKeepsThePoseBefore) {
  Predictor p = predictor(Prediction::none);
  p.follow(0, kStart), p.follow(0.1, kStart * kStep);
  expect_pose(p.at(0.2), kStart * kStep, Prediction::none);
}

TEST(Prediction, AConstantVelocityGoesOnForAnyTime) {
  Predictor p = predictor(Prediction::constant_velocity);
  p.follow(0, kStart);
  expect_pose(p.at(0.1), kStart, Prediction::none);
  p.follow(0.1, kStart * kStep);
  expect_pose(p.at(0.2), kStart * kStep * kStep, Prediction::constant_velocity);
  expect_pose(p.at(0.3), kStart * kStep * kStep * kStep, Prediction::constant_velocity);
}

TEST(Prediction, AVelocityFadesOverAssumedPosesAndLearnsNothingFromThem) {
  Predictor p = predictor(Prediction::constant_velocity);
  p.follow(0, kStart), p.follow(0.1, kStart * kStep);
  const Transform assumed = p.at(0.2).map_from_scan;
  p.assume(0.2, assumed);
  const Twist step = twist_between({}, kStep, 0.1);
  const Transform faded = moved_by(step, 0.1 * std::exp(-0.1));
  expect_pose(p.at(0.3), assumed * faded, Prediction::constant_velocity);
  const Transform aside = assumed * to_transform({0, 5, 0, 0, 0, 0});
  p.follow(0.3, aside);
  expect_pose(p.at(0.4), aside * faded, Prediction::constant_velocity);
  p.follow(0.4, aside);
  expect_pose(p.at(0.5), aside, Prediction::constant_velocity);
}

TEST(Prediction, IsBeyondReachWhenThePoseIsOldOrTheVelocityTurnedFar) {
  Predictor p = predictor(Prediction::constant_velocity);
  p.follow(0, kStart);
  EXPECT_FALSE(p.is_beyond_reach(0.4, p.at(0.4)));
  EXPECT_TRUE(p.is_beyond_reach(0.5, p.at(0.5))) << "as five scans at 10 Hz";
  p.follow(0.1, kStart * to_transform({0, 0, 0, 0, 0, 0.2}));
  EXPECT_FALSE(p.is_beyond_reach(0.2, p.at(0.2))) << "0.2 rad";
  EXPECT_TRUE(p.is_beyond_reach(0.3, p.at(0.3))) << "0.4 rad";
  p.assume(0.2, p.at(0.2).map_from_scan);
  EXPECT_TRUE(p.is_beyond_reach(0.3, p.at(0.3))) << "counted from the last measured pose";
  p.start_at(kStart);
  EXPECT_FALSE(p.is_beyond_reach(9, p.at(9))) << "no scan was accepted yet";
}

TEST(Prediction, NoVelocityLeadsToAPoseFoundAnew) {
  Predictor p = predictor(Prediction::constant_velocity);
  p.follow(0, kStart), p.follow(0.1, kStart * kStep);
  p.jump_to(0.2, kStart);
  expect_pose(p.at(0.3), kStart, Prediction::none);
  p.follow(0.3, kStart * kStep);
  expect_pose(p.at(0.4), kStart * kStep * kStep, Prediction::constant_velocity);
}

TEST(Prediction, AVelocityIsNotCarriedOverALongGap) {
  Predictor p = predictor(Prediction::constant_velocity);
  p.follow(0, kStart), p.follow(0.1, kStart * kStep);
  expect_pose(p.at(5.1), kStart * kStep, Prediction::none);
  p.follow(5.1, kStart);
  expect_pose(p.at(5.2), kStart, Prediction::none);
}

TEST(Prediction, OdometryMovesThePoseWhateverItsOwnWorldIs) {
  Predictor p = predictor(Prediction::odometry);
  const Transform world = to_transform({-100, 30, 0, 0, 0, -1});
  p.follow(0, kStart);
  p.add_odometry({0, world}), p.add_odometry({0.1, world * kStep});
  expect_pose(p.at(0.1), kStart * kStep, Prediction::odometry);
  p.follow(0.1, kStart * kStep);
  p.add_odometry({0.2, world * kStep * kStep});
  expect_pose(p.at(0.2), kStart * kStep * kStep, Prediction::odometry);
  ASSERT_TRUE(p.at(0.15).odometry);
  EXPECT_NEAR(translation_error_m(p.at(0.15).odometry->older, world * kStep), 0, 1e-12);
  EXPECT_NEAR(translation_error_m(p.at(0.15).odometry->newer, world * kStep * kStep), 0, 1e-12);
  EXPECT_NEAR(translation_error_m(p.at(0.15).map_from_scan, kStart * kStep), 0.25, 1e-3);
}

TEST(Prediction, WithoutUsableOdometryTheVelocityTakesOverAndItSaysWhy) {
  Predictor p = predictor(Prediction::odometry);
  p.follow(0, kStart), p.follow(0.1, kStart * kStep);
  Predicted got = p.at(0.2);
  expect_pose(got, kStart * kStep * kStep, Prediction::constant_velocity);
  EXPECT_EQ(got.odometry_miss, Miss::too_few);
  p.add_odometry({0.15, {}}), p.add_odometry({0.2, {}});
  got = p.at(0.2);
  EXPECT_EQ(to_string(got.by), to_string(Prediction::constant_velocity));
  EXPECT_EQ(got.odometry_miss, Miss::before_first);
}

TEST(Prediction, TwistsAreUsedWhereThereAreNoOdometryPoses) {
  Predictor p = predictor(Prediction::odometry);
  p.follow(0, kStart);
  const Twist ahead{{5, 0, 0}, {}}, turn{{0, 0, 0}, {0, 0, 1}};
  p.add_twist({-0.1, ahead}), p.add_twist({0.1, turn});
  expect_pose(p.at(0.1), kStart * to_transform({0.5, 0, 0, 0, 0, 0}), Prediction::odometry);
  expect_pose(p.at(0.3), kStart * to_transform({0.5, 0, 0, 0, 0, 0.2}), Prediction::odometry);
  EXPECT_EQ(p.at(1.2).odometry_miss, Miss::too_old);
  p.follow(0.3, kStart);
  expect_pose(p.at(0.5), kStart * to_transform({0, 0, 0, 0, 0, 0.2}), Prediction::odometry);
}

TEST(Prediction, ATwistMayNotBeginAfterTheLastScan) {
  Predictor p = predictor(Prediction::odometry);
  p.follow(0, kStart);
  p.add_twist({0.05, {{5, 0, 0}, {}}});
  EXPECT_EQ(p.at(0.1).odometry_miss, Miss::before_first);
  EXPECT_THROW(p.add_twist({0, {{std::numeric_limits<double>::infinity(), 0, 0}, {}}}),
               std::invalid_argument);
}

TEST(Prediction, NeedsAStart) { EXPECT_THROW(Predictor(LocalizerOptions{}).at(0), std::logic_error); }

}  // namespace
}  // namespace ndt::localization
