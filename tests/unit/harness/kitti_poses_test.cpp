#include <limits>

#include "base/io_names.hpp"
#include "ndt/io/trajectory.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

class KittiPosesTest : public ScratchFiles {
 protected:
  KittiPosesTest() : ScratchFiles("poses.txt") {}
};

const std::string kIdentity = "1 0 0 0 0 1 0 0 0 0 1 0\n";

TEST_F(KittiPosesTest, LinesAreTheRowsOfA3x4Matrix) {
  const auto poses = read_kitti_poses(put(kIdentity + "0 -1 0 10 1.0e+00 0 0 20\t0 0 1 30 \r\n"));
  ASSERT_EQ(poses.size(), 2u);
  const Transform quarter_turn_left{{0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1}};
  EXPECT_EQ(std::memcmp(&poses[1], &quarter_turn_left, sizeof quarter_turn_left), 0);
}

TEST_F(KittiPosesTest, MatricesComeBackBitForBit) {
  std::mt19937 random(23);
  std::uniform_real_distribution<double> angle(-3.2, 3.2), metres(-1e6, 1e6);
  std::vector<Transform> poses(5000);
  for (Transform& pose : poses) {
    pose = to_transform(
        {metres(random), metres(random), metres(random), angle(random), angle(random), angle(random)});
    pose(0, 0) *= 1 + 1e-5;  // off by more than rounding, as float32 logs are: not repaired
  }
  poses[0](0, 3) = std::numeric_limits<double>::denorm_min();
  poses[1](1, 3) = -0.0;
  poses[2](2, 3) = std::numeric_limits<double>::max();
  write_kitti_poses(path(), poses);
  const auto got = read_kitti_poses(path());
  ASSERT_EQ(got.size(), poses.size());
  EXPECT_EQ(std::memcmp(got.data(), poses.data(), poses.size() * sizeof(Transform)), 0);
}

TEST_F(KittiPosesTest, WhatCouldNotBeReadBackIsNotWritten) {
  Transform scaled;
  scaled(2, 2) = 2;
  EXPECT_THAT(mistake_of([&] { write_kitti_poses(path(), {}); }),
              HasSubstr("write_kitti_poses: no poses to write"));
  EXPECT_THAT(mistake_of([&] { write_kitti_poses(path(), std::span(&scaled, 1)); }),
              HasSubstr("write_kitti_poses: not a rigid transform: row 2 has length 2"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace ndt::harness
