// Tests the starts of a plan's measurements: grids, scatters, priors and batches, and how many there may be.
#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "run/guess_grids.hpp"
#include "run/guesses.hpp"
#include "scratch_files.hpp"
#include "small_plans.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

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

TEST(Plan, MoreThanTheLimitsIsRefusedBeforeAnyOfItIsMade) {
  Study study = study_of({"courtyard"});
  make_plan(preset_of(study), kOwnImplementations,
            "id");  // a GPU that is asked for the first time takes a second
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

TEST(BatchGuesses, ALargerBatchHoldsEverySmallerOneAndBeginsWithTheGuess) {
  const Transform first = to_transform(Pose{3, -2, 1, 0.1, 0.2, 0.3});
  const std::vector<Transform> few = batch_guesses(first, 5), many = batch_guesses(first, 2000);
  ASSERT_EQ(few.size(), 5u);
  ASSERT_EQ(many.size(), 2000u);
  EXPECT_THAT(few[0].m, testing::ElementsAreArray(first.m));
  for (std::size_t k = 0; k < few.size(); ++k) EXPECT_THAT(many[k].m, testing::ElementsAreArray(few[k].m));
}

TEST(BatchGuesses, AllAreWithinReachAndNoTwoAreTheSame) {
  const std::vector<Transform> guesses = batch_guesses({}, 1000);
  for (std::size_t k = 0; k < guesses.size(); ++k) {
    const Vec3<double> at = translation_of(guesses[k]);
    EXPECT_LE(std::hypot(at.x, at.y), kBatchReachM + 1e-12);
    EXPECT_EQ(at.z, 0);
    for (std::size_t other = 0; other < k; ++other) EXPECT_NE(guesses[other].m[3], guesses[k].m[3]);
  }
}

}  // namespace
}  // namespace ndt::harness
