#include "town/other_sensors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ndt::harness::town {
namespace {

/// Straight ahead at 10 m/s, ten poses a second.
std::vector<StampedTransform> ride(int poses) {
  std::vector<StampedTransform> ride;
  for (int i = 0; i < poses; ++i)
    ride.push_back({0.1 * i, make_transform(rotation_of(Transform{}), {1.0 * i, 5, 2})});
  return ride;
}

Vec3<double> error_of(const StampedTransform& fix) {
  const Vec3<double> truth{fix.time_s * 10, 5, 2};
  return translation_of(fix.map_from_body) - truth;
}

struct Statistics {
  double noise_m = 0;  ///< from fix to fix
  double whole_m = 0;
};
/// Returns the statistics of one coordinate's errors.
Statistics statistics(const std::vector<StampedTransform>& fixes, double Vec3<double>::*coordinate) {
  double steps = 0, squares = 0;
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    const double error = error_of(fixes[i]).*coordinate;
    squares += error * error;
    if (i == 0) continue;
    const double step = error - error_of(fixes[i - 1]).*coordinate;
    steps += step * step;
  }
  const auto n = static_cast<double>(fixes.size());
  return {std::sqrt(steps / (2 * (n - 1))), std::sqrt(squares / n)};
}

TEST(TownGnss, FixesAreAFifthOfASecondApartAndHaveNoHeading) {
  const std::vector<StampedTransform> fixes = gnss_of(ride(101), Outages::none, 1);
  ASSERT_EQ(fixes.size(), 51u);
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    EXPECT_EQ(fixes[i].time_s, 0.1 * static_cast<double>(2 * i));
    EXPECT_EQ(rotation_error_rad(fixes[i].map_from_body, {}), 0);
  }
}

TEST(TownGnss, NoiseAndDriftAreOfTheSizesThatAreStated) {
  const std::vector<StampedTransform> fixes = gnss_of(ride(100001), Outages::none, 3);
  // The drift moves by 0.3 m * sqrt(1 - 0.99^2) = 0.042 m between two fixes.
  const double noise = std::sqrt(0.1 * 0.1 + 0.042 * 0.042 / 2), whole = std::sqrt(0.1 * 0.1 + 0.3 * 0.3);
  for (const auto coordinate : {&Vec3<double>::x, &Vec3<double>::y}) {
    EXPECT_NEAR(statistics(fixes, coordinate).noise_m, noise, 0.02 * noise);
    EXPECT_NEAR(statistics(fixes, coordinate).whole_m, whole, 0.1 * whole) << "500 times of forgetting";
  }
  EXPECT_NEAR(statistics(fixes, &Vec3<double>::z).noise_m, 2 * noise, 0.04 * noise);
}

TEST(TownGnss, OutagesAreStretchesOfTheWay) {
  const std::vector<StampedTransform> fixes = gnss_of(ride(100001), Outages::some, 2);
  int outages = 0;
  double since_m = 0;
  for (std::size_t i = 1; i < fixes.size(); ++i) {
    const double from_m = 10 * fixes[i - 1].time_s, gap_m = 10 * fixes[i].time_s - from_m;
    if (gap_m < 2.5) continue;
    ++outages;
    EXPECT_GE(gap_m, 20);
    EXPECT_LE(gap_m, 50 + 2 * 2);
    EXPECT_GE(from_m - since_m, 40 - 2 * 2);
    EXPECT_LE(from_m - since_m, 120 + 2);
    since_m = 10 * fixes[i].time_s;
  }
  EXPECT_NEAR(outages, 100000 / (80 + 35), 60);
}

TEST(TownGnss, TheFirstPoseHasAFixAndSoHasEveryPoseOfASlowRide) {
  std::vector<StampedTransform> slow = ride(8);
  for (StampedTransform& pose : slow) pose.time_s *= 5;
  const std::vector<StampedTransform> fixes = gnss_of(slow, Outages::some, 1);
  EXPECT_EQ(fixes.size(), slow.size());
  EXPECT_EQ(fixes.front().time_s, 0);
}

TEST(TownGnss, AnotherSeedIsOtherNoise) {
  const auto a = gnss_of(ride(10), Outages::none, 1), b = gnss_of(ride(10), Outages::none, 1),
             c = gnss_of(ride(10), Outages::none, 2);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(translation_error_m(a[i].map_from_body, b[i].map_from_body), 0);
    EXPECT_GT(translation_error_m(a[i].map_from_body, c[i].map_from_body), 0);
  }
}

TEST(TownOdometry, ACarThatIsCarriedOffCountsOnAsBefore) {
  std::vector<StampedTransform> poses;
  for (int i = 0; i < 10; ++i)
    poses.push_back(
        {0.1 * i, to_transform({i < 5 ? 1.0 * i : 100 + 1.0 * i, 0, 0, 0, 0, i < 5 ? 0.0 : 1.5})});
  const std::vector<StampedTransform> odometry = odometry_of(poses, 1, 5);
  ASSERT_EQ(odometry.size(), poses.size());
  for (std::size_t i = 1; i < odometry.size(); ++i) {
    const Transform step = inverse(odometry[i - 1].map_from_body) * odometry[i].map_from_body;
    const Transform before = inverse(poses[i - 1].map_from_body) * poses[i].map_from_body;
    const double metres = i == 5 ? 1 : translation_error_m({}, before);
    EXPECT_NEAR(translation_error_m({}, step), metres, 0.07 * metres) << i;
    EXPECT_LT(rotation_error_rad({}, step), 0.01) << i;
  }
  const std::vector<StampedTransform> driven = odometry_of(poses, 1);
  EXPECT_GT(translation_error_m(driven[4].map_from_body, driven[5].map_from_body), 90);
}

}  // namespace
}  // namespace ndt::harness::town
