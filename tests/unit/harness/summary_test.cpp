#include "ndt/harness/summary.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

namespace ndt::harness {
namespace {

RunRow row(const char* implementation, double align_us, int evaluations = 5) {
  RunRow r;
  r.implementation = implementation;
  r.dataset = "toy";
  r.threads = 1;
  r.points = 1000;
  r.voxels = 50;
  r.stop = "converged";
  r.iterations = evaluations - 1;
  r.evaluations = evaluations;
  r.build_us = 2000;
  r.align_us = align_us;
  r.align_after_idle_us = 2 * align_us;
  return r;
}

std::vector<RunRow> toy_rows() {
  std::vector<RunRow> rows = {row("cpu_pclomp_ref", 1000), row("persistent_cpu", 200), row("cpu_pclomp_ref", 2000),
                              row("persistent_cpu", 400), row("persistent_cpu", 300)};
  rows[1].to_reference = PoseDifference{0.001, 0.5};
  rows[3].to_reference = PoseDifference{0.003, 0.1};
  rows[4].stop = "max_iterations";
  return rows;
}

TEST(Summary, OneLinePerDatasetThreadsAndImplementationInOrderOfAppearance) {
  const auto lines = summarise(toy_rows());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].implementation, "cpu_pclomp_ref");
  EXPECT_EQ(lines[0].samples, 2);
  EXPECT_EQ(lines[1].implementation, "persistent_cpu");
  EXPECT_EQ(lines[1].samples, 3);
}

TEST(Summary, MediansSharesAndLargestDifferencesComeFromTheRows) {
  const SummaryLine line = summarise(toy_rows())[1];
  EXPECT_DOUBLE_EQ(line.p50_us, 300);
  EXPECT_DOUBLE_EQ(line.p90_us, 380);
  EXPECT_DOUBLE_EQ(line.after_idle_p50_us, 600);
  EXPECT_DOUBLE_EQ(line.converged_share, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(line.iterations_median, 4);
  EXPECT_DOUBLE_EQ(line.ns_per_point_evaluation, 300.0 * 1000 / (5 * 1000));
  ASSERT_TRUE(line.max_to_reference.has_value());
  EXPECT_DOUBLE_EQ(line.max_to_reference->translation_m, 0.003);
  EXPECT_DOUBLE_EQ(line.max_to_reference->rotation_deg, 0.5);
}

TEST(Summary, SpeedIsTheReferencesCostPerEvaluationOverTheRows) {
  const auto lines = summarise(toy_rows());
  EXPECT_DOUBLE_EQ(lines[0].speed_ratio.value(), 1);
  EXPECT_DOUBLE_EQ(lines[1].speed_ratio.value(), 5);
  EXPECT_FALSE(summarise(std::vector<RunRow>{row("persistent_cpu", 1)})[0].speed_ratio.has_value());
}

TEST(Summary, AnotherThreadCountIsNoReference) {
  std::vector<RunRow> rows = {row("cpu_pclomp_ref", 1000), row("persistent_cpu", 200)};
  rows[1].threads = 2;
  EXPECT_FALSE(summarise(rows)[1].speed_ratio.has_value());
}

TEST(Summary, AFailedJobHasALineWithItsError) {
  std::vector<RunRow> rows = {row("cpu_pclomp_ref", 1000), row("persistent_cpu", 0)};
  rows[1].error = "out of voxels";
  const auto lines = summarise(rows);
  EXPECT_EQ(lines[1].samples, 0);
  EXPECT_EQ(lines[1].error, "out of voxels");
  EXPECT_THAT(summary_table(lines), testing::HasSubstr("persistent_cpu 0"));
}

TEST(Summary, TheTableFitsIn120Columns) {
  std::vector<RunRow> rows = toy_rows();
  for (RunRow& r : rows) {
    r.dataset = "kitti07_map4_mgrs";
    r.points = 123456;
    r.voxels = 123456;
    r.align_us *= 100;
    r.align_after_idle_us *= 100;
  }
  std::istringstream text(summary_table(summarise(rows)));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 120u) << line;
}

}  // namespace
}  // namespace ndt::harness
