#include "ndt/harness/record.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

RunRow sample_row() {
  RunRow row;
  row.run_id = "20250131T120000Z";
  row.implementation = "persistent_cpu";
  row.dataset = "courtyard";
  row.frame = "guess3";
  row.repeat = 2;
  row.threads = 4;
  row.resolution_m = 2;
  row.points = 3000;
  row.voxels = 1200;
  row.guess = to_transform(Pose{0.1, -0.2, 0.3, 0.01, 0.02, 1.0 / 3.0});
  row.pose = to_transform(Pose{1e-17, 81377.123456789012, -0.0, 0.001, 0, 0.3});
  row.truth = Transform{};
  row.stop = "converged";
  row.iterations = 5;
  row.evaluations = 6;
  row.correspondences = 12498;
  row.score = 27814.263454437256;
  row.transform_probability = 9.271421151479085;
  row.nvtl = 3.3285068675263285;
  row.build_us = 7613.871;
  row.align_us = 1830.25;
  row.align_after_idle_us = 2100.5;
  row.to_truth = PoseDifference{0.0123, 0.456};
  row.to_reference = PoseDifference{1e-9, 2e-8};
  return row;
}

TEST(Record, ARowComesBackBitForBit) {
  const RunRow row = sample_row(), got = run_row_from_json(to_json_line(row));
  EXPECT_EQ(to_json_line(got), to_json_line(row));
  EXPECT_THAT(got.pose.m, testing::ElementsAreArray(row.pose.m));
  EXPECT_THAT(got.guess.m, testing::ElementsAreArray(row.guess.m));
  EXPECT_EQ(got.score, row.score);
  EXPECT_EQ(got.frame, row.frame);
  EXPECT_EQ(got.align_after_idle_us, row.align_after_idle_us);
  EXPECT_EQ(got.threads, row.threads);
  ASSERT_TRUE(got.to_reference.has_value());
  EXPECT_EQ(got.to_reference->translation_m, 1e-9);
}

TEST(Record, ARowIsOneLineWithUnitsInItsKeys) {
  const std::string line = to_json_line(sample_row());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(line);
  for (const char* key : {"run_id",
                          "implementation",
                          "dataset",
                          "frame",
                          "repeat",
                          "threads",
                          "resolution_m",
                          "points",
                          "voxels",
                          "guess",
                          "pose",
                          "truth",
                          "stop",
                          "iterations",
                          "evaluations",
                          "correspondences",
                          "score",
                          "transform_probability",
                          "nvtl",
                          "build_us",
                          "align_us",
                          "align_after_idle_us",
                          "translation_error_m",
                          "rotation_error_deg",
                          "translation_vs_ref_m",
                          "rotation_vs_ref_deg",
                          "error"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_TRUE(json["error"].is_null());
}

TEST(Record, WhatIsUnknownIsNull) {
  RunRow row = sample_row();
  row.truth.reset();
  row.to_truth.reset();
  row.to_reference.reset();
  const auto json = nlohmann::json::parse(to_json_line(row));
  for (const char* key : {"truth", "translation_error_m", "rotation_error_deg", "translation_vs_ref_m"})
    EXPECT_TRUE(json[key].is_null()) << key;
  EXPECT_FALSE(run_row_from_json(to_json_line(row)).to_reference.has_value());
}

TEST(Record, AFailedJobKeepsItsErrorAndNoResults) {
  RunRow row = sample_row();
  row.error = "set_map: no valid voxel\nsecond line \xFF";
  const auto json = nlohmann::json::parse(to_json_line(row));
  EXPECT_TRUE(json["pose"].is_null());
  EXPECT_TRUE(json["align_us"].is_null());
  EXPECT_THAT(run_row_from_json(to_json_line(row)).error, testing::StartsWith("set_map: no valid voxel\nsecond line"));
}

TEST(Record, AScoreThatIsNotFiniteSurvivesAsNotANumber) {
  RunRow row = sample_row();
  row.score = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(run_row_from_json(to_json_line(row)).score));
}

TEST(Record, CountsThatAreNoWholeNumbersInRangeAreRefusedByName) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(to_json_line(sample_row()));
    json[key] = value;
    return json.dump();
  };
  for (const char* key : {"repeat", "threads", "iterations", "evaluations"})
    for (const nlohmann::json& value : {nlohmann::json(1e300), nlohmann::json(2.5), nlohmann::json(true),
                                        nlohmann::json("2"), nlohmann::json(std::int64_t{1} << 31)})
      EXPECT_THAT([&] { run_row_from_json(with(key, value)); },
                  testing::ThrowsMessage<InputError>(testing::HasSubstr(std::string(key) + " is no whole number")));
  EXPECT_THROW(run_row_from_json(with("points", std::uint64_t{1} << 63)), InputError);
  EXPECT_EQ(run_row_from_json(with("correspondences", std::int64_t{1} << 31)).correspondences, std::int64_t{1} << 31);
}

TEST(Record, AnEmptyErrorIsNoSuccess) {
  auto json = nlohmann::json::parse(to_json_line(sample_row()));
  json["error"] = "";
  EXPECT_THROW(run_row_from_json(json.dump()), InputError);
}

TEST(Record, ALongLineIsNotQuotedWhole) {
  EXPECT_THAT([] { run_row_from_json('"' + std::string(1 << 20, 'x')); },
              testing::ThrowsMessage<InputError>(testing::SizeIs(testing::Lt(500u))));
}

TEST(Record, AnythingElseIsRefused) {
  EXPECT_THROW(run_row_from_json(""), InputError);
  EXPECT_THROW(run_row_from_json("{}"), InputError);
  EXPECT_THROW(run_row_from_json("[1]"), InputError);
  const std::string line = to_json_line(sample_row());
  EXPECT_THROW(run_row_from_json(line.substr(0, line.size() / 2)), InputError);
}

}  // namespace
}  // namespace ndt::harness
