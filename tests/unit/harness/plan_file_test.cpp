// The file of a plan: it comes back as it was, and is refused if anything in it is wrong.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scratch_files.hpp"
#include "small_plans.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

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
  study.timing = TimingRule{.samples = 9, .load_s = 0.5};
  study.calls = {{}, {12.5}};
  Preset preset = preset_of(study);
  preset.limits.call_s = 0.5;
  const Plan plan = make_plan(preset, kOwnImplementations, "id");
  const Plan read = read_plan(put(plan_json(plan)));
  EXPECT_EQ(read.limits.call_s, 0.5);
  EXPECT_EQ(read.jobs[0].poses, plan.jobs[0].poses);
  EXPECT_EQ(read.jobs[0].timing.value().samples, 9);
  EXPECT_EQ(read.jobs[0].timing->load_s, 0.5);
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
      {"/jobs/0/announced_ms", 1},  // without a rate
      {"/jobs/0/announced_ms", 99},
      {"/jobs/0/grid_shift", 1},
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
