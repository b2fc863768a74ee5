// Compares the results of the C interface with those of the C++ one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ndt/c.h"
#include "ndt/implementations.hpp"
#include "ndt/named_options.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

ndt_cloud view(const PointCloud& cloud) {
  return {&cloud.points.data()->x, cloud.size(), 0, {cloud.origin.x, cloud.origin.y, cloud.origin.z}};
}

/// An aligner with a map, and a result that can be written.
struct Ready {
  explicit Ready(const char* name = "persistent_cpu", const char* options = nullptr) {
    EXPECT_EQ(ndt_aligner_create(name, options, &aligner), NDT_OK) << ndt_last_error();
    const ndt_cloud view_of_map = view(map);
    EXPECT_EQ(ndt_aligner_set_map(aligner, &view_of_map), NDT_OK) << ndt_last_error();
    result.struct_size = sizeof(result);
  }
  ~Ready() { ndt_aligner_destroy(aligner); }
  Ready(const Ready&) = delete;
  Ready& operator=(const Ready&) = delete;
  ndt_status align(const ndt_cloud& scan, const Transform& guess = {}) {
    return ndt_aligner_align(aligner, &scan, guess.m, &result);
  }

  PointCloud map = test_clouds::map();
  ndt_aligner* aligner = nullptr;
  ndt_result result{};
};

const Transform kGuess = to_transform({0.3, -0.2, 0.1, 0, 0, 0.05});

/// Returns the result of the C++ interface from the guess.
AlignResult by_cpp(std::string_view implementation, const char* options) {
  const auto aligner = make_aligner(implementation, options_from_text(options));
  aligner->set_map(test_clouds::map());
  return aligner->align(test_clouds::scan(), kGuess);
}

TEST(CInterface, GivesTheBitsOfTheCppInterface) {
  const ndt_cloud scan = view(test_clouds::scan());
  for (const Implementation& entry : implementations()) {
    if (!entry.unavailable_reason().empty()) continue;
    const AlignResult expected = by_cpp(entry.name, "profile=textbook threads=2");
    Ready c(entry.name.data(), "threads=2 profile=textbook");
    ASSERT_EQ(c.align(scan, kGuess), NDT_OK) << ndt_last_error();
    const ndt_result& got = c.result;
    EXPECT_TRUE(std::ranges::equal(got.map_from_scan, expected.map_from_scan.m)) << entry.name;
    EXPECT_TRUE(std::ranges::equal(got.hessian, expected.hessian.m)) << entry.name;
    EXPECT_EQ(ndt_stop_name(got.stop), to_string(expected.stop));
    EXPECT_EQ(got.iterations, expected.iterations);
    EXPECT_EQ(got.correspondences, expected.correspondences);
    EXPECT_EQ(got.score, expected.score);
    EXPECT_EQ(got.nvtl, expected.nvtl);
    ASSERT_TRUE(expected.laplace_covariance);
    EXPECT_EQ(got.covariance_xy, expected.laplace_covariance->xy);
  }
}

TEST(CInterface, WritesNoMoreThanACallerOfAnOlderVersionHasRoomFor) {
  Ready ready;
  ndt_result& result = ready.result;
  result.struct_size = offsetof(ndt_result, has_covariance);
  result.has_covariance = result.has_finish = -7;
  EXPECT_EQ(ready.align(view(ready.map)), NDT_OK) << ndt_last_error();
  EXPECT_EQ(result.has_covariance, -7);
  EXPECT_GT(result.nvtl, 0);
  result.struct_size = offsetof(ndt_result, has_finish);
  EXPECT_EQ(ready.align(view(ready.map)), NDT_OK) << ndt_last_error();
  EXPECT_EQ(result.has_covariance, 1);
  EXPECT_EQ(result.has_finish, -7);
}

TEST(CInterface, SaysHowFarAFinishWent) {
  for (const char* options : {"profile=pyramid", "profile=pyramid finish=windows finish_window=0.75"}) {
    const AlignResult expected = by_cpp("persistent_cpu", options);
    Ready c("persistent_cpu", options);
    EXPECT_EQ(c.align(view(test_clouds::scan()), kGuess), NDT_OK) << ndt_last_error();
    ASSERT_EQ(c.result.has_finish != 0, expected.finish.has_value());
    EXPECT_EQ(c.result.finish_step_m, expected.finish ? expected.finish->step_m : 0);
    EXPECT_EQ(c.result.finish_score, expected.finish ? expected.finish->score : 0);
  }
}

TEST(CInterface, RefusesPointsOnADeviceWhereItRunsOnTheCpu) {
  Ready ready;
  ndt_aligner* const aligner = ready.aligner;
  ndt_device_cloud cloud{};
  EXPECT_EQ(ndt_aligner_set_map_on_device(aligner, &cloud), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "map->struct_size = 0: set it to sizeof(ndt_device_cloud)");
  cloud.struct_size = sizeof(cloud);
  EXPECT_EQ(ndt_aligner_set_map_on_device(aligner, &cloud), NDT_BAD_ARGUMENT);
  EXPECT_EQ(std::string(ndt_last_error()).find("set_map: this implementation reads points from the host"),
            0U);
  EXPECT_EQ(ndt_aligner_align_on_device(aligner, &cloud, Transform().m, &ready.result), NDT_BAD_ARGUMENT);
  EXPECT_EQ(ndt_aligner_align_on_device(aligner, nullptr, Transform().m, &ready.result), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "scan is NULL");
  EXPECT_EQ(ready.align(view(ready.map)), NDT_OK) << ndt_last_error();
}

TEST(CInterface, RefusesCountsThatNoCloudHas) {
  Ready ready;
  const ndt_cloud scan = view(ready.map);
  constexpr std::size_t kMost = std::size_t{1} << 27, kAll = SIZE_MAX;
  // The third and fourth overflow to a few bytes when they are multiplied by 12 and by 16.
  for (const std::size_t points : {kMost + 1, kAll, kAll / 12 + 2, std::size_t{1} << 60, std::size_t(-5)}) {
    ndt_cloud wrong = scan;
    wrong.points = points;
    wrong.stride = points == std::size_t{1} << 60 ? 16 : 0;
    EXPECT_EQ(ready.align(wrong), NDT_BAD_INPUT) << points;
    EXPECT_EQ(ndt_last_error(),
              "scan: " + std::to_string(points) + " points, at most 134217728 are possible");
    EXPECT_EQ(ndt_aligner_set_map(ready.aligner, &wrong), NDT_BAD_INPUT) << points;
    ndt_device_cloud device{};
    device.struct_size = sizeof(device);
    device.size = points;
    EXPECT_EQ(ndt_aligner_set_map_on_device(ready.aligner, &device), NDT_BAD_INPUT) << points;
  }
  EXPECT_EQ(ready.align(scan), NDT_OK) << "the map is the one before";
}

TEST(CInterface, RefusesStridesAndOffsetsThatLeaveTheMemory) {
  Ready ready;
  const ndt_cloud scan = view(ready.map);
  for (const std::size_t stride : {std::size_t{11}, (std::size_t{1} << 20) + 1, SIZE_MAX / 2, SIZE_MAX}) {
    ndt_cloud wrong = scan;
    wrong.stride = stride;
    EXPECT_EQ(ready.align(wrong), NDT_BAD_ARGUMENT) << stride;
    EXPECT_EQ(std::string(ndt_last_error()).find("scan->stride = " + std::to_string(stride)), 0U);
  }
  ndt_device_cloud device{};
  device.struct_size = sizeof(device);
  device.stride = SIZE_MAX;
  EXPECT_EQ(ndt_aligner_set_map_on_device(ready.aligner, &device), NDT_BAD_ARGUMENT);
  EXPECT_EQ(std::string(ndt_last_error()).find("map->stride = "), 0U) << ndt_last_error();
  device.stride = 0;
  device.offsets[1] = SIZE_MAX - 3;
  EXPECT_EQ(ndt_aligner_set_map_on_device(ready.aligner, &device), NDT_BAD_ARGUMENT);
  EXPECT_EQ(std::string(ndt_last_error()).find("map->offsets: "), 0U) << ndt_last_error();
}

TEST(CInterface, TakesNoPointsAtNull) {
  Ready ready;
  ndt_cloud scan{nullptr, 1, 0, {0, 0, 0}};
  EXPECT_EQ(ready.align(scan), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "scan->xyz is NULL");
  scan.points = 0;
  EXPECT_EQ(ready.align(scan), NDT_OK) << ndt_last_error();
  EXPECT_EQ(ready.result.stop, NDT_NO_OVERLAP);
  ready.result.struct_size = SIZE_MAX;
  EXPECT_EQ(ready.align(scan), NDT_OK) << "a caller of a newer version";
  EXPECT_EQ(ready.result.struct_size, SIZE_MAX);
}

TEST(CInterface, OriginsAndGuessesThatAreNoNumbersGiveNoPose) {
  Ready ready;
  for (const double metres : {1e300, double{-INFINITY}, double{NAN}}) {
    ndt_cloud cloud = view(ready.map);
    cloud.origin[1] = metres;
    EXPECT_EQ(ndt_aligner_set_map(ready.aligner, &cloud), NDT_BAD_INPUT) << metres;
    EXPECT_STRNE(ndt_last_error(), "");
    EXPECT_EQ(ready.align(cloud), NDT_OK) << metres;
    EXPECT_EQ(ready.result.stop, NDT_NO_OVERLAP) << metres;
    EXPECT_EQ(ready.result.dropped_points, static_cast<std::int64_t>(ready.map.size())) << metres;
    Transform guess;
    guess(0, 3) = metres;
    cloud.origin[1] = 0;
    const ndt_status far = ndt_aligner_align(ready.aligner, &cloud, guess.m, &ready.result);
    EXPECT_TRUE(far == NDT_BAD_ARGUMENT || (far == NDT_OK && ready.result.stop == NDT_NO_OVERLAP)) << metres;
  }
}

TEST(CInterface, AnswersLongAndOddWordsWithOneShortLine) {
  const std::string huge(std::size_t{1} << 20, 'x'), odd = "\x1b[31mred\n\x7f\xc2\x9b";
  const std::string options[] = {huge,
                                 huge + "=1",
                                 "resolution=" + huge,
                                 "levels=" + huge,
                                 "profile=" + huge,
                                 odd,
                                 odd + "=1",
                                 "resolution=" + odd,
                                 "levels=" + odd,
                                 "profile=" + odd,
                                 std::string(4000, 'x') + "=1",
                                 "levels=" + std::string(4000, '1'),
                                 "threads=-99999999999999999999"};
  const auto expect_a_short_line = [] {
    const std::string said = ndt_last_error();
    EXPECT_TRUE(!said.empty() && said.size() < 2000) << said.size();
    EXPECT_TRUE(std::ranges::all_of(said, [](char c) { return c >= ' ' && c <= '~'; })) << said;
  };
  for (const std::string& text : options) {
    ndt_aligner* aligner = reinterpret_cast<ndt_aligner*>(1);
    EXPECT_EQ(ndt_aligner_create("persistent_cpu", text.c_str(), &aligner), NDT_BAD_ARGUMENT);
    EXPECT_EQ(aligner, nullptr);
    expect_a_short_line();
  }
  for (const std::string& name : {huge, odd, std::string(256, 'x'), std::string()}) {
    ndt_aligner* aligner = nullptr;
    EXPECT_EQ(ndt_aligner_create(name.c_str(), nullptr, &aligner), NDT_BAD_ARGUMENT);
    expect_a_short_line();
  }
}

TEST(CInterface, ReadsTextsThatDoNotEndNoFartherThanItsBound) {
  std::string name(257, 'x'), options(4097, ' ');  // a sanitizer sees a byte more
  const std::vector<char> no_end_of_name(name.begin(), name.end());
  const std::vector<char> no_end_of_options(options.begin(), options.end());
  ndt_aligner* aligner = nullptr;
  EXPECT_EQ(ndt_aligner_create(no_end_of_name.data(), nullptr, &aligner), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "implementation: more than 256 bytes before the 0 that ends it");
  EXPECT_EQ(ndt_aligner_create("persistent_cpu", no_end_of_options.data(), &aligner), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "options: more than 4096 bytes before the 0 that ends it");
}

TEST(CInterface, NamesWhatAutoTakes) { EXPECT_EQ(ndt_auto_implementation(), auto_implementation().name); }

TEST(CInterface, NamesTheImplementationsInOrder) {
  std::size_t count = 0;
  for (; ndt_implementation_name(count) != nullptr; ++count)
    EXPECT_EQ(ndt_implementation_name(count), implementations()[count].name);
  EXPECT_EQ(count, implementations().size());
  EXPECT_EQ(ndt_implementation_name(SIZE_MAX), nullptr);
  EXPECT_EQ(std::string(ndt_version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace ndt
