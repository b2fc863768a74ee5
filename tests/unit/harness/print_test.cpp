#include "cli/common/print.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "cli/common/progress_line.hpp"
#include "ndt/core/error.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCellAndUnitsHaveTheirOwnLine) {
  const std::vector<TextColumn> columns = {{"name", "", true}, {"time", "ms"}};
  const std::vector<std::vector<std::string>> rows = {{"a", "1.5"}, {"longer", "100.25"}};
  EXPECT_EQ(text_table(columns, rows),
            "name     time\n"
            "           ms\n"
            "a         1.5\n"
            "longer 100.25\n");
}

TEST(TextTable, WithoutUnitsThereIsOneHeading) {
  const std::vector<TextColumn> columns = {{"n", ""}};
  EXPECT_EQ(text_table(columns, {}), "n\n");
}

TEST(TextTable, ARowThatIsTooShortIsRefused) {
  const std::vector<TextColumn> columns = {{"a", ""}, {"b", ""}};
  const std::vector<std::vector<std::string>> rows = {{"1"}};
  EXPECT_THROW(text_table(columns, rows), std::out_of_range);
}

constexpr float kNoScore = std::numeric_limits<float>::quiet_NaN();

std::string written(const PointCloud& scan, const std::vector<float>& scores) {
  const TemporaryFolder folder;
  write_point_scores(folder.path() / "scores.csv", scan, scores);
  std::ostringstream text;
  text << std::ifstream(folder.path() / "scores.csv").rdbuf();
  return text.str();
}

TEST(PointScores, HaveALinePerFinitePointWithItsIndexInTheScan) {
  const PointCloud scan{{}, {{1, -2.5F, 0.1F}, {kNoScore, 0, 0}, {1.0F / 3, 1e-7F, 345.678F}}};
  EXPECT_EQ(written(scan, {2.75F, 0}),
            "index,x_m,y_m,z_m,score\n0,1,-2.5,0.1,2.75\n2,0.33333334,1e-07,345.678,0\n");
}

TEST(PointScores, GiveCoordinatesInTheScansFrameHoweverFarAway) {
  EXPECT_EQ(written({{5400000.25, -1000, 0}, {{0.125F, 0.5F, 2}}}, {1.5F}),
            "index,x_m,y_m,z_m,score\n0,5400000.375,-999.5,2,1.5\n");
}

TEST(PointScores, OfAnEmptyScanAreAHeading) { EXPECT_EQ(written({}, {}), "index,x_m,y_m,z_m,score\n"); }

TEST(PointScores, MustBeOnePerFinitePoint) {
  EXPECT_THROW(written({{}, {{1, 2, 3}, {kNoScore, 0, 0}}}, {1, 2}), std::logic_error);
  EXPECT_THROW(written({{}, {{1, 2, 3}}}, {}), std::logic_error);
}

TEST(PointScores, AFileThatCannotBeWrittenIsRefused) {
  EXPECT_THROW(write_point_scores("/nowhere/at/all.csv", {}, {}), InputError);
}

TEST(ProgressLine, TellsShareCountTimeLeftAndWhatIsMeasured) {
  EXPECT_EQ(progress_text({25, 100, "a on b"}, 30, 0),
            "[#####---------------]  25 %  25/100  1:30 left  a on b");
  EXPECT_EQ(progress_text({0, 100, "a"}, 3, 0), "[--------------------]   0 %  0/100  a")
      << "nothing to go by yet";
  EXPECT_EQ(progress_text({100, 100, "a"}, 3, 0), "[####################] 100 %  100/100  0:00 left  a");
}

TEST(ProgressLine, WhatIsMeasuredCannotMoveTheCursor) {
  EXPECT_EQ(progress_text({0, 1, "a\x1B[2J\nb \xC3\xA4 \xC2\x9B"}, 0, 0),
            "[--------------------]   0 %  0/1  a\\x1B[2J\\x0Ab \xC3\xA4 \\xC2\\x9B");
}

TEST(ProgressLine, WhatAnEarlierSessionDidSaysNothingAboutTheTimeLeft) {
  EXPECT_EQ(progress_text({60, 100, "a"}, 10, 50), "[############--------]  60 %  60/100  0:40 left  a");
}

TEST(ProgressLine, TheEndIsToldOnce) {
  testing::internal::CaptureStderr();
  ProgressLine line;
  for (const std::size_t done : {1, 2, 2, 2}) line.show({done, 2, "a"});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
}

}  // namespace
}  // namespace ndt::harness
