// The scans that a vehicle works on when they arrive at their times, by a clock that only moves when it is
// told to.
#include <gmock/gmock.h>

#include "localize/localize_run.hpp"

namespace ndt::harness {
namespace {

using testing::ElementsAre;

class FakeClock : public Clock {
 public:
  double time_s = 1000, a_reading_takes_s = 0;
  double now_s() override { return time_s += a_reading_takes_s; }
  void wait_until(double until_s) override { time_s = std::max(time_s, until_s); }
};

std::vector<TimedScan> scans_at(const std::vector<double>& stamps_s) {
  std::vector<TimedScan> scans;
  for (const double stamp_s : stamps_s) scans.push_back({.name = "", .stamp_s = stamp_s, .truth = {}});
  return scans;
}

const std::vector<TimedScan> kTenHertz = scans_at({50, 50.1, 50.2, 50.3, 50.4, 50.5});

/// The frames that are worked on where each takes so long, and how many were dropped before each.
struct Worked {
  std::vector<std::size_t> frames, dropped;
  std::vector<double> delays_s;
};
Worked worked(const std::vector<TimedScan>& scans, double speed, const std::vector<double>& takes_s,
              double reading_s = 0) {
  FakeClock clock;
  Arrivals arrivals(scans, RealTime{&clock, speed});
  Worked out;
  while (const auto arrival = arrivals.next()) {
    arrivals.outside_time([&] { clock.time_s += reading_s; });
    clock.time_s += takes_s[arrival->frame];
    out.frames.push_back(arrival->frame);
    out.dropped.push_back(arrival->dropped);
    out.delays_s.push_back(*arrival->delay_s);
  }
  return out;
}

TEST(Arrivals, WithoutAClockEveryScanIsTaken) {
  Arrivals arrivals(kTenHertz, std::nullopt);
  for (std::size_t frame = 0; frame < kTenHertz.size(); ++frame) {
    const auto arrival = arrivals.next();
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->frame, frame);
    EXPECT_EQ(arrival->dropped, 0u);
    EXPECT_FALSE(arrival->delay_s);
    arrivals.outside_time([] {});
  }
  EXPECT_FALSE(arrivals.next());
}

TEST(Arrivals, TheFirstScanIsTakenHoweverFastTheOthersCome) {
  FakeClock clock;
  clock.a_reading_takes_s = 1e-3;
  Arrivals arrivals(kTenHertz, RealTime{&clock, 1e6});
  const auto first = arrivals.next(), second = arrivals.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->frame, 0u);
  EXPECT_EQ(second->frame, 5u);
  EXPECT_EQ(second->dropped, 4u);
}

TEST(Arrivals, AFastVehicleWaitsForEveryScan) {
  const Worked fast = worked(kTenHertz, 1, std::vector<double>(6, 0.09));
  EXPECT_THAT(fast.frames, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(fast.dropped, testing::Each(0));
  EXPECT_THAT(fast.delays_s, testing::Each(0));
}

TEST(Arrivals, WhoIsLateFindsTheNewestScanAndLeavesTheOthersOut) {
  const Worked slow = worked(kTenHertz, 1, {0.25, 0, 0.01, 0, 0, 0});  // 50.1 and 50.2 came meanwhile
  EXPECT_THAT(slow.frames, ElementsAre(0, 2, 3, 4, 5));
  EXPECT_THAT(slow.dropped, ElementsAre(0, 1, 0, 0, 0));
  EXPECT_NEAR(slow.delays_s[1], 0.05, 1e-9);
  EXPECT_THAT(std::vector(slow.delays_s.begin() + 2, slow.delays_s.end()), testing::Each(0));
}

TEST(Arrivals, OneScanWaitsItsTurn) {
  const Worked slow = worked(kTenHertz, 1, {0.15, 0, 0, 0, 0, 0});  // 50.1 came, 50.2 has not
  EXPECT_THAT(slow.frames, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_NEAR(slow.delays_s[1], 0.05, 1e-9);
}

TEST(Arrivals, TheLastScanIsNeverDropped) {
  const Worked slow = worked(kTenHertz, 1, std::vector<double>(6, 100));
  EXPECT_THAT(slow.frames, ElementsAre(0, 5));
  EXPECT_THAT(slow.dropped, ElementsAre(0, 4));
}

TEST(Arrivals, TheSpeedDividesTheTimes) {
  const std::vector<double> takes(6, 0.16);
  EXPECT_THAT(worked(kTenHertz, 0.5, takes).frames, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(worked(kTenHertz, 1, takes).frames, ElementsAre(0, 1, 3, 4, 5))
      << "50.1 waits, then 50.2 and 50.3 have come";
  EXPECT_THAT(worked(kTenHertz, 4, takes).frames, ElementsAre(0, 5));
}

TEST(Arrivals, ReadingAFileTakesNoTime) {
  EXPECT_THAT(worked(kTenHertz, 1, std::vector<double>(6, 0.09), 7).frames, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(worked(kTenHertz, 1, {0.25, 0, 0.01, 0, 0, 0}, 7).frames, ElementsAre(0, 2, 3, 4, 5));
}

TEST(Arrivals, AClockThatWakesUpEarlyDropsNothing) {
  class Hasty : public FakeClock {
    void wait_until(double until_s) override { time_s = until_s - 1e-4; }
  } clock;
  Arrivals arrivals(kTenHertz, RealTime{&clock, 1});
  for (std::size_t frame = 0; frame < kTenHertz.size(); ++frame) {
    const auto arrival = arrivals.next();
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->frame, frame);
    EXPECT_EQ(arrival->delay_s, 0);
  }
}

TEST(SteadyClock, WaitsAndNeverGoesBack) {
  SteadyClock clock;
  const double begun_s = clock.now_s();
  clock.wait_until(begun_s + 0.02);
  EXPECT_GE(clock.now_s(), begun_s + 0.02);
  const double before_s = clock.now_s();
  clock.wait_until(before_s - 10);
  EXPECT_LT(clock.now_s(), before_s + 5) << "a time that has passed is not waited for";
}

}  // namespace
}  // namespace ndt::harness
