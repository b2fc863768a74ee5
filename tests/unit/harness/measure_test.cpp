#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "measured_aligners.hpp"

namespace ndt::harness {
namespace {

TEST(Measure, OnlyTheWantedMeasurementsAreTaken) {
  const Measured got = measured(kEcho, plan_with({.cap_s = 0.01}), {2, 5});
  ASSERT_EQ(got.measurements.size(), 2u);
  EXPECT_EQ(got.measurements[0].guess_name, "guess2");
  EXPECT_EQ(got.measurements[1].guess_name, "guess5");
  EXPECT_EQ(got.ready, 1);
}

TEST(Measure, ErrorsAreComputedFromThePoseAndCloudsAreCounted) {
  const Measurement measurement = measured(kEcho, plan_with({.cap_s = 0.01}), {3}).measurements.at(0);
  ASSERT_TRUE(measurement.to_truth.has_value());
  EXPECT_EQ(measurement.to_truth->translation_m, translation_error_m(measurement.guess, Transform{}))
      << "an echo stays at its guess";
  EXPECT_EQ(measurement.points, 3000);
  EXPECT_EQ(measurement.map_points, 30000);
  EXPECT_EQ(measurement.voxels, 7);
  EXPECT_EQ(measurement.stop, "converged");
  EXPECT_GT(measurement.build_us, 0);
  EXPECT_GT(measurement.calibration_us, 0);
  EXPECT_GT(measurement.peak_rss_bytes, 1 << 20);
}

TEST(Measure, ARowNamesTheSolverWhereItDependsOnTheMachine) {
  const auto row = [](const Implementation& entry) {
    return nlohmann::json::parse(to_json_line(measured(entry, plan_with({}), {0}, false).measurements.at(0)));
  };
  EXPECT_EQ(row(kSolving).at("solver"), "own LDLT: why");
  EXPECT_TRUE(row(kEcho).at("solver").is_null());
}

TEST(Measure, ARowHasTheStepAndTheScoreOfAFinish) {
  const Measurement measurement = measured(kFinishing, plan_with({}), {0}, false).measurements.at(0);
  ASSERT_TRUE(measurement.finish) << measurement.error;
  EXPECT_EQ(measurement.finish->step_m, 0.003);
  EXPECT_EQ(measurement.finish->score, 2500);
  EXPECT_FALSE(measured(kEcho, plan_with({}), {0}, false).measurements.at(0).finish);
}

/// Answers with the guess, farther by the map's first point.
class AtTheFirstPoint final : public Echo {
 public:
  MapInfo set_map(const Scan& map) override {
    first_ = cast<double>(host_cloud(map, "set_map").points.at(0));
    return Echo::set_map(map);
  }

 private:
  void change(AlignResult& result, const PerScan&) override {
    const Transform& guess = result.map_from_scan;
    result.map_from_scan = make_transform(rotation_of(guess), translation_of(guess) + first_);
  }

  Vec3<double> first_;
};

TEST(Measure, AShiftOfTheGridMovesMapAndGuessAndThePoseBack) {
  const Implementation entry = made_of<AtTheFirstPoint>("first_point");
  const auto found_at = [&](std::optional<double> shift) {
    Job job;
    job.timed = false;
    job.grid_shift = shift;
    const Measurement found = measured_batches(entry, plan_with({}), job).at(0);
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(found.grid_shift, shift);
    return found;
  };
  const Measurement plain = found_at(std::nullopt), shifted = found_at(0.2);
  const Vec3<double> by = translation_of(shifted.pose) - translation_of(plain.pose);
  EXPECT_NEAR(by.x, 0.4, 1e-6) << "map and guess moved there, the pose back: once is left, 0.2 of 2 m";
  EXPECT_NEAR(by.y, 0.8, 1e-6);
  EXPECT_NEAR(by.z, 1.2, 1e-6);
  EXPECT_TRUE(std::ranges::equal(shifted.guess.m, plain.guess.m)) << "rows have the dataset's own frame";
}

TEST(Measure, SamplesEndWhenTheirSpreadIsSmallOrTheCapIsReached) {
  const Measurement settled =
      measured(kEcho, plan_with({.samples = 30, .spread = 1e9, .cap_s = 60}), {0}).measurements.at(0);
  EXPECT_EQ(settled.timing, Timing::settled);
  EXPECT_EQ(settled.align_us.size(), 30u);
  EXPECT_EQ(settled.align_after_idle_us.size(), 3u);
  const Measurement capped =
      measured(kSlow, plan_with({.samples = 30, .spread = 0, .cap_s = 0.1}), {0}).measurements.at(0);
  EXPECT_EQ(capped.timing, Timing::wall_cap);
  EXPECT_EQ(capped.align_us.size(), 3u) << "40 ms each";
  EXPECT_EQ(capped.align_after_idle_us.size(), 1u) << "idle samples take a third of the cap at most";
  EXPECT_GT(capped.align_us[0], 39000);
  const Measurement single = measured(kSlow, plan_with({}), {0}, false).measurements.at(0);
  EXPECT_EQ(single.timing, Timing::single);
  EXPECT_EQ(single.align_us.size(), 1u);
}

TEST(Measure, AtARateEveryTimedAlignmentWaitsForItsTick) {
  const Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60});
  const auto took_us = [&](const Implementation& entry, std::optional<double> rate_hz) {
    Job job;
    job.rate_hz = rate_hz;
    const Stopwatch watch;
    const Measurement found = measured_batches(entry, plan, job).at(0);
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(found.align_us.size(), 5u);
    EXPECT_EQ(found.rate_hz, rate_hz);
    EXPECT_EQ(found.align_after_idle_us.empty(), rate_hz.has_value()) << "all of them are after idleness";
    for (const double us : found.align_us) EXPECT_LT(us, 70000) << "without the wait";
    return watch.elapsed_us();
  };
  EXPECT_GT(took_us(kEcho, 10), 5 * 100000) << "five ticks of 100 ms";
  const double slow = took_us(kSlow, 50);
  EXPECT_GT(slow, 5 * 60000) << "40 ms from a tick of 20 ms: every other tick passes meanwhile";
}

TEST(Measure, TheLoadIsMeasuredIfItsTimeIsGiven) {
  const TimingRule rule{.samples = 1, .spread = 1e9, .cap_s = 60, .idle_samples = 0};
  EXPECT_FALSE(measured(kEcho, plan_with(rule), {0}).measurements.at(0).load.has_value());
  TimingRule with_load = rule;
  with_load.load_s = 0.05;
  const Measurement slow = measured(kSlow, plan_with(with_load), {0}).measurements.at(0);
  EXPECT_EQ(slow.align_us.size(), 1u) << "the repeats are not timed";
  EXPECT_LT(slow.load.value().cpu_percent, 50) << "it sleeps";
  EXPECT_FALSE(slow.load->gpu_energy_mj.has_value()) << "it is not for a device";
  EXPECT_FALSE(measured(kEcho, plan_with(with_load), {0}, false).measurements.at(0).load.has_value())
      << "the study is not timed";
  const Measurement failing = measured(kFailing, plan_with(with_load), {0}).measurements.at(0);
  EXPECT_EQ(failing.error, "fourth alignment");
}

/// Writes down what it is asked, in order.
class Listens final : public Echo {
 public:
  static inline std::string heard;
  MapInfo set_map(const Scan& map) override {
    heard += 'm';
    return Echo::set_map(map);
  }
  void expect_scan() override { heard += 'e'; }

 private:
  void change(AlignResult&, const PerScan&) override { heard += 'a'; }
};

TEST(Measure, AnAnnouncementComesBeforeEveryTimedAlignmentAtItsTick) {
  Job job;
  job.rate_hz = 50;
  job.announced_ms = 5;
  Listens::heard.clear();
  const Stopwatch watch;
  const Plan plan = plan_with({.samples = 3, .spread = 1e9, .cap_s = 60});
  EXPECT_EQ(measured_batches(made_of<Listens>("listens"), plan, job).at(0).announced_ms, 5);
  EXPECT_GT(watch.elapsed_us(), 3 * 20000);
  EXPECT_TRUE(Listens::heard.ends_with("aeaeaea")) << Listens::heard << ": the warm-up is not announced";
}

TEST(Measure, OnADeviceTheFirstCallsOfAJobAreTimed) {
  Implementation entry = made_of<Listens>("listens");
  const Plan plan = plan_with({.samples = 1, .spread = 1e9, .cap_s = 60, .idle_samples = 0});
  EXPECT_FALSE(measured(entry, plan, {0}).measurements.at(0).first_calls);
  entry.on_device = true;
  Listens::heard.clear();
  const Measured got = measured(entry, plan, {0, 1});
  EXPECT_TRUE(Listens::heard.starts_with("mam")) << Listens::heard;
  EXPECT_EQ(std::ranges::count(Listens::heard, 'm'), 2) << "once, for both measurements";
  for (const Measurement& measurement : got.measurements) {
    EXPECT_GT(measurement.first_calls.value().make_us, 0);
    EXPECT_GT(measurement.first_calls->align_us, 0);
    EXPECT_GT(measurement.first_calls->rebuild_us, 0);
  }
}

TEST(Measure, WhatThrowsIsAFailedMeasurementAndTheOthersGoOn) {
  const Measured got =
      measured(kFailing, plan_with({.samples = 1, .spread = 1e9, .cap_s = 60, .idle_samples = 0}), {0, 1, 2});
  ASSERT_EQ(got.measurements.size(), 3u);  // warm-up and sample, warm-up and throw, then a new aligner
  EXPECT_EQ(got.measurements[0].error, "");
  EXPECT_EQ(got.measurements[1].error, "fourth alignment");
  EXPECT_EQ(got.measurements[1].failure, Failure::exception);
  EXPECT_TRUE(got.measurements[1].align_us.empty());
  EXPECT_EQ(got.measurements[2].error, "");
}

TEST(Measure, WithoutAMapEveryMeasurementSaysSo) {
  const Measured got = measured(kWithoutMap, plan_with({}), {0, 7});
  ASSERT_EQ(got.measurements.size(), 2u);
  for (const Measurement& measurement : got.measurements) EXPECT_EQ(measurement.error, "no map");
  EXPECT_EQ(got.ready, 0);
}

TEST(Measure, CallsThatDifferInABitAreAFailure) {
  EXPECT_THAT(measured(kDrifting, plan_with({}), {0}).measurements.at(0).error,
              testing::HasSubstr("different bits"));
}

TEST(Measure, EveryCallHasTheWholeTimeAndWhatRanOutOfItIsNotCompared) {
  AlignArguments limited;
  limited[&ScanOptions::timeout_ms] = 1000;
  const Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60});
  const Measurement measurement = measured(kOutOfTime, plan, {0}, true, limited).measurements.at(0);
  EXPECT_EQ(measurement.error, "");
  EXPECT_EQ(measurement.stop, "timeout");
  EXPECT_EQ(measurement.align_us.size(), 5u);
  EXPECT_THAT(measured(kOutOfTime, plan, {0}).measurements.at(0).error, testing::HasSubstr("different bits"));
  EXPECT_THAT(measured(kDrifting, plan, {0}, true, limited).measurements.at(0).error,
              testing::HasSubstr("different bits"))
      << "it was in time";
}

TEST(Measure, TheTrafficOfOneTimedAlignmentIsInTheMeasurement) {
  Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60});
  for (const bool timed : {true, false}) {
    const Measurement measurement = measured(kOnADevice, plan, {0}, timed).measurements.at(0);
    ASSERT_TRUE(measurement.traffic.has_value()) << measurement.error;
    EXPECT_EQ(measurement.traffic->upload_bytes, 3000 * 12 + 128) << "neither the map's nor the warm-up's";
    EXPECT_EQ(measurement.traffic->uploads, 2);
    EXPECT_EQ(measurement.traffic->download_bytes, 344 + 2 * 4);
    EXPECT_EQ(measurement.traffic->downloads, 3);
    EXPECT_EQ(measurement.traffic->launches, 28);
    EXPECT_EQ(measurement.traffic->synchronisations, 3);
    EXPECT_EQ(measurement.traffic->allocations, 0) << "the first alignment's are its warm-up's";
    EXPECT_EQ(measurement.traffic->peak_device_bytes, 9 << 20);
    EXPECT_EQ(measurement.meetings.value().exchanges, 3);
    EXPECT_EQ(measurement.meetings.value().barriers, 1);
  }
  EXPECT_FALSE(measured(kEcho, plan, {0}).measurements.at(0).traffic.has_value());
}

TEST(Measure, ATraceIsNoTrafficOfTheTimedAlignment) {
  Job job;
  job.trace = true;
  const Plan plan = plan_with({.samples = 3, .spread = 1e9, .cap_s = 60});
  const Measurement measurement = measured_batches(kOnADevice, plan, job).at(0);
  EXPECT_EQ(measurement.traffic.value().download_bytes, 344 + 2 * 4);
}

TEST(Measure, AlignmentsThatDoNotCopyLaunchAndWaitAlikeAreAFailure) {
  const Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60, .idle_samples = 0});
  EXPECT_EQ(measured(kWaiting, plan, {0}).measurements.at(0).error,
            "align: two calls with the same input differ in synchronisations: 3 and 4");
}

TEST(Measure, AllocationsAfterTheWarmUpAreReported) {
  const Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60, .idle_samples = 0});
  const Measurement measurement = measured(kAllocating, plan, {0}).measurements.at(0);
  EXPECT_EQ(measurement.error, "");
  EXPECT_EQ(measurement.traffic.value().allocations, 2);
}

}  // namespace
}  // namespace ndt::harness
