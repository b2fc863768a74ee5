#include "ndt/edge/host_patience.hpp"

#include <gtest/gtest.h>

#include "ndt/core/limits.hpp"

namespace ndt {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = HostPatience::Clock;

const Clock::time_point kNow = Clock::time_point{} + std::chrono::hours(5);

TEST(HostPatience, LastsTenSecondsBeyondTheDeadline) {
  const Clock::time_point deadline = kNow + milliseconds(50);
  HostPatience patience({1000, 1, 30}, deadline);
  patience.begin();
  EXPECT_FALSE(patience.over(kNow));
  EXPECT_FALSE(patience.over(deadline));
  EXPECT_FALSE(patience.over(deadline + seconds(10)));
  EXPECT_TRUE(patience.over(deadline + milliseconds(10002)));  // and one evaluation more
}

TEST(HostPatience, CountsFromTheFirstLookWhereTheDeadlineIsPast) {
  HostPatience patience({0, 1, 30}, kNow - seconds(60));
  patience.begin();
  EXPECT_FALSE(patience.over(kNow)) << "collected late, and nothing was looked at yet";
  EXPECT_FALSE(patience.over(kNow + milliseconds(9999)));
  EXPECT_TRUE(patience.over(kNow + seconds(10)));
}

TEST(HostPatience, LeavesTimeForEveryEvaluationOfEveryPoseWithoutADeadline) {
  HostPatience patience({5000, 1000, 29}, std::nullopt);  // 150 million points
  patience.begin();
  EXPECT_DOUBLE_EQ(patience.seconds(), 160);
  EXPECT_FALSE(patience.over(kNow));
  EXPECT_FALSE(patience.over(kNow + seconds(159)));
  EXPECT_TRUE(patience.over(kNow + seconds(160)));
}

TEST(HostPatience, BeginsAnewWithEveryWait) {
  HostPatience patience({0, 1, 30}, std::nullopt);
  patience.begin();
  EXPECT_FALSE(patience.over(kNow));
  EXPECT_TRUE(patience.over(kNow + seconds(10)));
  patience.begin();
  EXPECT_FALSE(patience.over(kNow + seconds(11)));
  EXPECT_TRUE(patience.over(kNow + seconds(21)));
}

TEST(HostPatience, HasNoEndBeforeADeadlineThatNeverComes) {
  HostPatience patience({5000, 1, 30}, Clock::time_point::max());
  patience.begin();
  EXPECT_FALSE(patience.over(kNow));
  EXPECT_FALSE(patience.over(kNow + std::chrono::hours(1000)));
}

TEST(HostPatience, DoesNotOverflowAtTheLimits) {
  HostPatience patience({Limits::kPoints, Limits::kBatch, 10 * (Limits::kIterations + 1)}, std::nullopt);
  EXPECT_NEAR(patience.seconds(), 8.8e10, 1e9);
  patience.begin();
  EXPECT_FALSE(patience.over(kNow));
  EXPECT_FALSE(patience.over(kNow + std::chrono::hours(1000)));
}

}  // namespace
}  // namespace ndt
