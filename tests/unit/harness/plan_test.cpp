#include "run/plan.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/errors.hpp"
#include "data/load_dataset.hpp"
#include "ndt/core/error.hpp"
#include "run/guess_grids.hpp"
#include "run/job_measurements.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

Study study_of(std::vector<std::string> datasets, int measurements_per_job = 8) {
  Study study;
  study.datasets = std::move(datasets);
  study.measurements_per_job = measurements_per_job;
  return study;
}

Preset preset_of(Study study) {
  Preset preset;
  preset.name = "test";
  if (study.variants.empty()) study.variants.emplace_back();
  if (study.threads.empty()) study.threads = {1, 2};
  preset.studies = {std::move(study)};
  return preset;
}

const Selection kOwnImplementations = {.datasets = {},
                                       .implementations = {"cpu_pclomp_ref", "persistent_cpu"},
                                       .threads = {},
                                       .samples = {},
                                       .options = {}};

std::vector<Measurement> all_measurements(const Plan& plan) {
  std::vector<Measurement> measurements;
  for (const Job& job : plan.jobs)
    for (Measurement& measurement : planned_measurements(plan.run_id, job, load_dataset(job.dataset)))
      measurements.push_back(std::move(measurement));
  return measurements;
}

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

Study searching_study() {
  Study study = study_of({"courtyard"}, 4);
  study.threads = {1};
  study.searches.resize(2);
  for (SearchSpec& search : study.searches) search.seeds = 6;
  study.searches[0].name = "one";
  study.searches[0].arguments[&StrategyChoice::strategy] = "sequential";
  study.searches[0].implementations = {"cpu_pclomp_ref", "persistent_cpu"};
  study.searches[1].name = "rounds";
  study.searches[1].implementations = {"persistent_cpu"};
  return study;
}

TEST(Plan, ASearchHasAPriorAndASeedOfItsOwnForEveryNumber) {
  const Plan plan = make_plan(preset_of(searching_study()), kOwnImplementations, "id");
  EXPECT_EQ(plan.jobs.size(), 3u * 2u) << "blocks of 4 and 2";
  std::map<std::string, std::set<std::string>> seeds;
  std::map<std::uint64_t, Transform> priors;
  for (const Measurement& measurement : all_measurements(plan)) {
    ASSERT_TRUE(measurement.search.has_value());
    EXPECT_EQ(measurement.guess_name, "seed" + std::to_string(measurement.search->seed));
    EXPECT_TRUE(
        seeds[measurement.implementation + measurement.search->name].insert(measurement.guess_name).second);
    const auto [known, is_new] = priors.emplace(measurement.search->seed, measurement.guess);
    EXPECT_THAT(measurement.guess.m, testing::ElementsAreArray(known->second.m))
        << "every search starts from the same prior";
    EXPECT_GT(translation_error_m(measurement.guess, measurement.truth.value()), 0);
    EXPECT_LT(translation_error_m(measurement.guess, measurement.truth.value()), 10);  // sigma 1 m
  }
  EXPECT_EQ(seeds.size(), 3u);
  for (const auto& [search, names] : seeds) EXPECT_EQ(names.size(), 6u) << search;
  EXPECT_GT(translation_error_m(priors.at(0), priors.at(1)), 0);
}

TEST(Plan, ASearchThatAlignsAtOnceIsLeftOutWhereOneIsAlignedAtATime) {
  Study study = searching_study();
  study.searches[1].implementations = {"cpu_pclomp_ref"};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  ASSERT_EQ(plan.left_out.size(), 1u);
  EXPECT_EQ(plan.left_out[0].what, "cpu_pclomp_ref in search rounds");
}

TEST(Plan, AGridHoldsEveryCombinationAndReplacesTheGuesses) {
  Study study = study_of({"courtyard"});
  study.threads = {1};
  study.grids.resize(2);
  study.grids[0].x_m = {0, 1};
  study.grids[0].y_m = {0, 2, 3};
  study.grids[1].x_m = {0, 1};
  study.grids[1].yaw_deg = {0, 90};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  std::map<std::string, Measurement> measurements;
  for (const Measurement& measurement : all_measurements(plan))
    if (measurement.implementation == "persistent_cpu") measurements[measurement.guess_name] = measurement;
  EXPECT_EQ(measurements.size(), 6u + 4u - 2u) << "what both grids have is there once";
  const Measurement& turned = measurements.at("x+1_y+0_z+0_yaw+90");
  EXPECT_EQ(turned.guess_offset->yaw_deg, 90);
  EXPECT_NEAR(translation_of(turned.guess).x, 1, 1e-12);
  EXPECT_NEAR(turned.guess(1, 0), 1, 1e-12);
}

TEST(Plan, GridsThatShareOffsetsAreCountedOnceAndKeepTheirOrder) {
  GuessGrid first, second, third;
  first.x_m = {0, 1, 1, 1.0000001};  // the same text is the same offset
  first.y_m = {0, 2};
  second.x_m = {1, 5};
  second.y_m = {2, 0, 7};
  third.x_m = {5, 0};
  third.y_m = {7, 2};
  const GuessGrids grids({first, second, third});
  std::vector<std::string> names;
  for (std::size_t k = 0; k < grids.size(); ++k) names.push_back(grids.at(k).name);
  std::vector<std::string> expected;
  for (const char* name :
       {"x+0_y+0", "x+0_y+2", "x+1_y+0", "x+1_y+2", "x+1_y+7", "x+5_y+2", "x+5_y+0", "x+5_y+7", "x+0_y+7"})
    expected.push_back(std::string(name) + "_z+0_yaw+0");
  EXPECT_EQ(names, expected);
  EXPECT_EQ(GuessGrids({}).size(), 0u);
  first.z_m = {};
  EXPECT_EQ(GuessGrids({first}).size(), 0u);
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
  study.timed = false;
  EXPECT_EQ(make_plan(preset_of(study), one, "id").cost.sampling_s, 0);
  EXPECT_EQ(make_plan(preset_of(searching_study()), kOwnImplementations, "id").cost.alignments,
            3u * 6u * static_cast<std::size_t>(initial_pose::SearchOptions{}.particles));
}

TEST(Plan, MoreThanTheLimitsIsRefusedBeforeAnyOfItIsMade) {
  Study study = study_of({"courtyard"});
  GuessGrid& grid = study.grids.emplace_back();
  for (std::vector<double>* axis : {&grid.x_m, &grid.y_m, &grid.z_m, &grid.yaw_deg})
    for (int k = 0; k < 1000; ++k) axis->push_back(k * 0.1);
  expect_cheap_refusal("10^12 guesses", [&] {
    return input_error_of([&] { make_plan(preset_of(study), kOwnImplementations, "id"); });
  });
  EXPECT_THAT(input_error_of([&] { make_plan(preset_of(study), kOwnImplementations, "id"); }),
              HasSubstr("the limit of a run is 4194304; shorten its lists"));
  study.grids.clear();
  study.scatters.push_back({kCountMost, 1, 1, 1, 1});
  study.measurements_per_job = 1;
  EXPECT_THAT(input_error_of([&] { make_plan(preset_of(study), kOwnImplementations, "id"); }),
              HasSubstr("the limit is 134217728; raise its measurements_per_job or shorten its lists"));
  study = searching_study();
  study.searches[0].seeds = study.searches[1].seeds = kCountMost;
  study.measurements_per_job = 10000;
  study.threads = {1, 2};
  EXPECT_THAT(input_error_of([&] { make_plan(preset_of(study), kOwnImplementations, "id"); }),
              HasSubstr("the limit of a run is 4194304"));
}

// 90,000 guesses took more than 30 s where each was compared with all before it.
TEST(Plan, TimeGrowsWithTheGuessesAndNotWithTheirSquare) {
  Study study = study_of({"courtyard"}, 1000);
  study.threads = {1};
  GuessGrid& grid = study.grids.emplace_back();
  for (int k = 1; k < 300; ++k) {
    grid.x_m.push_back(k * 0.01);
    grid.y_m.push_back(k * 0.01);
  }
  Selection one = kOwnImplementations;
  one.implementations = {"persistent_cpu"};
  const auto start = std::chrono::steady_clock::now();
  const Plan plan = make_plan(preset_of(study), one, "id");
  EXPECT_EQ(plan.jobs.size(), 90u);
  const Dataset courtyard = load_dataset("courtyard");
  std::set<std::string> keys;
  for (const Job& job : plan.jobs)
    for (const Measurement& measurement : planned_measurements(plan.run_id, job, courtyard))
      keys.insert(measurement_key(measurement));
  EXPECT_EQ(keys.size(), 90000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15)) << "0.5 s in a release build";
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
            "another study of the preset measures it already, timed, traced or judged otherwise");
}

TEST(Plan, AScatterDrawsTheSameGuessesAroundEachTruthForEveryVariant) {
  Study study = study_of({"town_small"});
  study.frames = 2;
  study.threads = {1};
  study.scatters = {{5, 1, 0.2, 1, 6}, {2, 0, 0, 0, 0}};
  study.variants = {{"a", {}}, {"b", {}}};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  std::map<std::string, std::vector<Measurement>> by_guess;
  for (const Measurement& m : all_measurements(plan))
    if (m.implementation == "persistent_cpu") by_guess[m.frame + " " + m.guess_name].push_back(m);
  EXPECT_EQ(by_guess.size(), 2u * (5u + 2u));
  std::set<double> x;
  for (const auto& [name, same] : by_guess) {
    ASSERT_EQ(same.size(), 2u) << name;
    EXPECT_THAT(same[0].guess.m, testing::ElementsAreArray(same[1].guess.m)) << name;
    const double off = translation_error_m(same[0].guess, *same[0].truth);
    EXPECT_LE(off, 6 * std::sqrt(2 + 0.04)) << name;
    if (name.find(" xy0_") != std::string::npos)
      EXPECT_LE(off, 1e-12) << name;
    else
      x.insert(off);
  }
  EXPECT_EQ(x.size(), 2u * 5u) << "every guess is another";
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
}

TEST(Plan, EveryRateIsAJobOfItsOwn) {
  Study study = study_of({"courtyard"});
  study.threads = {1};
  study.rates_hz = {0, 10, 20};
  const Plan plan = make_plan(preset_of(study), kOwnImplementations, "id");
  EXPECT_EQ(plan.jobs.size(), 2u * 3u);
  EXPECT_EQ(plan.cost.measurements, 2u * 3u * 8u);
  std::map<double, int> counts;
  for (const Measurement& measurement : all_measurements(plan)) ++counts[measurement.rate_hz.value_or(0)];
  EXPECT_EQ(counts, (std::map<double, int>{{0, 16}, {10, 16}, {20, 16}}));
  study.rates_hz = {0, 0.5, 20};
  study.timing = TimingRule{.cap_s = 3};
  EXPECT_DOUBLE_EQ(make_plan(preset_of(study), kOwnImplementations, "id").cost.sampling_s,
                   16 * (4.0 + (3 * 2.0 + 2.0) + (3 + 0.05)))
      << "at a rate, three samples even past the cap, and no samples after idling";
  study.timing->samples = 1;
  EXPECT_DOUBLE_EQ(make_plan(preset_of(study), kOwnImplementations, "id").cost.sampling_s,
                   16 * (4.0 + (3 + 2.0) + (3 + 0.05)));
}

TEST(Plan, FramesAreSpreadEvenly) {
  Study study = study_of({"courtyard"});
  study.frames = 1;
  EXPECT_EQ(make_plan(preset_of(study), kOwnImplementations, "id").jobs[0].frames,
            std::vector<std::size_t>{0});
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
  const Plan plan =
      make_plan(preset_of(study_of({"no/such/folder", "courtyard"})), kOwnImplementations, "id");
  ASSERT_EQ(plan.left_out.size(), 1u);
  EXPECT_EQ(plan.left_out[0].what, "dataset no/such/folder");
  Selection asked = kOwnImplementations;
  asked.datasets = {"no/such/folder"};
  EXPECT_THROW(make_plan(preset_of(study_of({"courtyard"})), asked, "id"), InputError);
  EXPECT_THROW(make_plan(preset_of(study_of({"no/such/folder"})), kOwnImplementations, "id"), InputError)
      << "nothing to do";
}

TEST(Plan, OptionsOutOfRangeAndUnknownNamesAreUsageErrors) {
  Selection selection = kOwnImplementations;
  selection.options[&AlignOptions::step_m] = 0;
  EXPECT_THROW(make_plan(preset_of(study_of({"courtyard"})), selection, "id"), std::invalid_argument);
  selection = kOwnImplementations;
  selection.datasets = {"courtyrad"};
  EXPECT_THROW(make_plan(preset_of(study_of({"courtyard"})), selection, "id"), UsageError);
  selection = kOwnImplementations;
  selection.implementations = {"gpu"};
  EXPECT_THROW(make_plan(preset_of(study_of({"courtyard"})), selection, "id"), UsageError);
}

class PlanFile : public ScratchFiles {
 protected:
  PlanFile() : ScratchFiles("plan.json") {}
};

TEST_F(PlanFile, APlanComesBackAsItWas) {
  Study study = study_of({"courtyard"});
  study.trace = true;
  study.second_look = true;
  study.grids.resize(1);
  study.grids[0].x_m = {0, 1};
  study.scatters.push_back({3, 2, 0.2, 1, 12});
  study.variants = {{"v", {}}};
  study.variants[0].options[&AlignOptions::line_search] = "batched";
  study.variants[0].options[&AlignOptions::step_m] = 0.25;
  study.variants[0].regularised_at_truth = true;
  study.poses = {1, 7};
  study.timing = TimingRule{.samples = 9};
  study.rates_hz = {0, 12.5};
  Preset preset = preset_of(study);
  preset.limits.call_s = 0.5;
  const Plan plan = make_plan(preset, kOwnImplementations, "id");
  const Plan read = read_plan(put(plan_json(plan)));
  EXPECT_EQ(read.limits.call_s, 0.5);
  EXPECT_EQ(read.jobs[0].poses, plan.jobs[0].poses);
  EXPECT_EQ(read.jobs[0].timing.value().samples, 9);
  EXPECT_TRUE(read.jobs[0].variant.regularised_at_truth);
  EXPECT_EQ(plan_json(read_plan(put(plan_json(plan)))), plan_json(plan));
}

TEST_F(PlanFile, SharedMeasurementsComeBackAndAreNoMoreThanThereAre) {
  Study study = study_of({"courtyard"});
  study.grids.resize(1);
  study.grids[0].x_m = {0, 1};
  Preset preset = preset_of(study);
  preset.studies.push_back(preset.studies[0]);
  preset.studies[1].grids[0].x_m = {0, 1, 2};
  const std::string text = plan_json(make_plan(preset, kOwnImplementations, "id"));
  EXPECT_THAT(text, HasSubstr("\"shared_rows\": 2"));
  EXPECT_EQ(plan_json(read_plan(put(text))), text);
  auto bad = nlohmann::ordered_json::parse(text);
  bad["jobs"][0]["shared_rows"] = 4;
  EXPECT_THAT(input_error_of([&] { read_plan(put(bad.dump())); }), HasSubstr("shared_rows"));
}

TEST_F(PlanFile, SearchesComeBack) {
  Study study = searching_study();
  study.searches[1].arguments[&initial_pose::SearchOptions::particles] = 30,
  study.searches[1].arguments[&initial_pose::SearchOptions::startup] = 20;
  study.searches[1].arguments[&initial_pose::SearchOptions::reliable_nvtl] = 2.5;
  const std::string text = plan_json(make_plan(preset_of(study), kOwnImplementations, "id"));
  const Plan read = read_plan(put(text));
  EXPECT_EQ(plan_json(read), text);
  EXPECT_TRUE(std::ranges::any_of(read.jobs, [](const Job& job) {
    return job.search.value().arguments[&initial_pose::SearchOptions::particles] == 30;
  }));
}

TEST_F(PlanFile, ASearchOfTheWholeMapComesBackAndNoneThatARunCannotDo) {
  Study study = searching_study();
  study.searches.erase(study.searches.begin());
  study.searches[0].arguments[&initial_pose::SearchOptions::method] = "anywhere";
  study.searches[0].prior = PriorKind::map;
  const std::string text = plan_json(make_plan(preset_of(study), kOwnImplementations, "id"));
  const Plan read = read_plan(put(text));
  EXPECT_EQ(plan_json(read), text);
  EXPECT_EQ(read.jobs.at(0).search.value().prior, PriorKind::map);
  auto changed = nlohmann::ordered_json::parse(text);
  changed["jobs"][0]["search"]["method"] = "tpe";
  EXPECT_THAT(input_error_of([&] { read_plan(put(changed.dump())); }), HasSubstr("for prior map take"));
  changed["jobs"][0]["search"]["prior"] = "town";
  EXPECT_THAT(input_error_of([&] { read_plan(put(changed.dump())); }), HasSubstr("prior is 'town'"));
  changed["jobs"][0]["search"].erase("prior");
  EXPECT_EQ(read_plan(put(changed.dump())).jobs.at(0).search.value().prior, PriorKind::pose)
      << "a plan of an earlier program";
}

TEST_F(PlanFile, EveryNumberHasItsBounds) {
  Study study = study_of({"courtyard"});
  study.grids.resize(1);
  study.scatters.resize(1);
  study.timing = TimingRule{};
  study.variants = {{"v", {}}};
  study.variants[0].options[&AlignOptions::max_iterations] = 5;
  Preset preset = preset_of(study);
  preset.limits.call_s = 1;
  const auto good = nlohmann::ordered_json::parse(plan_json(make_plan(preset, kOwnImplementations, "id")));
  const Dataset courtyard = load_dataset("courtyard");
  const std::pair<const char*, nlohmann::ordered_json> kBad[] = {
      {"/jobs/0/threads", 1.5},
      {"/jobs/0/threads", -1},
      {"/jobs/0/threads", 300},
      {"/jobs/0/job", 7},
      {"/jobs/0/frames", {99}},
      {"/jobs/0/frames", {0.5}},
      {"/jobs/0/frames", {-1}},
      {"/jobs/0/frames", 1},
      {"/jobs/0/first_row", 1000000},
      {"/jobs/0/row_count", 1000000},
      {"/jobs/0/row_count", 0},
      {"/jobs/0/poses", {1.5}},
      {"/jobs/0/poses", {0}},
      {"/jobs/0/rate_hz", 0},
      {"/jobs/0/rate_hz", 1e9},
      {"/jobs/0/rate_hz", "10"},
      {"/shard", {{"parts", {1}}, {"of", 0}, {"jobs", {0}}}},
      {"/shard", {{"parts", {3}}, {"of", 2}, {"jobs", {0}}}},
      {"/shard", {{"parts", nlohmann::ordered_json::array()}, {"of", 2}, {"jobs", {0}}}},
      {"/shard", {{"parts", {1}}, {"of", 2}, {"jobs", {1000}}}},
      {"/shard", {{"parts", {1}}, {"of", 2}, {"jobs", {1, 0}}}},
      {"/shard", {{"parts", {1}}, {"of", 2}}},
      {"/jobs/0/grids/0/x_m", {1e9}},
      {"/jobs/0/scatters/0/guesses", -1},
      {"/jobs/0/timing/samples", 0},
      {"/jobs/0/options/max_iterations", 2.5},
      {"/jobs/0/options/max_iterations", -3},
      {"/jobs/0/implementation", "gpu"},
      {"/limits/memory_mib", 1e18},
      {"/limits/memory_mib", std::int64_t{1} << 50},
      {"/limits/measurement_s", -1},
      {"/limits/call_s", -1},
      {"/timing/cap_s", 1e9}};
  for (const auto& [where, value] : kBad) {
    auto bad = good;
    bad[nlohmann::ordered_json::json_pointer(where)] = value;
    const std::string refusal = input_error_of([&] {
      const Plan plan = read_plan(put(bad.dump()));
      planned_measurements(plan.run_id, plan.jobs.at(0), courtyard);
    });
    EXPECT_THAT(refusal, HasSubstr("begin a new run")) << where << " " << value;
    EXPECT_THAT(refusal, HasSubstr("plan.json: ")) << where << " " << value;
  }
}

TEST_F(PlanFile, AnythingElseIsRefused) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(input_error_of([&] { read_plan(path("fifo")); }), HasSubstr("is a FIFO (named pipe)"));
  EXPECT_THAT(input_error_of([&] { read_plan("/dev/zero"); }), HasSubstr("is a character device"));
  EXPECT_THAT(input_error_of([&] { read_plan(put("{}")); }), HasSubstr("begin a new run"));
  EXPECT_THAT(input_error_of([&] { read_plan(path("none.json")); }), HasSubstr("there is no such file"));
}

}  // namespace
}  // namespace ndt::harness
