// Scans with times of points: fields, types and units as drivers write them.
#include "io/scan_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ndt/io/cloud_file.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {
namespace {

class ScanFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "scan.pcd";

  /// Three points whose field `name` has these values.
  std::vector<float> times(const std::string& name, char type, int size,
                           const std::vector<std::string>& values) {
    std::ofstream out(file_);
    out << fmt::format(
        "VERSION 0.7\nFIELDS x y z {}\nSIZE 4 4 4 {}\nTYPE F F F {}\nCOUNT 1 1 1 1\nWIDTH 3\nHEIGHT "
        "1\nPOINTS 3\nDATA "
        "ascii\n",
        name, size, type);
    for (const std::string& value : values) out << "1 2 3 " << value << "\n";
    out.close();
    return read_scan(file_, {}).times;
  }
  static void expect_near(const std::vector<float>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-6) << k;
  }
};

TEST_F(ScanFile, HasTimesInSecondsAfterItsStampWhateverTheirUnitAndZero) {
  expect_near(times("t", 'F', 4, {"-0.05", "0", "0.05"}), {-0.05, 0, 0.05});
  expect_near(times("t", 'U', 4, {"0", "50000000", "99000000"}), {0, 0.05, 0.099});
  expect_near(times("offset_time", 'U', 4, {"1000", "2000", "101000"}), {0.001, 0.002, 0.101});
  expect_near(times("Timestamp", 'F', 8, {"1700000000.00", "1700000000.05", "1700000000.10"}),
              {0, 0.05, 0.1});
  expect_near(
      times("timestamp", 'F', 8, {"1700000000000000000", "1700000000050000000", "1700000000100000000"}),
      {0, 0.05, 0.1});
  expect_near(times("time_ms", 'F', 4, {"0", "1", "2"}), {0, 0.001, 0.002});
  EXPECT_TRUE(times("intensity", 'F', 4, {"0", "0.05", "0.1"}).empty());
}

TEST_F(ScanFile, KeepsTimesThatMakeNoSweepForOthersToSee) {
  expect_near(times("t", 'F', 4, {"0.5", "0.5", "0.5"}), {0.5, 0.5, 0.5});
}

TEST_F(ScanFile, IsWrittenAndReadWithTheSameTimes) {
  const PointCloud cloud{{}, {{1, 2, 3}, {4, 5, 6}}, {-0.05F, 0.05F}};
  io::write_pcd(file_, cloud);
  EXPECT_EQ(read_scan(file_, {}).times, cloud.times);
  EXPECT_EQ(read_scan(file_, {}).points.at(1).y, 5);
  EXPECT_TRUE(io::read_cloud(file_).times.empty()) << "only scans have them";
}

TEST_F(ScanFile, TimesAreMovedToThePartOfTheSweepThatTheStampBelongsTo) {
  PointCloud scan{{}, {{}, {}, {}}, {0.125F, 0.25F, 0.625F}};
  const auto moved = [&](StampAt at) {
    set_stamp(scan, at);
    return scan.times;
  };
  EXPECT_EQ(moved(StampAt::as_written), (std::vector{0.125F, 0.25F, 0.625F}));
  EXPECT_EQ(moved(StampAt::start), (std::vector{0.0F, 0.125F, 0.5F}));
  EXPECT_EQ(moved(StampAt::end), (std::vector{-0.5F, -0.375F, 0.0F}));
  EXPECT_EQ(moved(StampAt::middle), (std::vector{-0.25F, -0.125F, 0.25F}));
}

}  // namespace
}  // namespace ndt::harness
