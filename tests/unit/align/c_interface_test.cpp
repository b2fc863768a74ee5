// What the C interface hands over against what the C++ one gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ndt/c.h"
#include "ndt/implementations.hpp"
#include "ndt/named_options.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

ndt_cloud view(const PointCloud& cloud) {
  return {&cloud.points.data()->x, cloud.size(), 0, {cloud.origin.x, cloud.origin.y, cloud.origin.z}};
}

TEST(CInterface, GivesTheBitsOfTheCppInterface) {
  const PointCloud map = test_clouds::map(), scan = test_clouds::scan();
  const Transform guess = to_transform({0.3, -0.2, 0.1, 0, 0, 0.05});
  for (const Implementation& entry : implementations()) {
    if (!entry.unavailable_reason().empty()) continue;
    const auto cpp = make_aligner(entry.name, options_from_text("profile=textbook threads=2"));
    cpp->set_map(map);
    const AlignResult expected = cpp->align(scan, guess);

    ndt_aligner* c = nullptr;
    ASSERT_EQ(ndt_aligner_create(entry.name.data(), "threads=2 profile=textbook", &c), NDT_OK)
        << ndt_last_error();
    const ndt_cloud map_view = view(map), scan_view = view(scan);
    ndt_result got{};
    got.struct_size = sizeof(got);
    EXPECT_EQ(ndt_aligner_set_map(c, &map_view), NDT_OK) << ndt_last_error();
    EXPECT_EQ(ndt_aligner_align(c, &scan_view, guess.m, &got), NDT_OK) << ndt_last_error();
    ndt_aligner_destroy(c);

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
  ndt_aligner* aligner = nullptr;
  ASSERT_EQ(ndt_aligner_create("persistent_cpu", nullptr, &aligner), NDT_OK);
  const PointCloud map = test_clouds::map();
  const ndt_cloud view_of_map = view(map);
  ASSERT_EQ(ndt_aligner_set_map(aligner, &view_of_map), NDT_OK);
  ndt_result result{};
  result.struct_size = offsetof(ndt_result, has_covariance);
  result.has_covariance = -7;
  EXPECT_EQ(ndt_aligner_align(aligner, &view_of_map, Transform().m, &result), NDT_OK) << ndt_last_error();
  EXPECT_EQ(result.has_covariance, -7);
  EXPECT_GT(result.nvtl, 0);
  ndt_aligner_destroy(aligner);
}

TEST(CInterface, RefusesPointsOnADeviceWhereItRunsOnTheCpu) {
  ndt_aligner* aligner = nullptr;
  ASSERT_EQ(ndt_aligner_create("persistent_cpu", nullptr, &aligner), NDT_OK);
  const PointCloud map = test_clouds::map();
  const ndt_cloud view_of_map = view(map);
  ASSERT_EQ(ndt_aligner_set_map(aligner, &view_of_map), NDT_OK);
  ndt_device_cloud cloud{};
  ndt_result result{};
  result.struct_size = sizeof(result);
  EXPECT_EQ(ndt_aligner_set_map_on_device(aligner, &cloud), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "map->struct_size = 0: set it to sizeof(ndt_device_cloud)");
  cloud.struct_size = sizeof(cloud);
  EXPECT_EQ(ndt_aligner_set_map_on_device(aligner, &cloud), NDT_BAD_ARGUMENT);
  EXPECT_EQ(std::string(ndt_last_error()).find("set_map: this implementation reads points from the host"),
            0U);
  EXPECT_EQ(ndt_aligner_align_on_device(aligner, &cloud, Transform().m, &result), NDT_BAD_ARGUMENT);
  EXPECT_EQ(ndt_aligner_align_on_device(aligner, nullptr, Transform().m, &result), NDT_BAD_ARGUMENT);
  EXPECT_STREQ(ndt_last_error(), "scan is NULL");
  EXPECT_EQ(ndt_aligner_align(aligner, &view_of_map, Transform().m, &result), NDT_OK) << ndt_last_error();
  ndt_aligner_destroy(aligner);
}

TEST(CInterface, NamesWhatAutoTakes) {
  for (const auto& [points, poses] : {std::pair<std::size_t, std::size_t>(5000, 1), {1000, 1000}})
    EXPECT_EQ(ndt_auto_implementation(points, poses), auto_implementation({points, poses}).name);
}

TEST(CInterface, NamesTheImplementationsInOrder) {
  std::size_t count = 0;
  for (; ndt_implementation_name(count) != nullptr; ++count)
    EXPECT_EQ(ndt_implementation_name(count), implementations()[count].name);
  EXPECT_EQ(count, implementations().size());
  EXPECT_EQ(std::string(ndt_version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace ndt
