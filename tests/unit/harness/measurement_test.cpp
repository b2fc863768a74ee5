#include "run/measurement.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ndt/core/error.hpp"
#include "run/column.hpp"

namespace ndt::harness {
namespace {

Measurement sample_measurement() {
  Measurement measurement;
  measurement.run_id = "20250131T120000Z";
  measurement.job = 7;
  measurement.implementation = "persistent_cpu";
  measurement.dataset = "courtyard";
  measurement.frame = "000012";
  measurement.guess_name = "guess3";
  measurement.variant = "textbook";
  measurement.threads = 4;
  measurement.resolution_m = 2;
  measurement.guess = to_transform(Pose{0.1, -0.2, 0.3, 0.01, 0.02, 1.0 / 3.0});
  measurement.guess_offset = GuessOffset{0.5, -1, 0, 30};
  measurement.truth = Transform{};
  measurement.points = 3000;
  measurement.map_points = 30000;
  measurement.voxels = 1200;
  measurement.pose = to_transform(Pose{1e-17, 81377.123456789012, -0.0, 0.001, 0, 0.3});
  measurement.stop = "converged";
  measurement.iterations = 5;
  measurement.evaluations = 6;
  measurement.oscillation_count = 1;
  measurement.newton_fallbacks = 2;
  measurement.correspondences = 12498;
  measurement.score = 27814.263454437256;
  measurement.transform_probability = 9.271421151479085;
  measurement.nvtl = 3.3285068675263285;
  measurement.build_us = 7613.871;
  measurement.align_us = {1830.25, 1829.75, 1.0 / 3.0};
  measurement.align_after_idle_us = {2100.5};
  measurement.timing = Timing::settled;
  measurement.calibration_us = 180.5;
  measurement.peak_rss_bytes = 1 << 24;
  measurement.to_truth = PoseDifference{0.0123, 0.456};
  return measurement;
}

Measurement search_measurement() {
  Measurement measurement = sample_measurement();
  SearchRecord search;
  search.name = "rounds of 16", search.strategy = "batched_persistent", search.method = "tpe";
  search.particles = 200, search.startup = 100, search.at_once = 16, search.seed = 3;
  search.candidates = 50, search.reliable_nvtl = 2.5, search.interrupted = "timeout";
  search.sigma[0] = 5, search.sigma[4] = 0.02;
  search.best_particle = 131, search.reliable = true;
  search.runner_up_ratio = 2.0 / 3;
  search.runner_up_pose = measurement.pose;
  search.improvements = {{0, 123.4, 1.2, 3.1, 80.2}, {131, 9876.5, 3.3, {}, {}}};
  search.paths = {{1, 2, 3, 4, 5, 6, 1.0 / 3}};
  measurement.search = search;
  return measurement;
}

TEST(Measurement, ASearchComesBackBitForBit) {
  const Measurement measurement = search_measurement(), got = parse_measurement(to_json_line(measurement));
  EXPECT_EQ(to_json_line(got), to_json_line(measurement));
  ASSERT_TRUE(got.search.has_value());
  EXPECT_EQ(got.search->improvements.at(0).us, 123.4);
  EXPECT_FALSE(got.search->improvements.at(1).translation_error_m.has_value());
  EXPECT_EQ(got.search->paths, measurement.search->paths);

  Measurement failed = search_measurement();
  failed.error = "no device", failed.failure = Failure::exception;
  const Measurement lost = parse_measurement(to_json_line(failed));
  EXPECT_EQ(lost.search.value().name, "rounds of 16");
  EXPECT_EQ(lost.search->seed, 3u);
  EXPECT_TRUE(lost.search->improvements.empty());
}

TEST(Measurement, AMeasurementComesBackBitForBit) {
  const Measurement measurement = sample_measurement(), got = parse_measurement(to_json_line(measurement));
  EXPECT_EQ(to_json_line(got), to_json_line(measurement));
  EXPECT_EQ(measurement_key(got), measurement_key(measurement));
  EXPECT_THAT(got.pose.m, testing::ElementsAreArray(measurement.pose.m));
  EXPECT_THAT(got.guess.m, testing::ElementsAreArray(measurement.guess.m));
  EXPECT_EQ(got.score, measurement.score);
  EXPECT_EQ(got.align_us, measurement.align_us);
  EXPECT_EQ(got.timing, Timing::settled);
  EXPECT_EQ(got.newton_fallbacks, 2);
  EXPECT_EQ(got.guess_offset->yaw_deg, 30);
  EXPECT_EQ(got.job, 7);
}

std::vector<std::string> keys_of(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(Measurement, ItsLineHasTheColumnsThatColumnsJsonDescribes) {
  const std::string line = to_json_line(sample_measurement());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  std::vector<std::string> names;
  for (const auto& column : nlohmann::ordered_json::parse(columns_json())) {
    names.push_back(column.at("name"));
    EXPECT_THAT(keys_of(column.dump()), testing::ElementsAre("name", "unit", "kind", "null", "meaning"));
    EXPECT_NE(column.at("meaning"), "") << names.back();
  }
  EXPECT_EQ(keys_of(line), names);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << "a column comes twice";
  Measurement failed = sample_measurement();
  failed.error = "gone";
  failed.failure = Failure::crash;
  EXPECT_EQ(keys_of(to_json_line(failed)), names);
}

TEST(Measurement, AColumnIsNullWhereItSaysSo) {
  Measurement failed = sample_measurement();
  failed.error = "gone";
  failed.failure = Failure::crash;
  const auto done = nlohmann::ordered_json::parse(to_json_line(search_measurement())),
             gone = nlohmann::ordered_json::parse(to_json_line(failed));
  for (const auto& column : nlohmann::ordered_json::parse(columns_json())) {
    const std::string name = column.at("name"), rule = column.at("null");
    EXPECT_FALSE(rule == "never" && gone.at(name).is_null()) << name;
    EXPECT_FALSE((rule == "never" || rule == "with an error") && done.at(name).is_null()) << name;
  }
}

TEST(Measurement, AColumnHasTheKindOfItsMember) {
  std::map<std::string, std::string> kinds;
  for (const auto& column : nlohmann::ordered_json::parse(columns_json()))
    kinds[column.at("name")] = column.at("kind");
  EXPECT_EQ(kinds["stop"], "text");
  EXPECT_EQ(kinds["timing"], "text");
  EXPECT_EQ(kinds["points"], "int");
  EXPECT_EQ(kinds["launches"], "int");
  EXPECT_EQ(kinds["score"], "number");
  EXPECT_EQ(kinds["translation_error_m"], "number");
  EXPECT_EQ(kinds["truth"], "matrix");
  EXPECT_EQ(kinds["align_us"], "numbers");
  EXPECT_EQ(kinds["align_after_idle_us"], "maybe numbers");
  EXPECT_EQ(kinds["guess_offset"], "offset");
  EXPECT_EQ(kinds["trace"], "trace");
  EXPECT_EQ(kinds["search"], "search");
}

/// A measurement with all parts that may be missing.
Measurement full_measurement() {
  Measurement measurement = search_measurement();
  measurement.density = "0.25 m", measurement.poses = 20, measurement.grid_shift = 0.2;
  measurement.rate_hz = 12.5, measurement.announced_ms = 1;
  measurement.first_calls = {9000, 400, 700};
  measurement.aside = Aside{1234.5, 20.25};
  measurement.traffic = Traffic{36064, 2, 344, 1, 6, 7, 0, 0, std::int64_t{1} << 33};
  measurement.meetings = Meetings{9, 10};
  measurement.finish = FinishStep{0.0031, 2711.5};
  return measurement;
}

TEST(Measurement, EveryPartHasColumnsThatComeBackAndAreNullWithoutIt) {
  const nlohmann::ordered_json expected = {
      {"density", "0.25 m"},   {"poses", 20},           {"grid_shift", 0.2},
      {"rate_hz", 12.5},       {"announced_ms", 1},     {"make_us", 9000},
      {"first_align_us", 400}, {"rebuild_us", 700},     {"prepare_us", 1234.5},
      {"pipe_us", 20.25},      {"upload_bytes", 36064}, {"uploads", 2},
      {"download_bytes", 344}, {"downloads", 1},        {"launches", 6},
      {"synchronisations", 7}, {"allocations", 0},      {"peak_device_bytes", std::int64_t{1} << 33},
      {"exchanges", 9},        {"barriers", 10},        {"finish_step_m", 0.0031},
      {"finish_score", 2711.5}};
  const std::string full = to_json_line(full_measurement());
  const auto with = nlohmann::ordered_json::parse(full),
             without = nlohmann::ordered_json::parse(to_json_line(sample_measurement()));
  for (const auto& [name, value] : expected.items()) {
    EXPECT_EQ(with.at(name), value) << name;
    EXPECT_TRUE(without.at(name).is_null() || name == "poses") << name;
  }
  EXPECT_EQ(to_json_line(parse_measurement(full)), full);
}

TEST(Measurement, ARowOfAnEarlierProgramLacksTheColumnsThatCameLater) {
  const std::string line = to_json_line(sample_measurement());
  auto earlier = nlohmann::ordered_json::parse(line);
  for (const auto& column : nlohmann::ordered_json::parse(columns_json()))
    if (column.at("null") == to_string(Null::later)) earlier.erase(column.at("name").get<std::string>());
  EXPECT_FALSE(earlier.contains("poses") || earlier.contains("finish_score"));
  EXPECT_EQ(to_json_line(parse_measurement(earlier.dump())), line);
}

TEST(Measurement, TrafficHasAllItsCountsOrNone) {
  auto json = nlohmann::ordered_json::parse(to_json_line(full_measurement()));
  json["uploads"] = nullptr;
  EXPECT_THAT([&] { parse_measurement(json.dump()); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("uploads is no whole number")));
  json.erase("uploads");
  EXPECT_THROW(parse_measurement(json.dump()), InputError);
}

TEST(Measurement, AnErrorHasAKind) {
  auto json = nlohmann::ordered_json::parse(to_json_line(sample_measurement()));
  json["error"] = "gone";
  for (const nlohmann::ordered_json& kind :
       {nlohmann::ordered_json(), nlohmann::ordered_json("none"), nlohmann::ordered_json("rust")}) {
    json["error_kind"] = kind;
    EXPECT_THROW(parse_measurement(json.dump()), InputError) << kind;
  }
}

TEST(Measurement, ALoadComesBackAndMayHaveNoEnergy) {
  Measurement measurement = sample_measurement();
  for (const char* key : {"cpu_percent", "cpu_energy_mj", "gpu_percent", "gpu_energy_mj", "gpu_idle_w"})
    EXPECT_TRUE(nlohmann::ordered_json::parse(to_json_line(measurement)).at(key).is_null()) << key;
  measurement.load = Load{187.5, {}, 62.5, 12.25, 71};
  const auto json = nlohmann::ordered_json::parse(to_json_line(measurement));
  EXPECT_TRUE(json.at("cpu_energy_mj").is_null());
  EXPECT_EQ(json.at("gpu_energy_mj"), 12.25);
  const Load load = parse_measurement(json.dump()).load.value();
  EXPECT_EQ(load.cpu_percent, 187.5);
  EXPECT_FALSE(load.cpu_energy_mj.has_value());
  EXPECT_EQ(load.gpu_percent, 62.5);
  EXPECT_EQ(load.gpu_idle_w, 71);
}

TEST(Measurement, WhatWasSkippedDidNotFail) {
  Measurement measurement = sample_measurement();
  EXPECT_FALSE(measurement.failed());
  measurement.error = "skipped: too long";
  measurement.failure = Failure::skipped;
  EXPECT_FALSE(parse_measurement(to_json_line(measurement)).failed());
  EXPECT_EQ(parse_measurement(to_json_line(measurement)).failure, Failure::skipped);
  measurement.failure = Failure::timeout;
  EXPECT_TRUE(measurement.failed());
}

TEST(Measurement, WhatIsUnknownIsNull) {
  Measurement measurement = sample_measurement();
  measurement.truth.reset();
  measurement.to_truth.reset();
  measurement.guess_offset.reset();
  for (std::int64_t Measurement::*count : {&Measurement::voxels, &Measurement::correspondences})
    measurement.*count = kNotCounted;
  for (int Measurement::*count : {&Measurement::iterations, &Measurement::evaluations,
                                  &Measurement::oscillation_count, &Measurement::newton_fallbacks})
    measurement.*count = kNotCounted;
  const auto json = nlohmann::ordered_json::parse(to_json_line(measurement));
  for (const char* key :
       {"truth", "translation_error_m", "guess_offset", "trace", "error", "voxels", "correspondences",
        "iterations", "evaluations", "oscillation_count", "newton_fallbacks"})
    EXPECT_TRUE(json[key].is_null()) << key;
  EXPECT_FALSE(parse_measurement(to_json_line(measurement)).to_truth.has_value());
  EXPECT_EQ(to_json_line(parse_measurement(to_json_line(measurement))), to_json_line(measurement));
}

TEST(Measurement, ATraceHasAnEntryPerPoseAndErrorsOnlyWithTruth) {
  Measurement measurement = sample_measurement();
  measurement.trace = {{to_transform(Pose{3, 4, 0, 0, 0, 0}), 10, 1, 2, 0}, {Transform{}, 20, 2, 3, 5}};
  auto trace = nlohmann::ordered_json::parse(to_json_line(measurement))["trace"];
  EXPECT_EQ(trace["score"], nlohmann::ordered_json({10, 20}));
  EXPECT_EQ(trace["step_m"], nlohmann::ordered_json({0, 5}));
  EXPECT_EQ(trace["translation_error_m"], nlohmann::ordered_json({5, 0}));
  measurement.truth.reset();
  EXPECT_TRUE(
      nlohmann::ordered_json::parse(to_json_line(measurement))["trace"]["translation_error_m"].is_null());
}

TEST(Measurement, MeasurementsDifferInEverythingThatNamesThem) {
  std::set<std::string> keys{measurement_key(sample_measurement())};
  for (std::string Measurement::*field :
       {&Measurement::implementation, &Measurement::dataset, &Measurement::frame, &Measurement::guess_name,
        &Measurement::variant}) {
    Measurement measurement = sample_measurement();
    measurement.*field = "other";
    EXPECT_TRUE(keys.insert(measurement_key(measurement)).second);
  }
  const std::function<void(Measurement&)> changes[] = {[](Measurement& m) { m.threads = 1; },
                                                       [](Measurement& m) { m.poses = 20; },
                                                       [](Measurement& m) { m.grid_shift = 0.2; },
                                                       [](Measurement& m) { m = search_measurement(); },
                                                       [](Measurement& m) { m.rate_hz = 12.5; },
                                                       [](Measurement& m) { m.rate_hz = 12.5, m.announced_ms = 1; }};
  for (const auto& change : changes) {
    Measurement measurement = sample_measurement();
    change(measurement);
    EXPECT_TRUE(keys.insert(measurement_key(measurement)).second);
  }
  Measurement measurement = sample_measurement();
  measurement.job = 8;
  EXPECT_FALSE(keys.insert(measurement_key(measurement)).second) << "a job is how it was measured, not what";
}

TEST(Measurement, AFailedMeasurementKeepsItsReasonAndNoResults) {
  Measurement measurement = sample_measurement();
  measurement.error = "set_map: no valid voxel\nsecond line \xFF";
  measurement.failure = Failure::exception;
  const auto json = nlohmann::ordered_json::parse(to_json_line(measurement));
  EXPECT_TRUE(json["pose"].is_null());
  EXPECT_TRUE(json["align_us"].is_null());
  const Measurement got = parse_measurement(to_json_line(measurement));
  EXPECT_THAT(got.error, testing::StartsWith("set_map: no valid voxel\nsecond line"));
  EXPECT_EQ(got.failure, Failure::exception);
  EXPECT_EQ(got.guess_name, "guess3");
}

TEST(Measurement, AScoreThatIsNotFiniteSurvivesAsNotANumber) {
  Measurement measurement = sample_measurement();
  measurement.score = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(parse_measurement(to_json_line(measurement)).score));
}

TEST(Measurement, APoseOfMoreOrFewerThan16NumbersIsRefusedByName) {
  for (const std::size_t count : {15, 17}) {
    auto json = nlohmann::ordered_json::parse(to_json_line(sample_measurement()));
    json["pose"] = std::vector<double>(count, 1.0);
    EXPECT_THAT([&] { parse_measurement(json.dump()); },
                testing::ThrowsMessage<InputError>(testing::HasSubstr("pose is no list of 16 numbers")));
  }
}

TEST(Measurement, CountsThatAreNoWholeNumbersInRangeAreRefusedByName) {
  const auto with = [](const char* key, const nlohmann::ordered_json& value) {
    auto json = nlohmann::ordered_json::parse(to_json_line(sample_measurement()));
    json[key] = value;
    return json.dump();
  };
  for (const char* key : {"job", "threads", "iterations", "evaluations"})
    for (const nlohmann::ordered_json& value :
         {nlohmann::ordered_json(1e300), nlohmann::ordered_json(2.5), nlohmann::ordered_json(true),
          nlohmann::ordered_json("2"), nlohmann::ordered_json(std::int64_t{1} << 31)})
      EXPECT_THAT(
          [&] { parse_measurement(with(key, value)); },
          testing::ThrowsMessage<InputError>(testing::HasSubstr(std::string(key) + " is no whole number")));
  EXPECT_THROW(parse_measurement(with("points", std::uint64_t{1} << 63)), InputError);
  EXPECT_EQ(parse_measurement(with("correspondences", std::int64_t{1} << 31)).correspondences,
            std::int64_t{1} << 31);
}

TEST(Measurement, AnEmptyErrorIsNoSuccess) {
  auto json = nlohmann::ordered_json::parse(to_json_line(sample_measurement()));
  json["error"] = "";
  EXPECT_THROW(parse_measurement(json.dump()), InputError);
}

TEST(Measurement, ALongLineIsNotQuotedWhole) {
  EXPECT_THAT([] { parse_measurement(std::string(1, '"') + std::string(1 << 20, 'x')); },
              testing::ThrowsMessage<InputError>(testing::SizeIs(testing::Lt(500u))));
}

TEST(Measurement, AnythingElseIsRefused) {
  EXPECT_THROW(parse_measurement(""), InputError);
  EXPECT_THROW(parse_measurement("{}"), InputError);
  EXPECT_THROW(parse_measurement("[1]"), InputError);
  const std::string line = to_json_line(sample_measurement());
  EXPECT_THROW(parse_measurement(line.substr(0, line.size() / 2)), InputError);
}

}  // namespace
}  // namespace ndt::harness
