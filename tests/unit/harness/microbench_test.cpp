#include "microbench/microbench.hpp"

#include <benchmark/benchmark.h>
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "scripted_aligner.hpp"

namespace ndt::harness {
namespace {

/// Releases from 1.8 on call an error a skip.
template <class Run>
std::string error_of(const Run& run) {
  if constexpr (requires { run.error_message; })
    return run.error_occurred ? run.error_message : "";
  else
    return run.skip_message;
}

/// Keeps the error of every benchmark that ran; empty for one that gave a number.
class Errors : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) by_name[run.benchmark_name()] = error_of(run);
  }

  std::map<std::string, std::string> by_name;
};

const Implementation kImplementations[] = {
    {.name = "no_device",
     .runs_on = "a GPU",
     .unavailable_reason = [] { return std::string("no GPU in this machine"); },
     .make = [](const AlignOptions&) -> std::unique_ptr<Aligner> {
       throw std::logic_error("made although unavailable");
     },
     .batches = true},
    {.name = "broken",
     .runs_on = "CPU",
     .unavailable_reason = [] { return std::string(); },
     .make = [](const AlignOptions& options) -> std::unique_ptr<Aligner> {
       class Broken final : public ScriptedAligner {
         MapInfo set_map(const Scan&) override { throw std::runtime_error("set_map: out of luck"); }
       };
       EXPECT_EQ(options.threads, 3);
       return std::make_unique<Broken>();
     }}};

TEST(Microbench, ImplementationsThatCannotRunAreSkippedWithTheirReasonAndFailuresAreCounted) {
  AlignOptions options;
  options.threads = 3;
  int failed = 0;
  register_microbenchmarks(kImplementations, options, failed);
  Errors errors;
  benchmark::RunSpecifiedBenchmarks(&errors, "no_device|broken");
  benchmark::ClearRegisteredBenchmarks();
  const std::string no_gpu = "no GPU in this machine", broken = "set_map: out of luck",
                    whole = "makes maps of whole clouds only";
  const std::map<std::string, std::string> expected = {
      {"build/no_device/100000/real_time", no_gpu},   {"build/no_device/1000000/real_time", no_gpu},
      {"update/no_device/1000000/real_time", no_gpu}, {"exchange/no_device/1000000/real_time", no_gpu},
      {"evaluate/no_device/1000/real_time", no_gpu},  {"evaluate/no_device/5000/real_time", no_gpu},
      {"evaluate/no_device/50000/real_time", no_gpu}, {"score/no_device/5000x64/real_time", no_gpu},
      {"align/no_device/5000/real_time", no_gpu},     {"build/broken/100000/real_time", broken},
      {"build/broken/1000000/real_time", broken},     {"update/broken/1000000/real_time", whole},
      {"exchange/broken/1000000/real_time", whole},   {"evaluate/broken/1000/real_time", broken},
      {"evaluate/broken/5000/real_time", broken},     {"evaluate/broken/50000/real_time", broken},
      {"align/broken/5000/real_time", broken}};
  EXPECT_EQ(errors.by_name, expected);
  EXPECT_EQ(failed, 6);
}

TEST(MicrobenchScenes, AMapIsAsManyCourtyardsAsItsPointsNeed) {
  const PointCloud one = microbench_map(100000), four = microbench_map(350000);
  ASSERT_EQ(one.size(), 100000U);
  ASSERT_EQ(four.size(), 350000U);
  const auto spread = [](const PointCloud& cloud, float Point::*axis) {
    const auto [low, high] = std::ranges::minmax(cloud.points, {}, axis);
    return high.*axis - low.*axis;
  };
  EXPECT_NEAR(spread(one, &Point::x), 64, 0.1);
  EXPECT_NEAR(spread(four, &Point::x), 128, 0.1);
  EXPECT_NEAR(spread(four, &Point::y), 128, 0.1);
  EXPECT_EQ(four.points[7].x, one.points[7].x);
  EXPECT_NE(four.points[100007].x - 64, one.points[7].x) << "courtyards are drawn from seeds of their own";
}

TEST(MicrobenchScenes, AScanHasTheNumberOfPointsAskedForAndOtherPointsThanTheMap) {
  const PointCloud scan = microbench_scan(1000), map = microbench_map(1000);
  ASSERT_EQ(scan.size(), 1000U);
  ASSERT_EQ(map.size(), 1000U);
  EXPECT_NE(scan.points[0].x, map.points[0].x);
}

TEST(MicrobenchScenes, ThePosesAreAGridAroundTheTrueOne) {
  const std::vector<Transform> poses = microbench_poses();
  ASSERT_EQ(poses.size(), 64U);
  Vec3<double> sum;
  for (const Transform& pose : poses) sum = sum + translation_of(pose);
  EXPECT_NEAR(sum.x, 0, 1e-12);
  EXPECT_NEAR(sum.y, 0, 1e-12);
  EXPECT_NEAR(translation_of(poses.back()).x, 0.35, 1e-12);
}

}  // namespace
}  // namespace ndt::harness
