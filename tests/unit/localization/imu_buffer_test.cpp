// A gyroscope with a bias, and the direction of gravity.
#include "ndt/localization/imu_buffer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "knowing.hpp"

namespace ndt::localization {
namespace {

constexpr double kStepS = 0.01;

/// Measurements from `from_s` on, of a rate about z and of a body that stands still but for it.
void fill(ImuBuffer& imu, double from_s, double to_s, double rate,
          const Vec3<double>& acceleration = {0, 0, 9.81}) {
  for (int k = 0; from_s + kStepS * k <= to_s + 1e-9; ++k)
    imu.push({from_s + kStepS * k, {0, 0, rate}, acceleration});
}

Vec3<double> ahead(double) { return {2, 0, 0}; }

TEST(Imu, IntegratesTurnsAndSpeedsAlongAnArc) {
  ImuBuffer imu(1);
  fill(imu, 0, 1, 0.5);
  const SensedMotion arc = imu.motion(0.2, 0.8, ahead);
  ASSERT_TRUE(arc.motion);
  const Transform expected = moved_by({{2, 0, 0}, {0, 0, 0.5}}, 0.6);
  EXPECT_LT(translation_error_m(*arc.motion, expected), 1e-9);
  EXPECT_LT(rotation_error_rad(*arc.motion, expected), 1e-7);
  const SensedMotion back = imu.motion(0.8, 0.2, ahead);
  EXPECT_LT(translation_error_m(*back.motion, inverse(expected)), 1e-9);
}

TEST(Imu, TakesTheMeanOfTwoMeasurementsBetweenThem) {
  ImuBuffer imu(1);
  for (const double t : {0.0, 0.1, 0.2}) imu.push({t, {0, 0, 10 * t}, {}});  // 10 rad/s²
  const SensedMotion turn = imu.motion(0, 0.2, [](double) { return Vec3<double>{}; });
  EXPECT_LT(rotation_error_rad(*turn.motion, to_transform({.yaw = 0.2})), 1e-7);
}

TEST(Imu, TellsWhyItHasNoMotion) {
  ImuBuffer imu(1);
  EXPECT_EQ(imu.motion(0, 1, ahead).miss, Miss::too_few);
  fill(imu, 1, 1.5, 0);
  EXPECT_EQ(imu.motion(0.5, 1.2, ahead).miss, Miss::before_first);
  EXPECT_EQ(imu.motion(1.2, 2.6, ahead).miss, Miss::too_old);
  EXPECT_TRUE(imu.motion(1.2, 2.4, ahead).motion) << "the last holds for less than a second";
  EXPECT_THROW(imu.push({2, {std::numeric_limits<double>::quiet_NaN(), 0, 0}, {}}), std::invalid_argument);
  imu.push({0, {}, {}});
  EXPECT_EQ(imu.motion(1.2, 1.3, ahead).miss, Miss::too_old) << "time ran backwards";
}

TEST(Imu, LearnsABiasAtRestAndNothingElse) {
  ImuBuffer imu(1);
  fill(imu, 0, 1, 0.02);
  imu.learn_bias(1);
  EXPECT_NEAR(imu.bias().z, 0.02, 1e-12);
  fill(imu, 1.01, 2, 0.3);
  imu.learn_bias(2);
  EXPECT_NEAR(imu.bias().z, 0.02, 1e-12) << "no bias is so large";
  imu.forget_before(3);
  for (int k = 0; k < 100; ++k) imu.push({3.01 + kStepS * k, {0, 0, k % 2 ? 0.09 : -0.09}, {}});
  imu.learn_bias(4);
  EXPECT_NEAR(imu.bias().z, 0.02, 1e-12) << "it shakes";
}

TEST(Imu, TellsUpwardsOnlyAtRest) {
  const Transform tilted = to_transform({0, 0, 0, 0.2, -0.3, 0});
  const Vec3<double> up = transpose(rotation_of(tilted)) * Vec3<double>{0, 0, 9.81};
  ImuBuffer imu(1);
  EXPECT_FALSE(imu.up_at(0));
  fill(imu, 0, 1, 0, up);
  ASSERT_TRUE(imu.up_at(1));
  EXPECT_NEAR((rotation_of(levelled(*imu.up_at(1))) * *imu.up_at(1)).z, 1, 1e-12);
  ImuBuffer driven(1);
  fill(driven, 0, 1, 0, {3, 0, 9.81});
  EXPECT_FALSE(driven.up_at(1)) << "3 m/s² are not gravity alone";
}

LocalizerOptions by_imu() {
  LocalizerOptions o = options();
  o.prediction = Prediction::imu;
  return o;
}

TEST(ImuOfALocalizer, TurnsThePredictionAndGoesOnAtTheSpeedBefore) {
  Knowing aligner;
  Localizer localizer(aligner, by_imu());
  localizer.start_at({});
  const Twist arc{{5, 0, 0}, {0, 0, 1.5}};
  for (int k = -10; k <= 60; ++k) localizer.add_imu({kStepS * k, {0, 0, 1.5}, {0, 0, 9.81}});
  ScanReport report;
  for (int frame = 0; frame < 6; ++frame) {
    aligner.truth = moved_by(arc, 0.1 * frame);
    report = localizer.localize(0.1 * frame, kScan);
  }
  EXPECT_EQ(to_string(report.prediction.by), "imu");
  EXPECT_LT(translation_error_m(report.prediction.map_from_scan, aligner.truth), 1e-6);
  EXPECT_LT(rotation_error_rad(report.prediction.map_from_scan, aligner.truth), 1e-6);
}

TEST(ImuOfALocalizer, WithTwistsGoesAsFastAsTheyTell) {
  Knowing aligner;
  Localizer localizer(aligner, by_imu());
  localizer.start_at({});
  for (int k = 0; k <= 30; ++k) localizer.add_imu({kStepS * k, {0, 0, 1}, {0, 0, 9.81}});
  localizer.add_twist({0, {{7, 0, 0}, {}}});
  localizer.localize(0, kScan);
  const ScanReport report = localizer.localize(0.2, kScan);
  EXPECT_LT(translation_error_m(report.prediction.map_from_scan, moved_by({{7, 0, 0}, {0, 0, 1}}, 0.2)),
            1e-6);
}

TEST(ImuOfALocalizer, LevelsAStartWithoutRollAndPitchAlone) {
  const Vec3<double> up =
      transpose(rotation_of(to_transform({0, 0, 0, 0.2, 0, 0}))) * Vec3<double>{0, 0, 9.81};
  for (const double pitch : {0.0, 0.1}) {
    Knowing aligner;
    Localizer localizer(aligner, by_imu());
    localizer.start_at(to_transform({1, 0, 0, 0, pitch, 0}));
    for (int k = -60; k <= 0; ++k) localizer.add_imu({kStepS * k, {}, up});
    const ScanReport report = localizer.localize(0, kScan);
    const Vec3<double> there = rotation_of(report.prediction.map_from_scan) * up;
    EXPECT_EQ(std::abs(there.z - 9.81) < 1e-6, pitch == 0);
  }
}

TEST(ImuOfALocalizer, LearnsItsBiasWhereTheVehicleStands) {
  Knowing aligner;
  Localizer localizer(aligner, by_imu());
  localizer.start_at({});
  for (int k = 0; k <= 400; ++k) localizer.add_imu({kStepS * k, {0, 0, 0.08}, {0, 0, 9.81}});
  ScanReport report;
  for (int frame = 0; frame < 5; ++frame) report = localizer.localize(0.5 * frame, kScan);
  EXPECT_LT(rotation_error_rad(report.prediction.map_from_scan, {}), 1e-6);
}

TEST(ImuOfALocalizer, BeginsAnewWithEveryStart) {
  Knowing aligner;
  Localizer localizer(aligner, by_imu());
  std::vector<Transform> predicted;
  for (int lap = 0; lap < 2; ++lap) {
    localizer.start_at({});
    for (int k = 0; k <= 300; ++k) localizer.add_imu({kStepS * k, {0, 0, 0.08}, {0, 0, 9.81}});
    for (int frame = 0; frame < 5; ++frame)
      predicted.push_back(localizer.localize(0.5 * frame, kScan).prediction.map_from_scan);
  }
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_EQ(rotation_error_rad(predicted[k], predicted[k + 5]), 0) << "a lap has the bits of the first";
}

}  // namespace
}  // namespace ndt::localization
