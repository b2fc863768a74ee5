#include "ndt/harness/measure.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace ndt::harness {
namespace {

/// Answers with the guess, or refuses what a test wants refused.
class Echo : public Aligner {
 public:
  MapInfo set_map(const PointCloud& map) override {
    MapInfo info;
    info.points = static_cast<std::int64_t>(map.size());
    info.voxels = 7;
    return info;
  }
  AlignResult align(const PointCloud&, const Transform& guess, const PerScan&) override {
    AlignResult result;
    result.map_from_scan = guess;
    result.stop = Stop::converged;
    result.iterations = 2;
    result.evaluations = 3;
    return result;
  }
  Evaluation evaluate(const PointCloud&, const Transform&, const PerScan&) override { return {}; }
  std::vector<VoxelRow> voxels() const override { return {}; }
};

class FailsOnTheFourthAlignment final : public Echo {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    if (++calls_ == 4) throw std::runtime_error("fourth alignment");
    return Echo::align(scan, guess, per_scan);
  }

 private:
  int calls_ = 0;
};

/// Never the same score twice.
class Drifts final : public Echo {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    AlignResult result = Echo::align(scan, guess, per_scan);
    result.score = ++calls_;
    return result;
  }

 private:
  int calls_ = 0;
};

class Slow final : public Echo {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    return Echo::align(scan, guess, per_scan);
  }
};

/// Copies, launches and waits as a row on a device does: scan up, result down, and a flag every iteration; a trace is more.
class OnADevice : public Echo {
 public:
  MapInfo set_map(const PointCloud& map) override {
    add({.upload_bytes = 1000000, .uploads = 3, .launches = 40, .synchronisations = 2, .allocations = 9});
    return Echo::set_map(map);
  }
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    const AlignResult result = Echo::align(scan, guess, per_scan);
    add({.upload_bytes = static_cast<std::int64_t>(12 * scan.size()) + 128,
         .uploads = 2,
         .download_bytes = 344 + 4 * result.iterations + (per_scan.trace ? 96 : 0),
         .downloads = 1 + result.iterations,
         .launches = 14 * result.iterations,
         .synchronisations = 1 + result.iterations,
         .allocations = calls_++ == 0 ? 5 : 0});
    return result;
  }
  std::optional<Traffic> traffic() const override {
    Traffic now = total_;
    now.device_bytes = 7 << 20;
    now.peak_device_bytes = 9 << 20;
    return now;
  }

 protected:
  void add(const Traffic& more) {
    total_.upload_bytes += more.upload_bytes;
    total_.uploads += more.uploads;
    total_.download_bytes += more.download_bytes;
    total_.downloads += more.downloads;
    total_.launches += more.launches;
    total_.synchronisations += more.synchronisations;
    total_.allocations += more.allocations;
  }
  int calls_ = 0;

 private:
  Traffic total_;
};

/// Waits once more in its third alignment.
class WaitsOnceMore final : public OnADevice {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    if (calls_ == 2) add({.synchronisations = 1});
    return OnADevice::align(scan, guess, per_scan);
  }
};

/// Allocates again in its third alignment.
class AllocatesAgain final : public OnADevice {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    if (calls_ == 2) add({.allocations = 2});
    return OnADevice::align(scan, guess, per_scan);
  }
};

/// Answers a batch with its guesses, pose k after k + 1 iterations.
class Batches final : public BatchAligner {
 public:
  MapInfo set_map(const PointCloud& map) override { return echo_.set_map(map); }
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    if (per_scan.regularisation) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    AlignResult result = echo_.align(scan, guess, per_scan);
    if (per_scan.regularisation) result.score = 100 * per_scan.regularisation->x + per_scan.regularisation->y;
    return result;
  }
  void align_batch(const PointCloud& scan, std::span<const Transform> guesses, std::span<AlignResult> out,
                   const PerScan& per_scan) override {
    if (per_scan.regularisation) std::this_thread::sleep_for(std::chrono::milliseconds(3 * guesses.size()));
    for (std::size_t k = 0; k < guesses.size(); ++k) {
      out[k] = echo_.align(scan, guesses[k], per_scan);
      out[k].iterations = static_cast<int>(k) + 1;
    }
  }
  void score_batch(const PointCloud&, std::span<const Transform>, std::span<Score>) override {}
  Evaluation evaluate(const PointCloud&, const Transform&, const PerScan&) override { return {}; }
  std::vector<VoxelRow> voxels() const override { return {}; }

 private:
  Echo echo_;
};

/// Refuses its map.
class NoMap final : public Echo {
 public:
  MapInfo set_map(const PointCloud&) override { throw std::runtime_error("no map"); }
};

std::string always() { return ""; }
std::unique_ptr<Aligner> make_echo(const AlignOptions&) { return std::make_unique<Echo>(); }
std::unique_ptr<Aligner> make_failing(const AlignOptions&) { return std::make_unique<FailsOnTheFourthAlignment>(); }
std::unique_ptr<Aligner> make_batches(const AlignOptions&) { return std::make_unique<Batches>(); }
std::unique_ptr<Aligner> make_drifting(const AlignOptions&) { return std::make_unique<Drifts>(); }
std::unique_ptr<Aligner> make_slow(const AlignOptions&) { return std::make_unique<Slow>(); }
std::unique_ptr<Aligner> make_without_map(const AlignOptions&) { return std::make_unique<NoMap>(); }
std::unique_ptr<Aligner> make_on_a_device(const AlignOptions&) { return std::make_unique<OnADevice>(); }
std::unique_ptr<Aligner> make_waiting(const AlignOptions&) { return std::make_unique<WaitsOnceMore>(); }
std::unique_ptr<Aligner> make_allocating(const AlignOptions&) { return std::make_unique<AllocatesAgain>(); }

constexpr AlignerEntry kEcho = {"echo", "", "", always, make_echo};
constexpr AlignerEntry kSlow = {"slow", "", "", always, make_slow};
constexpr AlignerEntry kFailing = {"failing", "", "", always, make_failing};
constexpr AlignerEntry kBatches = {"batches", "", "", always, make_batches};
constexpr AlignerEntry kDrifting = {"drifting", "", "", always, make_drifting};
constexpr AlignerEntry kWithoutMap = {"without_map", "", "", always, make_without_map};
constexpr AlignerEntry kOnADevice = {"on_a_device", "", "", always, make_on_a_device};
constexpr AlignerEntry kWaiting = {"waiting", "", "", always, make_waiting};
constexpr AlignerEntry kAllocating = {"allocating", "", "", always, make_allocating};

struct Measured {
  std::vector<RunRow> rows;
  int ready = 0;
};

/// The courtyard's rows named by `wanted`.
Measured measured(const AlignerEntry& entry, const Plan& plan, const std::vector<std::size_t>& wanted,
                  bool timed = true) {
  const Dataset dataset = load_dataset("courtyard");
  Job job;
  job.dataset = dataset.name;
  job.implementation = entry.name;
  job.frames = {0};
  job.row_count = 8;
  job.timed = timed;
  Measured out;
  measure(plan, job, entry, dataset, wanted,
          {.ready = [&] { ++out.ready; }, .row = [&](const RunRow& row) { out.rows.push_back(row); }});
  return out;
}

Plan plan_with(TimingRule timing) {
  Plan plan;
  plan.run_id = "id";
  plan.timing = timing;
  return plan;
}

TEST(Measure, OnlyTheWantedRowsAreMeasured) {
  const Measured got = measured(kEcho, plan_with({.cap_s = 0.01}), {2, 5});
  ASSERT_EQ(got.rows.size(), 2u);
  EXPECT_EQ(got.rows[0].guess_name, "guess2");
  EXPECT_EQ(got.rows[1].guess_name, "guess5");
  EXPECT_EQ(got.ready, 1);
}

TEST(Measure, ErrorsAreComputedFromThePoseAndCloudsAreCounted) {
  const RunRow row = measured(kEcho, plan_with({.cap_s = 0.01}), {3}).rows.at(0);
  ASSERT_TRUE(row.to_truth.has_value());
  EXPECT_EQ(row.to_truth->translation_m, translation_error_m(row.guess, Transform{})) << "an echo stays at its guess";
  EXPECT_EQ(row.points, 3000);
  EXPECT_EQ(row.map_points, 30000);
  EXPECT_EQ(row.voxels, 7);
  EXPECT_EQ(row.stop, "converged");
  EXPECT_GT(row.build_us, 0);
  EXPECT_GT(row.calibration_us, 0);
  EXPECT_GT(row.peak_rss_bytes, 1 << 20);
}

TEST(Measure, SamplesEndWhenTheirSpreadIsSmallOrTheCapIsReached) {
  const RunRow settled = measured(kEcho, plan_with({.samples = 30, .spread = 1e9, .cap_s = 60}), {0}).rows.at(0);
  EXPECT_EQ(settled.timing, Timing::settled);
  EXPECT_EQ(settled.align_us.size(), 30u);
  EXPECT_EQ(settled.align_after_idle_us.size(), 3u);
  const RunRow capped = measured(kSlow, plan_with({.samples = 30, .spread = 0, .cap_s = 0.1}), {0}).rows.at(0);
  EXPECT_EQ(capped.timing, Timing::wall_cap);
  EXPECT_EQ(capped.align_us.size(), 3u) << "40 ms each";
  EXPECT_EQ(capped.align_after_idle_us.size(), 1u) << "idle samples take a third of the cap at most";
  EXPECT_GT(capped.align_us[0], 39000);
  const RunRow single = measured(kSlow, plan_with({}), {0}, false).rows.at(0);
  EXPECT_EQ(single.timing, Timing::single);
  EXPECT_EQ(single.align_us.size(), 1u);
}

TEST(Measure, WhatThrowsIsARowWithItsErrorAndTheOthersGoOn) {
  const Measured got =
      measured(kFailing, plan_with({.samples = 1, .spread = 1e9, .cap_s = 60, .idle_samples = 0}), {0, 1, 2});
  ASSERT_EQ(got.rows.size(), 3u);  // warm-up and sample, warm-up and throw, then a new aligner
  EXPECT_EQ(got.rows[0].error, "");
  EXPECT_EQ(got.rows[1].error, "fourth alignment");
  EXPECT_EQ(got.rows[1].failure, Failure::exception);
  EXPECT_TRUE(got.rows[1].align_us.empty());
  EXPECT_EQ(got.rows[2].error, "");
}

TEST(Measure, WithoutAMapEveryRowSaysSo) {
  const Measured got = measured(kWithoutMap, plan_with({}), {0, 7});
  ASSERT_EQ(got.rows.size(), 2u);
  for (const RunRow& row : got.rows) EXPECT_EQ(row.error, "no map");
  EXPECT_EQ(got.ready, 0);
}

TEST(Measure, CallsThatDifferInABitAreAFailure) {
  EXPECT_THAT(measured(kDrifting, plan_with({}), {0}).rows.at(0).error, testing::HasSubstr("different bits"));
}

/// The courtyard's first guess with batches of these sizes.
std::vector<RunRow> measured_batches(const AlignerEntry& entry, const Plan& plan, Job job) {
  const Dataset dataset = load_dataset("courtyard");
  job.dataset = dataset.name;
  job.frames = {0};
  job.row_count = job.poses.size();
  std::vector<std::size_t> wanted;
  for (std::size_t k = 0; k < job.row_count; ++k) wanted.push_back(k);
  std::vector<RunRow> rows;
  measure(plan, job, entry, dataset, wanted, {.ready = [] {}, .row = [&](const RunRow& row) { rows.push_back(row); }});
  return rows;
}

TEST(Measure, ABatchIsOneMeasurementWithItsPosesIterationsTogether) {
  Job job;
  job.poses = {1, 4};
  const auto rows = measured_batches(kBatches, plan_with({.samples = 5, .spread = 1e9, .cap_s = 60}), job);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].iterations, 2) << "one pose is an alignment: " << rows[0].error;
  EXPECT_EQ(rows[1].iterations, 1 + 2 + 3 + 4) << rows[1].error;
  EXPECT_EQ(rows[1].evaluations, 4 * 3);
  EXPECT_EQ(rows[1].align_us.size(), 5u);
  EXPECT_THAT(rows[1].pose.m, testing::ElementsAreArray(rows[1].guess.m))
      << "the first pose starts from the guess itself";
}

TEST(Measure, ABatchThatWouldTakeTooLongIsSkippedAndSaysWhy) {
  Plan plan = plan_with({.samples = 1, .spread = 1e9, .cap_s = 60, .idle_samples = 0});
  plan.limits.call_s = 0.2;
  Job job;
  job.poses = {1, 2, 1000};
  job.variant.regularised_at_truth = true;  // 30 ms an alignment, 3 ms a pose of a batch
  const auto rows = measured_batches(kBatches, plan, job);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].error, "");
  EXPECT_EQ(rows[1].error, "");
  EXPECT_THAT(rows[2].error,
              testing::AllOf(testing::HasSubstr("skipped: 1000 poses, at 3."), testing::HasSubstr("0.2 s")));
  EXPECT_FALSE(rows[2].failed());
}

TEST(Measure, TheRegularisationsTargetAndTheTimingAreTheJobs) {
  Job job;
  job.variant.options.regularisation_x_m = 3;
  job.variant.options.regularisation_y_m = 5;
  job.timing = TimingRule{.samples = 2, .spread = 1e9, .cap_s = 60, .idle_samples = 0};
  const Plan plan = plan_with({.samples = 9, .spread = 1e9, .cap_s = 60});
  const RunRow given = measured_batches(kBatches, plan, job).at(0);
  EXPECT_EQ(given.score, 305) << given.error;
  EXPECT_EQ(given.align_us.size(), 2u);
  EXPECT_TRUE(given.align_after_idle_us.empty());
  job.variant.regularised_at_truth = true;
  EXPECT_EQ(measured_batches(kBatches, plan, job).at(0).score, 0) << "the courtyard's true position";
}

TEST(Measure, ARowThatTakesNoBatchesFailsThem) {
  Job job;
  job.poses = {2};
  EXPECT_THAT(measured_batches(kEcho, plan_with({}), job).at(0).error, testing::HasSubstr("align_batch: not offered"));
}

Job searching_job(const std::string& strategy) {
  Job job;
  job.search.emplace();
  job.search->name = "s";
  job.search->seeds = 2;
  job.search->arguments.strategy = strategy;
  job.search->arguments.particles = 12;
  job.search->arguments.startup = 5;
  return job;
}

TEST(Measure, ASearchIsOneMeasurementOfItsBestParticle) {
  Job job = searching_job("batched_persistent");
  job.search->arguments.at_once = 4;
  job.trace = true;
  const RunRow row =
      measured_batches(kBatches, plan_with({.samples = 5, .spread = 1e9, .cap_s = 60}), job).at(0);
  EXPECT_EQ(row.error, "");
  EXPECT_EQ(row.align_us.size(), 5u) << "whole searches";
  EXPECT_EQ(row.iterations, 15 + 10 + 6) << "of batches of 5, 4 and 3";
  EXPECT_EQ(row.evaluations, 12 * 3);
  ASSERT_TRUE(row.search.has_value());
  EXPECT_EQ(row.search->best_particle, 0u) << "an echo has no score, so the first wins";
  EXPECT_FALSE(row.search->reliable);
  ASSERT_EQ(row.search->paths.size(), 12u);
  EXPECT_EQ(row.search->paths[0][0], row.search->paths[0][3]) << "an echo stays where it starts";
  ASSERT_EQ(row.search->improvements.size(), 1u);
  EXPECT_EQ(row.search->improvements[0].translation_error_m, row.to_truth.value().translation_m);
  EXPECT_EQ(translation_error_m(row.pose, to_transform(Pose{row.search->paths[0][0], row.search->paths[0][1],
                                                            translation_of(row.pose).z, 0, 0, 0})),
            0);
}

TEST(Measure, ASearchOfOneParticleAfterTheOtherNeedsNoBatches) {
  const Job job = searching_job("sequential");
  const RunRow row = measured_batches(kEcho, plan_with({.samples = 1, .spread = 1e9, .cap_s = 60}), job).at(0);
  EXPECT_EQ(row.error, "");
  EXPECT_EQ(row.iterations, 12 * 2);
  EXPECT_TRUE(row.search.value().paths.empty()) << "nobody asked for them";
  EXPECT_THAT(measured_batches(kEcho, plan_with({}), searching_job("batched")).at(0).error,
              testing::HasSubstr("aligns many poses at once"));
}

TEST(Measure, TheTrafficOfOneTimedAlignmentIsInTheRow) {
  Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60});
  for (const bool timed : {true, false}) {
    const RunRow row = measured(kOnADevice, plan, {0}, timed).rows.at(0);
    ASSERT_TRUE(row.traffic.has_value()) << row.error;
    EXPECT_EQ(row.traffic->upload_bytes, 3000 * 12 + 128) << "neither the map's nor the warm-up's";
    EXPECT_EQ(row.traffic->uploads, 2);
    EXPECT_EQ(row.traffic->download_bytes, 344 + 2 * 4);
    EXPECT_EQ(row.traffic->downloads, 3);
    EXPECT_EQ(row.traffic->launches, 28);
    EXPECT_EQ(row.traffic->synchronisations, 3);
    EXPECT_EQ(row.traffic->allocations, 0) << "the first alignment's are its warm-up's";
    EXPECT_EQ(row.traffic->peak_device_bytes, 9 << 20);
  }
  EXPECT_FALSE(measured(kEcho, plan, {0}).rows.at(0).traffic.has_value());
}

TEST(Measure, ATraceIsNoTrafficOfTheTimedAlignment) {
  const Dataset dataset = load_dataset("courtyard");
  Job job;
  job.dataset = dataset.name;
  job.frames = {0};
  job.row_count = 1;
  job.trace = true;
  std::optional<RunRow> row;
  measure(plan_with({.samples = 3, .spread = 1e9, .cap_s = 60}), job, kOnADevice, dataset, {0},
          {.ready = [] {}, .row = [&](const RunRow& measured) { row = measured; }});
  EXPECT_EQ(row.value().traffic.value().download_bytes, 344 + 2 * 4);
}

TEST(Measure, AlignmentsThatDoNotCopyLaunchAndWaitAlikeAreAFailure) {
  const Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60, .idle_samples = 0});
  EXPECT_EQ(measured(kWaiting, plan, {0}).rows.at(0).error,
            "align: two calls with the same input differ in synchronisations: 3 and 4");
}

TEST(Measure, AllocationsAfterTheWarmUpAreReported) {
  const Plan plan = plan_with({.samples = 5, .spread = 1e9, .cap_s = 60, .idle_samples = 0});
  const RunRow row = measured(kAllocating, plan, {0}).rows.at(0);
  EXPECT_EQ(row.error, "");
  EXPECT_EQ(row.traffic.value().allocations, 2);
}

}  // namespace
}  // namespace ndt::harness
