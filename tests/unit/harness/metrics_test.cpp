#include "base/metrics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ndt::harness {
namespace {

TEST(Metrics, QuantilesAreLinearBetweenOrderStatistics) {
  const std::vector<double> samples = {40, 10, 30, 20};  // numpy.quantile gives the same
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.9), 37);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 40);
}

TEST(Metrics, TheMedianOfAnOddCountIsTheMiddleSample) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(quantile({7}, 0.9), 7);
}

TEST(Metrics, NoSamplesOrASillyShareAreRefused) {
  EXPECT_THROW(median({}), std::invalid_argument);
  EXPECT_THROW(quantile({1}, 1.1), std::invalid_argument);
  EXPECT_THROW(quantile({1}, -0.1), std::invalid_argument);
}

TEST(Metrics, PoseDifferenceIsInMetresAndDegrees) {
  const PoseDifference d = pose_difference(to_transform(Pose{3, 4, 0, 0, 0, kPi / 6}), {});
  EXPECT_DOUBLE_EQ(d.translation_m, 5);
  EXPECT_NEAR(d.rotation_deg, 30, 1e-12);
}

}  // namespace
}  // namespace ndt::harness
