// The stage clock, which this program has in every build, and its ranges where there is CUDA: without a GPU.
#include "ndt/edge/stage_clock.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "recorded_ranges.hpp"

namespace ndt {
namespace {

using testing::ElementsAre;

double us(const StageClock& clock, HostStage stage) { return clock.times().host_us[static_cast<int>(stage)]; }

TEST(StageClock, CountsAStageFromItsBeginToTheNext) {
  StageClock clock;
  {
    const StageSpan counting(clock, HostStage::prepare);
    clock.enter(HostStage::wait);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    clock.enter(HostStage::result);
  }
  EXPECT_GE(us(clock, HostStage::wait), 20'000);
  EXPECT_GT(us(clock, HostStage::prepare), 0);
  EXPECT_GT(us(clock, HostStage::result), 0);
  EXPECT_EQ(us(clock, HostStage::launch), 0);
}

TEST(StageClock, CountsNothingBetweenSpans) {
  StageClock clock;
  { const StageSpan counting(clock, HostStage::prepare); }
  const double before = us(clock, HostStage::prepare);
  clock.enter(HostStage::align);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  { const StageSpan counting(clock, HostStage::prepare); }
  EXPECT_EQ(us(clock, HostStage::align), 0);
  EXPECT_GT(us(clock, HostStage::prepare), before);
  EXPECT_LT(us(clock, HostStage::prepare), before + 200'000);
  clock.reset();
  EXPECT_EQ(us(clock, HostStage::prepare), 0);
}

#ifdef NDT_WITH_CUDA

TEST(StageClock, OpensARangeForEveryStageByItsName) {
  test::recorded_ranges().clear();
  StageClock clock;
  std::vector<std::string> expected;
  {
    const StageSpan counting(clock, HostStage::prepare);
    for (int stage = 0; stage < kHostStageCount; ++stage) {
      clock.enter(static_cast<HostStage>(stage));
      expected.push_back("ndt: " + std::string(kHostStages[stage]));
      expected.emplace_back("ndt");
    }
  }
  EXPECT_EQ(test::recorded_ranges(), expected);
}

TEST(StageClock, ClosesTheRangeOfAStageThatThrows) {
  test::recorded_ranges().clear();
  StageClock clock;
  try {
    const StageSpan counting(clock, HostStage::upload);
    throw std::runtime_error("refused");
  } catch (const std::runtime_error&) {
  }
  clock.enter(HostStage::wait);
  EXPECT_THAT(test::recorded_ranges(), ElementsAre("ndt: upload", "ndt"));
}

#endif

}  // namespace
}  // namespace ndt
