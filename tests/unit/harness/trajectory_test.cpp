#include "ndt/io/trajectory.hpp"

#include <cmath>
#include <limits>

#include "base/io_names.hpp"
#include "ndt/core/limits.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

class TumTest : public ScratchFiles {
 protected:
  TumTest() : ScratchFiles("truth.tum") {}
  std::vector<StampedTransform> read(std::string_view text, TrajectoryInfo* info = nullptr) const {
    return read_tum(put(text), info);
  }
};

double worst_entry_error(const Transform& a, const Transform& b) {
  double worst = 0;
  for (int i = 0; i < 16; ++i) worst = std::max(worst, std::abs(a.m[i] - b.m[i]));
  return worst;
}

std::vector<StampedTransform> random_trajectory(int n) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> angle(-3.2, 3.2), metres(-1e5, 1e5);
  std::vector<StampedTransform> poses;
  for (int i = 0; i < n; ++i)
    poses.push_back({1.7e9 + 0.1 * i, to_transform({metres(random), metres(random), metres(random),
                                                    angle(random), angle(random), angle(random)})});
  return poses;
}

TEST_F(TumTest, TheScalarOfTheQuaternionIsLast) {
  const auto poses = read("1.5 10 20 30 0 0 0.7071067811865476 0.7071067811865476\n");
  ASSERT_EQ(poses.size(), 1u);
  EXPECT_EQ(poses[0].time_s, 1.5);
  const Transform quarter_turn_left{{0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1}};
  EXPECT_LT(worst_entry_error(poses[0].map_from_body, quarter_turn_left), 1e-15);
}

TEST_F(TumTest, CommentsBlankLinesAndWindowsLineEndsAreSkipped) {
  const std::string text = "# time x y z qx qy qz qw\r\n#" + std::string(100'000, 'c') +
                           "\n\n  # indented\n1 0 0 0 0 0 0 1\r\n\r\n\t2 1 2 3 0 0 0 -1\n#last";
  const auto poses = read(text);
  ASSERT_EQ(poses.size(), 2u);
  EXPECT_EQ(poses[1].map_from_body(2, 3), 3);
  EXPECT_EQ(worst_entry_error(poses[1].map_from_body,
                              make_transform(Mat3<double>{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {1, 2, 3})),
            0);
}

TEST_F(TumTest, TimesAndTranslationsComeBackExactlyAndRotationsTo2e15) {
  const auto poses = random_trajectory(20'000);
  write_tum(path(), poses);
  const auto got = read_tum(path());
  ASSERT_EQ(got.size(), poses.size());
  double worst = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    EXPECT_EQ(got[i].time_s, poses[i].time_s);
    for (int row = 0; row < 3; ++row) EXPECT_EQ(got[i].map_from_body(row, 3), poses[i].map_from_body(row, 3));
    worst = std::max(worst, worst_entry_error(got[i].map_from_body, poses[i].map_from_body));
  }
  RecordProperty("worst_entry_error", std::to_string(worst * 1e16) + "e-16");
  EXPECT_LE(worst, 2e-15);
}

TEST_F(TumTest, AwkwardNumbersComeBackBitForBit) {
  using Limits = std::numeric_limits<double>;
  const double values[] = {Limits::denorm_min(), -Limits::min(), Limits::max(), -0.0, 0.1, 1.0 / 3, 4.9e-310};
  std::vector<StampedTransform> poses;
  for (const double v : values) {
    const double time_s = poses.empty() ? Limits::lowest() : poses.back().time_s / 10;
    poses.push_back({time_s, make_transform(rotation_of(Transform{}), {v, -v, v})});
  }
  write_tum(path(), poses);
  const auto got = read_tum(path());
  ASSERT_EQ(got.size(), poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    EXPECT_EQ(std::memcmp(&got[i].time_s, &poses[i].time_s, sizeof poses[i].time_s), 0) << values[i];
    EXPECT_EQ(std::memcmp(&got[i].map_from_body, &poses[i].map_from_body, sizeof poses[i].map_from_body), 0)
        << values[i];
  }
}

TEST_F(TumTest, MatricesThatAreNearlyRotationsAreWrittenAsOne) {
  std::mt19937 random(3);
  for (const double defect : {1e-7, 1e-4}) {
    std::uniform_real_distribution<double> noise(-defect, defect);
    auto poses = random_trajectory(2000);
    for (auto& pose : poses)
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) pose.map_from_body(row, column) += noise(random);
    write_tum(path(), poses);
    const auto got = read_tum(path());
    for (std::size_t i = 0; i < poses.size(); ++i)
      EXPECT_LT(worst_entry_error(got[i].map_from_body, poses[i].map_from_body), 4 * defect);
  }
}

TEST_F(TumTest, QuaternionsNearUnitLengthAreNormalisedAndReported) {
  TrajectoryInfo info{99};
  const auto poses = read("1 0 0 0 0 0 0 1.0009\n2 0 0 0 0.7 0 0 0.7142\n", &info);
  for (const auto& pose : poses) EXPECT_EQ(rigid_defect(pose.map_from_body), "");
  EXPECT_NEAR(info.worst_norm_error, 0.0009, 1e-12);
  read("1 0 0 0 0 0 0 1\n", &info);
  EXPECT_EQ(info.worst_norm_error, 0);
}

TEST_F(TumTest, FilesCutAtAnyByteAreReadOrRefused) {
  const std::string text = "1 2 3 4 0 0 0 1\n2 3 4 5 0.6 0 0 0.8\n";
  for (std::size_t n = 0; n < text.size(); ++n) {
    put(text.substr(0, n));
    const std::string why = input_error_of([&] { EXPECT_LE(read_tum(path()).size(), 2u); });
    const bool whole_lines = n == 15 || n == 16 || n + 1 == text.size();  // the last newline may be missing
    EXPECT_EQ(why.empty(), whole_lines) << n;
  }
}

TEST_F(TumTest, FixesMayHaveTheCovarianceOfXAndY) {
  const auto plain = read_fixes(put("0 1 2 3 0 0 0 1\n1 1 2 3 0 0 0 1\n"));
  ASSERT_EQ(plain.size(), 2u);
  EXPECT_FALSE(plain[0].covariance);
  const auto known = read_fixes(put("# t x y z qx qy qz qw\n0 1 2 3 0 0 0 1 4 0.5 9\n"));
  ASSERT_TRUE(known[0].covariance);
  EXPECT_EQ(known[0].covariance->xx, 4);
  EXPECT_EQ(known[0].covariance->xy, 0.5);
  EXPECT_EQ(known[0].covariance->yy, 9);
  for (const char* bad : {"0 1 2 3 0 0 0 1 4 0.5\n", "0 1 2 3 0 0 0 1 4 0.5 9 1\n", "0 1 2 3 0 0 0 1 4 7 9\n",
                          "0 1 2 3 0 0 0 1 0 0 0\n", "0 1 2 3 0 0 0 1 -1 0 1\n", "0 1 2 3 0 0 0 1 nan 0 1\n",
                          "0 1 2 3 0 0 0 1\n1 1 2 3 0 0 0 1 4 0 9\n", ""})
    EXPECT_THROW(read_fixes(put(bad)), InputError) << bad;
}

TEST_F(TumTest, WhatCouldNotBeReadBackIsNotWritten) {
  const auto mistake = [this](const std::vector<StampedTransform>& poses) {
    return mistake_of([&] { write_tum(path(), poses); });
  };
  Transform mirror, nowhere;
  mirror(1, 1) = -1;
  nowhere(0, 3) = std::numeric_limits<double>::infinity();
  EXPECT_THAT(mistake({}), HasSubstr("write_tum: no poses"));
  EXPECT_THAT(mistake({{2, {}}, {2, {}}}), HasSubstr("write_tum: time 2 of pose 1 does not come after 2"));
  EXPECT_THAT(mistake({{std::nan(""), {}}}), HasSubstr("write_tum: time nan of pose 0 is not finite"));
  EXPECT_THAT(mistake({{1, mirror}}), HasSubstr("write_tum: not a rigid transform: the determinant is -1"));
  EXPECT_THAT(mistake({{1, nowhere}}), HasSubstr("write_tum: not a rigid transform: entry (0, 3) is inf"));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_THAT(input_error_of([&] { write_tum(path("no/such"), random_trajectory(1)); }),
              HasSubstr("cannot be written"));
}

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
