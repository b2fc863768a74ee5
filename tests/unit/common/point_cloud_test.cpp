#include "ndt/core/point_cloud.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "message_of.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/core/range_kernels.hpp"

namespace ndt {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(FinitePoints, ShiftsBetweenFarOriginsWithoutLosingTheMillimetres) {
  // At 5 000 km a float step is half a metre; offsets between origins are small, so the shift must be made in
  // double.
  const PointCloud cloud{{5e6 + 0.125, 5e6, -5e6}, {{1.001F, -2.002F, 3.003F}}};
  const FinitePoints got = finite_points(cloud, {5e6, 5e6 - 100, -5e6 - 2});
  ASSERT_EQ(got.points.size(), 1U);
  const float expected[] = {static_cast<float>(double{1.001F} + 0.125),
                            static_cast<float>(double{-2.002F} + 100),
                            static_cast<float>(double{3.003F} + 2)};
  EXPECT_EQ(got.points[0].x, expected[0]);
  EXPECT_EQ(got.points[0].y, expected[1]);
  EXPECT_EQ(got.points[0].z, expected[2]);
}

TEST(FinitePoints, DropsAPointThatOverflowsWhenShifted) {
  const PointCloud cloud{{3e38, 0, 0}, {{3e38F, 0, 0}, {0, 0, 0}}};
  const FinitePoints got = finite_points(cloud);
  EXPECT_EQ(got.dropped, 1);
  EXPECT_EQ(got.points.size(), 1U);
}

TEST(MeanRange, IsTheMeanDistanceFromTheOriginOfThePoints) {
  EXPECT_EQ(mean_range_m({}), 0);
  EXPECT_EQ(mean_range_m({{3, 4, 0}, {0, 0, -1}}), 3);
  EXPECT_EQ(mean_range_m({{0, 0, 0}}), 0);
}

/// As DeviceScan has them of a kernel.
TEST(MeanRange, OfPointsWhoseRangesWereAddedElsewhereIsTheSameBitForBit) {
  std::mt19937 random(5);
  std::normal_distribution<float> metres(0, 30);
  for (const std::size_t n : {0U, 1U, 15U, 16U, 17U, 400U, 5003U}) {
    std::vector<Point> points(n);
    for (Point& p : points) p = {metres(random), metres(random), metres(random)};
    std::vector<RangeBlock> blocks(n / kRangeBlock);
    for (std::size_t i = 0; i < blocks.size() * kRangeBlock; ++i)
      blocks[i / kRangeBlock].columns[i % 4] += std::sqrt(dot(points[i], points[i]));
    EXPECT_EQ(mean_range_m(blocks, std::span(points).subspan(blocks.size() * kRangeBlock)),
              mean_range_m(points))
        << n;
  }
}

TEST(DeviceCloud, ThatCannotBeReadIsRefusedWithTheNumber) {
  const auto refusal = [](const DeviceCloud& cloud) {
    return message_of<std::exception>([&] { require_readable(cloud, "align"); });
  };
  float number = 0;
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({&number, 1}), "");
  EXPECT_EQ(refusal({&number, 7, -16, 4, 8, 12}), "");
  EXPECT_EQ(refusal({nullptr, 3}), "align: 3 points on the device at a null address; give their address");
  EXPECT_EQ(
      refusal({&number, 3, 15}),
      "align: stride_bytes = 15 of the points on the device; give a multiple of 4, the bytes of float32");
  EXPECT_THAT(refusal({&number, 3, 12, 0, 4, 9}), testing::StartsWith("align: z_bytes = 9"));
  EXPECT_THAT(refusal({reinterpret_cast<char*>(&number) + 1, 3}), testing::StartsWith("align: address = "));
  EXPECT_THAT(refusal({&number, Limits::kPoints + 1}), testing::StartsWith("align: 134217729 points"));
}

TEST(MeanRange, DoesNotOverflowForFarPoints) {
  EXPECT_DOUBLE_EQ(mean_range_m({{3e30F, 0, 4e30F}}), std::hypot(double{3e30F}, double{4e30F}));
}

TEST(RangeKernels, GiveTheSameBitsAndStopAtTheSameBlockWithEveryInstructionSet) {
  constexpr float kNear_m = 50;
  std::mt19937 random(7);
  std::normal_distribution<float> coordinate(0, 10);
  std::vector<Point> points(1000);
  for (Point& p : points) p = {coordinate(random), coordinate(random), coordinate(random)};
  for (const std::size_t bad : {0U, 5U, 15U, 16U, 500U, 991U, 1000U}) {
    for (const Point& value : {Point{kNan, 0, 0}, Point{0, kInf, 0}, Point{0, 0, kNear_m}}) {
      std::vector<Point> some = points;
      if (bad < some.size()) some[bad] = value;
      double expected[4] = {};
      const std::size_t whole = (bad < some.size() ? bad : some.size()) / kRangeBlock * kRangeBlock;
      for (std::size_t first = 0; first < whole; first += kRangeBlock)
        for (std::size_t column = 0; column < 4; ++column) {
          float sum = 0;
          for (std::size_t i = first + column; i < first + kRangeBlock; i += 4) {
            const Point& p = some[i];
            sum += std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
          }
          expected[column] += static_cast<double>(sum);
        }
      for (const RangeKernels* kernels : usable_range_kernels()) {
        double columns[4] = {};
        EXPECT_EQ(kernels->add_near(some.data(), some.size(), kNear_m * kNear_m, columns), whole)
            << kernels->instructions << ", " << bad;
        EXPECT_EQ(std::memcmp(columns, expected, sizeof columns), 0) << kernels->instructions << ", " << bad;
      }
    }
  }
}

}  // namespace
}  // namespace ndt
