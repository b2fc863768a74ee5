#include <gmock/gmock.h>

#include <algorithm>

#include "base/errors.hpp"
#include "bytes_of.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/trajectory.hpp"
#include "temporary_folder.hpp"
#include "town/town.hpp"

namespace ndt::harness::town {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr TownOptions kSmall{.scale = TownScale::small, .seed = 1, .threads = 2};

class WriteTown : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const fs::path town_ = folder_.path() / "made" / "town";
};

TEST_F(WriteTown, TheFilesHoldWhatTheSummarySays) {
  const TownSummary summary = write_town(kSmall, town_);
  EXPECT_EQ(summary.name, "town_small");
  EXPECT_THAT(entries(town_), ElementsAre(town_ / "dataset.toml", town_ / "gnss.tum", town_ / "map.pcd",
                                          town_ / "odometry.tum", town_ / "scans", town_ / "truth.tum"));
  EXPECT_EQ(summary.scans, 8);
  const std::vector<fs::path> scans = entries(town_ / "scans");
  ASSERT_EQ(scans.size(), 8u);
  EXPECT_EQ(scans.back().filename(), "000007.pcd");
  std::int64_t points = 0;
  for (const fs::path& scan : scans) points += static_cast<std::int64_t>(read_pcd(scan).size());
  EXPECT_EQ(summary.scan_points, points);
  EXPECT_EQ(summary.map_points, static_cast<std::int64_t>(read_pcd(town_ / "map.pcd").size()));
  EXPECT_EQ(summary.drive_m, 35);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(town_))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_EQ(summary.bytes, bytes);
  EXPECT_EQ(fs::status(town_).permissions() & fs::perms::others_read, fs::perms::others_read);
}

TEST_F(WriteTown, TheTruthIsRigidAndGoesAsFarAsTheDrive) {
  write_town(kSmall, town_);
  const std::vector<StampedTransform> truth = read_tum(town_ / "truth.tum");
  double length = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const Mat3<double> r = rotation_of(truth[k].map_from_body), product = r * transpose(r);
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(product.m[i], i % 4 == 0 ? 1 : 0, 1e-14);
    if (k > 0) length += translation_error_m(truth[k - 1].map_from_body, truth[k].map_from_body);
  }
  EXPECT_NEAR(length, 35, 0.5) << "chords are shorter than arcs";
  EXPECT_LT(translation_error_m(truth[0].map_from_body, {}), 3) << "the map begins near its origin";
  EXPECT_GT(rotation_error_rad(truth.front().map_from_body, truth.back().map_from_body), 1.5) << "one turn";
}

TEST_F(WriteTown, TheOdometryBeginsAtItsOwnOriginAndDriftsAsASensorDoes) {
  write_town(kSmall, town_);
  const std::vector<StampedTransform> truth = read_tum(town_ / "truth.tum"),
                                      odometry = read_tum(town_ / "odometry.tum");
  ASSERT_EQ(odometry.size(), truth.size());
  EXPECT_LT(translation_error_m(odometry[0].map_from_body, {}), 1e-12);
  for (std::size_t k = 1; k < truth.size(); ++k) {
    EXPECT_EQ(odometry[k].time_s, truth[k].time_s);
    const auto step = [&](const std::vector<StampedTransform>& poses) {
      return inverse(poses[k - 1].map_from_body) * poses[k].map_from_body;
    };
    // Six sigma: 5 m, 1 % and 6 % of it; 0.05 and 0.3 degrees.
    EXPECT_LT(translation_error_m(step(odometry), step(truth)), 0.07 * 5) << k;
    EXPECT_LT(rotation_error_rad(step(odometry), step(truth)), 0.35 * kPi / 180) << k;
    EXPECT_GT(translation_error_m(step(odometry), step(truth)), 1e-6) << k;
  }
}

TEST_F(WriteTown, TheGnssIsNearTheTruthInTheMap) {
  write_town(kSmall, town_);
  const std::vector<StampedTransform> truth = read_tum(town_ / "truth.tum"),
                                      gnss = read_tum(town_ / "gnss.tum");
  ASSERT_EQ(gnss.size(), truth.size()) << "the drive is shorter than the way to the first outage";
  for (std::size_t k = 0; k < truth.size(); ++k) {
    EXPECT_EQ(gnss[k].time_s, truth[k].time_s);
    EXPECT_LT(translation_error_m(gnss[k].map_from_body, truth[k].map_from_body), 6 * 2 * 0.4) << "six sigma";
    EXPECT_GT(translation_error_m(gnss[k].map_from_body, truth[k].map_from_body), 1e-3);
  }
}

TEST_F(WriteTown, CoordinatesAreWholeMillimetres) {
  write_town(kSmall, town_);
  for (const fs::path& file : {town_ / "map.pcd", town_ / "scans" / "000003.pcd"})
    for (const Point& p : read_pcd(file).points)
      for (const float metres : {p.x, p.y, p.z}) {
        const double mm = std::round(static_cast<double>(metres) * 1000);
        ASSERT_EQ(metres, static_cast<float>(mm / 1000)) << file;
      }
}

TEST_F(WriteTown, AnEmptyFolderIsTakenAndSoIsANameWithASlash) {
  fs::create_directories(town_);
  write_town(kSmall, town_ / "");
  EXPECT_TRUE(fs::exists(town_ / "dataset.toml"));
  EXPECT_THAT(entries(town_.parent_path()), ElementsAre(town_));
}

TEST_F(WriteTown, WhatFailsHalfWayLeavesNothing) {
  const auto fails = [](double fraction) {
    if (fraction > 0.5) throw std::runtime_error("enough");
  };
  EXPECT_THROW(write_town(kSmall, town_, fails), std::runtime_error);
  EXPECT_THAT(entries(town_.parent_path()), ElementsAre());
}

TEST_F(WriteTown, ProgressGoesUpToOne) {
  std::vector<double> told;
  write_town(kSmall, town_, [&told](double fraction) { told.push_back(fraction); });
  ASSERT_GT(told.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GT(told.front(), 0);
  EXPECT_EQ(told.back(), 1);
}

TEST_F(WriteTown, ThreadsAndScalesOutOfRangeAreRefused) {
  for (const int threads : {-1, 257})
    EXPECT_THROW(write_town({.scale = TownScale::small, .seed = 1, .threads = threads}, town_),
                 std::invalid_argument);
  EXPECT_FALSE(fs::exists(town_.parent_path()));
  for (const TownScale scale :
       {TownScale::small, TownScale::standard, TownScale::drive, TownScale::large, TownScale::long_drive,
        TownScale::tunnel, TownScale::field, TownScale::junction, TownScale::kidnap, TownScale::park,
        TownScale::oldtown, TownScale::works, TownScale::woods})
    EXPECT_EQ(town_scale(town_scale_name(scale)), scale);
  EXPECT_THROW(town_scale("huge"), UsageError);
}

}  // namespace
}  // namespace ndt::harness::town
