// Batches and searches as measurements.
#include <gmock/gmock.h>

#include "measured_aligners.hpp"

namespace ndt::harness {
namespace {

TEST(Measure, ABatchIsOneMeasurementWithItsPosesIterationsTogether) {
  Job job;
  job.poses = {1, 4};
  const auto measurements =
      measured_batches(kBatches, plan_with({.samples = 5, .spread = 1e9, .cap_s = 60}), job);
  ASSERT_EQ(measurements.size(), 2u);
  EXPECT_EQ(measurements[0].iterations, 2) << "one pose is an alignment: " << measurements[0].error;
  EXPECT_EQ(measurements[1].iterations, 1 + 2 + 3 + 4) << measurements[1].error;
  EXPECT_EQ(measurements[1].evaluations, 4 * 3);
  EXPECT_EQ(measurements[1].align_us.size(), 5u);
  EXPECT_THAT(measurements[1].pose.m, testing::ElementsAreArray(measurements[1].guess.m))
      << "the first pose starts from the guess itself";
}

TEST(Measure, ABatchThatWouldTakeTooLongIsSkippedAndSaysWhy) {
  Plan plan = plan_with({.samples = 1, .spread = 1e9, .cap_s = 60, .idle_samples = 0});
  plan.limits.call_s = 0.2;
  Job job;
  job.poses = {1, 2, 1000};
  job.variant.regularised_at_truth = true;  // 30 ms an alignment, 3 ms a pose of a batch
  const auto measurements = measured_batches(kBatches, plan, job);
  ASSERT_EQ(measurements.size(), 3u);
  EXPECT_EQ(measurements[0].error, "");
  EXPECT_EQ(measurements[1].error, "");
  EXPECT_THAT(measurements[2].error,
              testing::AllOf(testing::HasSubstr("skipped: 1000 poses, at 3."), testing::HasSubstr("0.2 s")));
  EXPECT_FALSE(measurements[2].failed());
}

TEST(Measure, TheRegularisationsTargetAndTheTimingAreTheJobs) {
  Job job;
  job.variant.options[&ScanOptions::regularisation_x_m] = 3;
  job.variant.options[&ScanOptions::regularisation_y_m] = 5;
  job.timing = TimingRule{.samples = 2, .spread = 1e9, .cap_s = 60, .idle_samples = 0};
  const Plan plan = plan_with({.samples = 9, .spread = 1e9, .cap_s = 60});
  const Measurement given = measured_batches(kBatches, plan, job).at(0);
  EXPECT_EQ(given.score, 305) << given.error;
  EXPECT_EQ(given.align_us.size(), 2u);
  EXPECT_TRUE(given.align_after_idle_us.empty());
  job.variant.regularised_at_truth = true;
  EXPECT_EQ(measured_batches(kBatches, plan, job).at(0).score, 0) << "the courtyard's true position";
}

TEST(Measure, AnImplementationThatTakesNoBatchesFailsThem) {
  Job job;
  job.poses = {2};
  EXPECT_THAT(measured_batches(kEcho, plan_with({}), job).at(0).error,
              testing::HasSubstr("align_batch: not offered"));
}

Job searching_job(const std::string& strategy) {
  Job job;
  job.search.emplace();
  job.search->name = "s";
  job.search->seeds = 2;
  job.search->arguments[&StrategyChoice::strategy] = strategy;
  job.search->arguments[&initial_pose::SearchOptions::particles] = 12;
  job.search->arguments[&initial_pose::SearchOptions::startup] = 5;
  return job;
}

TEST(Measure, ASearchIsOneMeasurementOfItsBestParticle) {
  Job job = searching_job("batched_persistent");
  job.search->arguments[&initial_pose::SearchOptions::at_once] = 4;
  job.trace = true;
  const Measurement measurement =
      measured_batches(kBatches, plan_with({.samples = 5, .spread = 1e9, .cap_s = 60}), job).at(0);
  EXPECT_EQ(measurement.error, "");
  EXPECT_EQ(measurement.align_us.size(), 5u) << "whole searches";
  EXPECT_EQ(measurement.iterations, 15 + 10 + 6 + 21) << "of batches of 5, 4 and 3, and 6 beside the answer";
  EXPECT_EQ(measurement.evaluations, (12 + 6) * 3);
  ASSERT_TRUE(measurement.search.has_value());
  EXPECT_EQ(measurement.search->best_particle, 0u) << "an echo has no score, so the first wins";
  EXPECT_FALSE(measurement.search->reliable.value_or(false));
  ASSERT_EQ(measurement.search->paths.size(), 18u);
  EXPECT_EQ(measurement.search->paths[0][0], measurement.search->paths[0][3])
      << "an echo stays where it starts";
  ASSERT_EQ(measurement.search->improvements.size(), 1u);
  EXPECT_EQ(measurement.search->improvements[0].translation_error_m,
            measurement.to_truth.value().translation_m);
  EXPECT_EQ(
      translation_error_m(measurement.pose,
                          to_transform(Pose{measurement.search->paths[0][0], measurement.search->paths[0][1],
                                            translation_of(measurement.pose).z, 0, 0, 0})),
      0);
}

TEST(Measure, ASearchOfOneParticleAfterTheOtherNeedsNoBatches) {
  const Job job = searching_job("sequential");
  const Measurement measurement =
      measured_batches(kEcho, plan_with({.samples = 1, .spread = 1e9, .cap_s = 60}), job).at(0);
  EXPECT_EQ(measurement.error, "");
  EXPECT_EQ(measurement.iterations, (12 + 6) * 2);
  EXPECT_TRUE(measurement.search.value().paths.empty()) << "nobody asked for them";
}

}  // namespace
}  // namespace ndt::harness
