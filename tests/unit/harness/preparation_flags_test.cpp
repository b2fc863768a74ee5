#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "cli/common/flags.hpp"
#include "message_of.hpp"

namespace ndt::harness {
namespace {

/// The filter options on a program of their own.
PreparationArguments parsed(const std::string& line) {
  CLI::App app{"test", "test"};
  PreparationArguments arguments;
  add_map_preparation_flags(app, arguments);
  add_scan_preparation_flags(app, arguments);
  app.parse(line);
  return arguments;
}

std::string refusal_of(const std::string& line) {
  return message_of<std::invalid_argument>([&] {
    const PreparationArguments arguments = parsed(line);
    scan_preparation(arguments);
    map_preparation(arguments);
  });
}

TEST(PreparationFlags, NothingGivenIsNoFilter) {
  EXPECT_FALSE(scan_preparation(parsed("")).active());
  EXPECT_FALSE(map_preparation(parsed("")).active());
}

TEST(PreparationFlags, EveryOptionReachesItsField) {
  const PreparationArguments a = parsed(
      "--scan-min-range 2 --scan-max-range 80.5 --scan-crop-box -1,-2,-3,4,5,6 --scan-remove-box -0.5 -1 0 "
      "0.5 1 2 "
      "--scan-voxel-leaf 0.5 --scan-sample 1500 --scan-seed 42 --map-voxel-leaf 0.2");
  const ScanPreparation scan = scan_preparation(a);
  EXPECT_EQ(scan.min_range_m, 2);
  EXPECT_EQ(scan.max_range_m, 80.5);
  ASSERT_TRUE(scan.crop_box && scan.remove_box);
  EXPECT_TRUE(scan.crop_box->low.x == -1 && scan.crop_box->low.y == -2 && scan.crop_box->low.z == -3);
  EXPECT_TRUE(scan.crop_box->high.x == 4 && scan.crop_box->high.y == 5 && scan.crop_box->high.z == 6);
  EXPECT_TRUE(scan.remove_box->low.x == -0.5 && scan.remove_box->high.z == 2);
  EXPECT_EQ(scan.voxel_leaf_m, 0.5);
  EXPECT_EQ(scan.sample_points, 1500);
  EXPECT_EQ(scan.sample_seed, 42U);
  EXPECT_EQ(map_preparation(a).voxel_leaf_m, 0.2);
}

TEST(PreparationFlags, ASampleWithoutASeedHasADocumentedOne) {
  EXPECT_EQ(scan_preparation(parsed("--scan-sample 5")).sample_seed, 1U);
  EXPECT_EQ(scan_preparation(parsed("--scan-sample 5 --scan-seed 0")).sample_seed, 0U);
}

TEST(PreparationFlags, WhatCannotBeUsedIsRefusedByName) {
  EXPECT_EQ(refusal_of("--scan-crop-box 1,2,3"),
            "--scan-crop-box: 3 numbers; give 6 (x0,y0,z0,x1,y1,z1 in metres)");
  EXPECT_EQ(refusal_of("--scan-remove-box 1,2,3,4,5,x"),
            "--scan-remove-box: number 6 is 'x'; give a finite decimal number");
  EXPECT_THAT(refusal_of("--scan-remove-box 1,2,3,0,5,6"),
              testing::HasSubstr("option scan-remove-box = 1,2,3,0,5,6"));
  EXPECT_EQ(refusal_of("--scan-seed 4"), "--scan-seed needs --scan-sample");
  EXPECT_EQ(refusal_of("--scan-sample 4 --scan-seed -1"),
            "option scan-seed = -1: must be in [0, 9223372036854775807]");
  EXPECT_EQ(refusal_of("--scan-min-range 9 --scan-max-range 8"),
            "option scan-min-range = 9: must be in [0, 8]");
  EXPECT_EQ(refusal_of("--map-voxel-leaf 0"), "option map-voxel-leaf = 0: must be in [0.001, 1000]");
  EXPECT_THROW(parsed("--scan-sample 2.5"), CLI::ParseError);
  EXPECT_THROW(parsed("--scan-voxel-leaf fine"), CLI::ParseError);
}

}  // namespace
}  // namespace ndt::harness
