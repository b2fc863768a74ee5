// The clouds and counts are those of tests/datasets/test_no_returns.py: the converter leaves out the same
// points.
#include "ndt/align/no_returns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "ndt/core/pose.hpp"

namespace ndt {
namespace {

constexpr int kPoints = 2000;
constexpr float kLargest = std::numeric_limits<float>::max();

/// Unit vectors all around, evenly: a Fibonacci lattice from the zenith down.
Vec3<double> direction(int i) {
  const double z = 1 - (2.0 * i + 1) / kPoints, radius = std::sqrt(1 - z * z), angle = 2.399963229728653 * i;
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

PointCloud cloud(const std::function<Vec3<double>(int)>& point) {
  PointCloud made;
  for (int i = 0; i < kPoints; ++i) made.points.push_back(cast<float>(point(i)));
  return made;
}

/// The range to a street: ground 2 m below, walls at |x| = 10 and |y| = 7.
double street_range(const Vec3<double>& d) {
  const double wall = 1 / std::max(std::abs(d.x) / 10, std::abs(d.y) / 7);
  return d.z < 0 ? std::min(wall, 2 / std::max(-d.z, 1e-9)) : wall;
}
/// The walls end 6 m above.
bool is_sky(const Vec3<double>& d) { return street_range(d) * d.z > 6; }

Vec3<double> under_a_roof(int i) {
  const Vec3<double> d = direction(i);
  return (is_sky(d) ? 6 / d.z : street_range(d)) * d;
}
Vec3<double> street(int i) {
  const Vec3<double> d = direction(i);
  return (is_sky(d) ? 120 : street_range(d)) * d;
}

PointCloud with_share(int percent, const Point& value) {
  PointCloud made = cloud(under_a_roof);
  for (int i = 0; i < kPoints; ++i)
    if (i * 37 % 100 < percent) made.points[static_cast<std::size_t>(i)] = value;
  return made;
}
PointCloud at_range(int percent, double range_m) {
  return cloud([=](int i) { return i * 37 % 100 < percent ? range_m * direction(i) : under_a_roof(i); });
}
PointCloud copies(int n) {
  return cloud([=](int i) { return i < n ? Vec3<double>{1, 2, 3} : under_a_roof(i); });
}
PointCloud sphere(double noise_m) {
  return cloud([=](int i) {
    const double even = std::fmod(i * 0.6180339887, 1) - 0.5;
    return (30 + 2 * noise_m * even) * direction(i);
  });
}
PointCloud dome() {
  return cloud([](int i) {
    const Vec3<double> d = direction(i);
    return (d.z < 0 ? std::min(20.0, 1.5 / std::max(-d.z, 1e-9)) : 20) * d;
  });
}
PointCloud twice(PointCloud once) {
  once.points.insert(once.points.end(), once.points.begin(), once.points.end());
  return once;
}

std::string found(const PointCloud& scan) { return to_text(counted(find_no_returns(scan))); }

TEST(NoReturns, AreCountedByCause) {
  EXPECT_EQ(found(cloud(under_a_roof)), "");
  EXPECT_EQ(found(with_share(5, {0, 0, 0})), "100 zero");
  EXPECT_EQ(found(with_share(60, {-0.0F, 0, -0.0F})), "1200 zero");
  EXPECT_EQ(found(with_share(10, {kLargest, kLargest, kLargest})), "200 sentinel");
  EXPECT_EQ(found(with_share(10, {0, -1e7F, 1})), "200 sentinel");
  EXPECT_EQ(found(with_share(10, {9999, 9999, 9999})), "200 sentinel");
  EXPECT_EQ(found(with_share(10, {-99999, -99999, -99999})), "200 sentinel");
  EXPECT_EQ(found(with_share(1, {9999, 9999, 0})), "") << "no sentinel, and as many as chance may have";
  EXPECT_EQ(found(copies(21)), "21 identical");
  EXPECT_EQ(found(at_range(5, 120)), "100 max_range");
  EXPECT_EQ(found(at_range(60, 120)), "1200 max_range");
  EXPECT_EQ(found(cloud(street)), "453 max_range");
  EXPECT_EQ(found({}), "");
}

TEST(NoReturns, OneInAHundredAndFewerStay) {
  EXPECT_EQ(found(copies(20)), "");
  EXPECT_EQ(found(at_range(1, 120)), "");
  EXPECT_EQ(found(twice(cloud(under_a_roof))), "") << "a cloud that was merged with itself";
  const PointCloud four{{}, std::vector<Point>(4, {1.5F, 1.5F, 1.5F})};
  EXPECT_EQ(found(four), "");
}

TEST(NoReturns, ASurfaceAroundTheScannerStays) {
  EXPECT_EQ(found(sphere(0)), "");
  EXPECT_EQ(found(sphere(0.005)), "");
  EXPECT_EQ(found(sphere(0.02)), "");
  EXPECT_EQ(found(dome()), "");
}

TEST(NoReturns, TheSkyAboveOpenLandIsNoDome) {
  const PointCloud land = cloud([](int i) {
    const Vec3<double> d = direction(i);
    const double ground = 1.5 / std::max(-d.z, 1e-9);
    return (ground <= 100 ? ground : 120) * d;
  });
  EXPECT_EQ(found(land), "1015 max_range") << "directions above -1.5 m in 100 m";
}

TEST(NoReturns, WhatIsLeftKeepsItsOrderAndBits) {
  PointCloud scan = with_share(41, {0, 0, 0});
  const PointCloud clean = cloud(under_a_roof);
  EXPECT_EQ(drop_no_returns(scan).zero, 820);
  ASSERT_EQ(scan.size(), 1180U);
  std::size_t at = 0;
  for (int i = 0; i < kPoints; ++i) {
    if (i * 37 % 100 < 41) continue;
    EXPECT_EQ(scan.points[at++].x, clean.points[static_cast<std::size_t>(i)].x);
  }
  PointCloud room;
  EXPECT_EQ(&without_no_returns(scan, room), &scan) << "without a copy where there is nothing to leave out";
}

TEST(NoReturns, AreThoseOfTheCloudsFrame) {
  PointCloud scan = with_share(5, {-1000, -2000, -3});
  scan.origin = {1000, 2000, 3};
  EXPECT_EQ(found(scan), "100 zero");
}

TEST(NoReturns, PointsThatAreNotFiniteAreNotLookedAt) {
  PointCloud scan = copies(19);
  for (int i = 1800; i < kPoints; ++i)
    scan.points[static_cast<std::size_t>(i)].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(found(scan), "19 identical") << "more than one in a hundred of the 1800 others";
  drop_no_returns(scan);
  EXPECT_EQ(scan.size(), 1981U);
}

}  // namespace
}  // namespace ndt
