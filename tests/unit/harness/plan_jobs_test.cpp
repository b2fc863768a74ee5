#include "run/plan_jobs.hpp"

#include <gmock/gmock.h>

namespace ndt::harness {
namespace {

using testing::ElementsAre;

std::vector<PlannedFrame> frames_of(std::size_t count, std::size_t measurements) {
  std::vector<PlannedFrame> frames;
  for (std::size_t k = 0; k < count; ++k) frames.push_back({10 + k, std::vector<bool>(measurements, true)});
  return frames;
}

TEST(PlanBlocks, ABlockMayBeginAndEndWithinAFrame) {
  Job common;
  common.dataset = "d";
  const std::vector<Job> jobs = jobs_of(common, frames_of(3, 4), 5);
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_THAT(jobs[0].frames, ElementsAre(10, 11));
  EXPECT_THAT(jobs[1].frames, ElementsAre(11, 12));
  EXPECT_THAT(jobs[2].frames, ElementsAre(12));
  EXPECT_EQ(jobs[0].first_measurement, 0u);
  EXPECT_EQ(jobs[1].first_measurement, 1u) << "of its first frame";
  EXPECT_EQ(jobs[2].first_measurement, 2u);
  EXPECT_EQ(jobs[0].measurement_count + jobs[1].measurement_count + jobs[2].measurement_count, 12u);
  for (const Job& job : jobs) EXPECT_EQ(job.dataset, "d");
  EXPECT_TRUE(jobs_of({}, {}, 5).empty());
}

TEST(PlanBlocks, AJobCountsWhatIsNotNew) {
  std::vector<PlannedFrame> frames = frames_of(2, 3);
  frames[1].is_new = {false, true, false};
  const std::vector<Job> jobs = jobs_of({}, frames, 4);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].shared_count, 1u);
  EXPECT_EQ(jobs[1].shared_count, 1u);
  EXPECT_FALSE(jobs_of({}, frames_of(1, 3), 4)[0].shared_count);
}

TEST(PlanBlocks, FourProcessesWhereThereAreFourMeasurements) {
  for (std::size_t count = 1; count < 40; ++count)
    for (const std::size_t most : {1u, 2u, 8u, 100u}) {
      const auto frames = frames_of(count, 1);
      const std::size_t block = block_for_intervals(frames, most);
      EXPECT_LE(block, most);
      EXPECT_GE(jobs_of({}, frames, block).size(), std::min(count, kLeastProcesses)) << count << " " << most;
    }
  EXPECT_EQ(block_for_intervals(frames_of(40, 1), 8), 8u) << "more processes than these are not wanted";
  EXPECT_EQ(block_for_intervals({}, 8), 1u);
}

TEST(PlanBlocks, MissingFramesAreThoseThatMakeFourMeasurements) {
  EXPECT_EQ(missing_frames(1, 1), 3u);
  EXPECT_EQ(missing_frames(3, 3), 1u);
  EXPECT_EQ(missing_frames(1, 2), 1u) << "each frame has two guesses";
  EXPECT_EQ(missing_frames(1, 3), 1u);
  EXPECT_EQ(missing_frames(4, 4), 0u);
  EXPECT_EQ(missing_frames(1, 8), 0u);
  EXPECT_EQ(missing_frames(0, 0), 0u);
}

}  // namespace
}  // namespace ndt::harness
