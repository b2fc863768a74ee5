// Tests the plan of a preset: every measurement once, at a known cost, and what is left out and why.
#include "run/plan.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <map>
#include <set>

#include "ndt/core/error.hpp"
#include "small_plans.hpp"

namespace ndt::harness {
namespace {

TEST(Plan, EveryMeasurementIsPlannedOnce) {
  const Plan plan = make_plan(preset_of(study_of({"courtyard"}, 3)), kOwnImplementations, "id");
  EXPECT_EQ(plan.jobs.size(), 2u * 2u * 3u) << "8 guesses in blocks of 3, 3 and 2";
  std::set<std::string> keys;
  for (const Measurement& measurement : all_measurements(plan))
    EXPECT_TRUE(keys.insert(measurement_key(measurement)).second) << measurement_key(measurement);
  EXPECT_EQ(keys.size(), 2u * 2u * 8u);
  for (std::size_t k = 0; k < plan.jobs.size(); ++k) EXPECT_EQ(plan.jobs[k].index, static_cast<int>(k));
}

TEST(Plan, StudiesThatShareMeasurementsPlanThemOnce) {
  Preset preset = preset_of(study_of({"courtyard"}));
  preset.studies.push_back(preset.studies[0]);
  EXPECT_EQ(make_plan(preset, kOwnImplementations, "id").jobs.size(),
            make_plan(preset_of(study_of({"courtyard"})), kOwnImplementations, "id").jobs.size());
}

/// The part of row_count that another job does not have, summed over all jobs.
std::size_t own_rows(const Plan& plan) {
  std::size_t rows = 0;
  for (const Job& job : plan.jobs) rows += job.measurement_count - job.shared_count.value_or(0);
  return rows;
}

TEST(Plan, AJobSaysHowManyOfItsMeasurementsAnotherHas) {
  Preset preset = preset_of(study_of({"courtyard"}, 3));
  EXPECT_EQ(own_rows(make_plan(preset, kOwnImplementations, "id")), 2u * 2u * 8u);
  preset.studies[0].grids.resize(1);
  preset.studies[0].grids[0].x_m = {0, 1};
  preset.studies.push_back(preset.studies[0]);
  preset.studies[1].grids[0].x_m = {0, 1, 2};
  const Plan plan = make_plan(preset, kOwnImplementations, "id");
  EXPECT_EQ(all_measurements(plan).size(), 2u * 2u * (2u + 3u)) << "a frame with news is planned whole";
  EXPECT_EQ(own_rows(plan), 2u * 2u * 3u);
  EXPECT_EQ(own_rows(plan), plan.cost.measurements);
}

TEST(Plan, TheOrderIsMixedAndTheSameForASeed) {
  Preset preset = preset_of(study_of({"courtyard", "courtyard_5k"}, 1));
  const std::string first = plan_json(make_plan(preset, kOwnImplementations, "id"));
  EXPECT_EQ(plan_json(make_plan(preset, kOwnImplementations, "id")), first);
  preset.seed = 2;
  EXPECT_NE(plan_json(make_plan(preset, kOwnImplementations, "id")), first);
  const Plan plan = make_plan(preset, kOwnImplementations, "id");
  int changes = 0;
  for (std::size_t k = 1; k < plan.jobs.size(); ++k)
    changes += plan.jobs[k].implementation != plan.jobs[k - 1].implementation ? 1 : 0;
  EXPECT_GT(changes, static_cast<int>(plan.jobs.size()) / 4)
      << "implementations take turns, so that drift hits all alike";
}

TEST(Plan, ASearchThatAlignsAtOnceIsLeftOutWhereOneIsAlignedAtATime) {
  Study study = searching_study();
  study.searches[1].implementations = {"cpu_pclomp_ref"};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  ASSERT_EQ(plan.left_out.size(), 1u);
  EXPECT_EQ(plan.left_out[0].what, "cpu_pclomp_ref in search rounds");
}

TEST(Plan, ItsCostIsKnownWhenItIsMade) {
  Study study = study_of({"courtyard"});
  study.threads = {1};
  study.poses = {1, 50};
  study.timing = TimingRule{.cap_s = 3};
  Selection one = kOwnImplementations;
  one.implementations = {"persistent_cpu"};
  PlanCost cost = make_plan(preset_of(study), one, "id").cost;
  EXPECT_EQ(cost.measurements, 8u * 2u);
  EXPECT_EQ(cost.alignments, 8u * 51u);
  EXPECT_DOUBLE_EQ(cost.sampling_s, 16 * 4.0) << "the cap, and a third of it for samples after idling";
  study.timing->load_s = 2;
  EXPECT_DOUBLE_EQ(make_plan(preset_of(study), one, "id").cost.sampling_s, 16 * (4.0 + 2.0));
  study.timed = false;
  EXPECT_EQ(make_plan(preset_of(study), one, "id").cost.sampling_s, 0);
  EXPECT_EQ(make_plan(preset_of(searching_study()), kOwnImplementations, "id").cost.alignments,
            3u * 6u * static_cast<std::size_t>(initial_pose::SearchOptions{}.particles));
}

TEST(Plan, WhatASecondStudyMeasuresOtherwiseIsNotDroppedInSilence) {
  Preset preset = preset_of(study_of({"courtyard"}));
  preset.studies.push_back(preset.studies[0]);
  EXPECT_TRUE(make_plan(preset, kOwnImplementations, "id").left_out.empty());
  preset.studies[1].timed = false;
  const Plan plan = make_plan(preset, kOwnImplementations, "id");
  ASSERT_EQ(plan.left_out.size(), 1u);
  EXPECT_EQ(plan.left_out[0].what, "autoware on courtyard in a second study");
  EXPECT_EQ(plan.left_out[0].why,
            "another study of the preset already measures it, with other timing, tracing or judging");
}

TEST(Plan, BatchesAreMeasuredAroundEveryGuessByImplementationsThatTakeThem) {
  Study study = study_of({"courtyard"});
  study.threads = {1};
  study.poses = {1, 2, 50};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  std::map<std::string, std::map<int, int>> counts;
  for (const Measurement& measurement : all_measurements(plan))
    ++counts[measurement.implementation][measurement.poses];
  EXPECT_EQ(counts["persistent_cpu"], (std::map<int, int>{{1, 8}, {2, 8}, {50, 8}}));
  EXPECT_EQ(counts["cpu_pclomp_ref"], (std::map<int, int>{{1, 8}}));
  ASSERT_EQ(plan.left_out.size(), 1u);
  EXPECT_EQ(plan.left_out[0].what, "cpu_pclomp_ref in batches");
}

TEST(Plan, AStudysTimingIsItsJobsAndSamplesAskedForCountEverywhere) {
  Preset preset = preset_of(study_of({"courtyard"}));
  preset.studies[0].timing = TimingRule{.samples = 2000, .cap_s = 2};
  EXPECT_EQ(make_plan(preset, kOwnImplementations, "id").jobs[0].timing.value().samples, 2000);
  Selection few = kOwnImplementations;
  few.samples = 3;
  EXPECT_EQ(make_plan(preset, few, "id").jobs[0].timing.value().samples, 3);
  few.load_s = 1.5;
  const Plan loaded = make_plan(preset, few, "id");
  EXPECT_EQ(loaded.jobs[0].timing.value().load_s, 1.5);
  EXPECT_EQ(loaded.timing.load_s, 1.5) << "of studies without a timing";
}

TEST(Plan, EveryRateIsAJobOfItsOwn) {
  Study study = study_of({"courtyard"});
  study.threads = {1};
  study.calls = {{}, {10}, {20}};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  EXPECT_EQ(plan.jobs.size(), 2u * 3u);
  EXPECT_EQ(plan.cost.measurements, 2u * 3u * 8u);
  std::map<double, int> counts;
  for (const Measurement& measurement : all_measurements(plan)) ++counts[measurement.rate_hz.value_or(0)];
  EXPECT_EQ(counts, (std::map<double, int>{{0, 16}, {10, 16}, {20, 16}}));
  study.calls = {{}, {0.5}, {20}};
  study.timing = TimingRule{.cap_s = 3};
  EXPECT_DOUBLE_EQ(make_plan(preset_of(study), kOwnImplementations, "id").cost.sampling_s,
                   16 * (4.0 + (3 * 2.0 + 2.0) + (3 + 0.05)))
      << "at a rate, three samples even past the cap, and no samples after idling";
  study.timing->samples = 1;
  EXPECT_DOUBLE_EQ(make_plan(preset_of(study), kOwnImplementations, "id").cost.sampling_s,
                   16 * (4.0 + (3 + 2.0) + (3 + 0.05)));
}

TEST(Plan, EveryShiftOfTheGridIsAJobThatIsNotTimed) {
  Study study = study_of({"courtyard"});
  study.threads = {1};
  study.calls = {{}, {.grid_shift = 0.2}};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  ASSERT_EQ(plan.jobs.size(), 2u * 2u);
  for (const Job& job : plan.jobs) EXPECT_EQ(job.timed, !job.grid_shift);
  std::set<std::string> keys;
  for (const Measurement& measurement : all_measurements(plan)) keys.insert(measurement_key(measurement));
  EXPECT_EQ(keys.size(), 2u * 2u * 8u);
}

TEST(Plan, EveryDatasetIsPlannedAtEveryDensityOnce) {
  Study study = study_of({"courtyard", "courtyard_20000@2m"});
  study.threads = {1};
  study.densities = {"", "1m", "2000", "20000"};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  std::map<std::string, std::set<std::string>> densities;
  for (const Measurement& measurement : all_measurements(plan))
    densities[measurement.dataset].insert(measurement.density);
  EXPECT_EQ(densities, (std::map<std::string, std::set<std::string>>{{"courtyard", {"as made"}},
                                                                     {"courtyard@1m", {"1 m"}},
                                                                     {"courtyard@2000", {"2,000 random"}},
                                                                     {"courtyard_20000@2m", {"2 m"}}}));
  ASSERT_EQ(plan.left_out.size(), 1u);
  EXPECT_EQ(plan.left_out[0].what, "dataset courtyard@20000");
  Selection asked = kOwnImplementations;
  asked.datasets = {"courtyard@20000"};
  EXPECT_THROW(make_plan(preset_of(study), asked, "id"), InputError);
}

TEST(Plan, AVariantsOptionsWinOverTheCommandLine) {
  Study study = study_of({"courtyard"});
  study.threads = {1};
  study.variants = {{"plain", {}}, {"fine", {}}};
  study.variants[1].options[&AlignOptions::resolution_m] = 1.0;
  Selection selection = kOwnImplementations;
  selection.options[&AlignOptions::resolution_m] = 3.0;
  selection.options[&AlignOptions::max_iterations] = 5;
  for (const Job& job : make_plan(preset_of(study), selection, "id").jobs) {
    const AlignOptions options = job_options(job, load_dataset("courtyard"));
    EXPECT_EQ(options.resolution_m, job.variant.name == "fine" ? 1.0 : 3.0);
    EXPECT_EQ(options.max_iterations, 5);
  }
}

TEST(Plan, WhatAnImplementationDoesNotOfferIsLeftOutWithItsReason) {
  for (const Implementation& entry : implementations())
    if (entry.peer && !entry.unavailable_reason().empty()) GTEST_SKIP() << entry.unavailable_reason();
  Study study = study_of({"courtyard"});
  study.variants = {{"direct7", {}}};
  study.variants[0].options[&AlignOptions::neighbours] = "direct7";
  const Plan plan = make_plan(preset_of(study), {}, "id");
  for (const Job& job : plan.jobs) EXPECT_NE(job.implementation, "pcl_ndt");
  EXPECT_TRUE(std::ranges::any_of(plan.left_out, [](const LeftOut& l) {
    return l.what == "pcl_ndt with direct7" && l.why.find("neighbours") != std::string::npos;
  }));
}

TEST(Plan, WhatIsNotForUseTakesPartOnlyWhereAStudyNamesIt) {
  constexpr const char* kName = "multikernel_transfers_cuda";
  Preset preset = preset_of(study_of({"courtyard"}));
  const auto studies = [&] {  // planned, or left out because it cannot run here
    const Plan plan = make_plan(preset, {}, "id");
    std::set<std::string> variants;
    for (const Job& job : plan.jobs)
      if (job.implementation == kName) variants.insert(job.variant.name);
    if (std::ranges::any_of(plan.left_out, [&](const LeftOut& l) { return l.what == kName; }))
      variants.insert("left out");
    return variants;
  };
  EXPECT_EQ(studies(), std::set<std::string>{});
  preset.studies.push_back(preset.studies[0]);
  preset.studies[1].variants[0].name = "named";
  preset.studies[1].also = {kName};
  const bool runs = find_implementation(kName).unavailable_reason().empty();
  EXPECT_EQ(studies(), std::set<std::string>{runs ? "named" : "left out"});
}

TEST(Plan, ADatasetOfThePresetMayBeMissingButNotOneAskedFor) {
  ::unsetenv("NDT_DATASETS");
  Study study = study_of({"no/such/folder", "own_recording", "courtyard"});
  EXPECT_THROW(make_plan(preset_of(study), kOwnImplementations, "id"), UsageError) << "a misspelt name";
  study.recordings = {"own_recording"};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  ASSERT_EQ(plan.left_out.size(), 2u);
  EXPECT_EQ(plan.left_out[0].what, "dataset no/such/folder");
  EXPECT_EQ(plan.left_out[1].what, "dataset own_recording");
  EXPECT_THAT(plan.left_out[1].why, testing::HasSubstr("unknown dataset"));
  Selection asked = kOwnImplementations;
  asked.datasets = {"no/such/folder"};
  EXPECT_THROW(make_plan(preset_of(study_of({"courtyard"})), asked, "id"), InputError);
  asked.datasets = {"own_recording"};
  EXPECT_THROW(make_plan(preset_of(study_of({"courtyard"})), asked, "id"), UsageError);
  EXPECT_THROW(make_plan(preset_of(study_of({"no/such/folder"})), kOwnImplementations, "id"), InputError)
      << "nothing to do";
}

}  // namespace
}  // namespace ndt::harness
