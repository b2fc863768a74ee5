// Tests that the contents of real files are understood. That clouds come back is in cloud_file_test, bad
// files are in tests/catalogue.
#include <unistd.h>

#include <cmath>
#include <limits>

#include "message_of.hpp"
#include "pcd_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;
using PcdTest = PcdFiles;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_F(PcdTest, NearDoublesBecomeFloatsWithoutAnOrigin) {
  const Header header{.size = "SIZE 8 8 8"};
  const PointCloud got = read(header.text() + bytes_of(0.1, -1000.0, 1000.0, kNan, 9e9, 0.0));
  EXPECT_EQ(got.origin.x, 0);
  EXPECT_EQ(got.points[0].x, 0.1f);
  EXPECT_EQ(got.points[0].y, -1000.f);
  EXPECT_TRUE(std::isnan(got.points[1].x));
}

TEST_F(PcdTest, OneStrayPointDoesNotMoveTheOriginOfDoubles) {
  const Header header{.size = "SIZE 8 8 8", .width = "WIDTH 3", .points = "POINTS 3"};
  const PointCloud got =
      read(header.text() + bytes_of(5e6, 5e6, 0.0, 5e6 + 1.5, 5e6, -1.0, 1e300, -1e300, 2000.0));
  EXPECT_EQ(got.origin.x, 5e6);
  EXPECT_EQ(got.origin.z, 0);
  EXPECT_EQ(got.points[1].x, 1.5f);
  EXPECT_TRUE(std::isinf(got.points[2].x)) << "beyond float32 is not finite, and so is dropped and counted";
}

TEST_F(PcdTest, NonFinitePointsDoNotMoveTheOriginOfDoubles) {
  const Header header{.size = "SIZE 8 8 8", .width = "WIDTH 3", .points = "POINTS 3"};
  const PointCloud got = read(header.text() + bytes_of(kNan, 0.0, 0.0, 7e6, 5e6 + 2, 1.0, 0.0, 0.0, -kNan));
  EXPECT_EQ(got.origin.x, 7e6);
  EXPECT_EQ(got.origin.y, 5e6);
  EXPECT_EQ(got.points[1].y, 2.f);
  EXPECT_TRUE(std::isnan(got.points[0].x) && std::isnan(got.points[2].z));
}

TEST_F(PcdTest, DoublesThatLieNowhereOnEarthAreRefused) {
  const Header header{.size = "SIZE 8 8 8", .width = "WIDTH 1", .points = "POINTS 1"};
  EXPECT_THAT(refusal_of(header.text() + bytes_of(1.7e308, 0.0, 0.0)),
              HasSubstr("past the limit of 1000000000 m"));
}

TEST_F(PcdTest, FloatAndDoubleCoordinatesMayBeMixed) {
  const Header header{.size = "SIZE 4 8 4", .width = "WIDTH 1", .points = "POINTS 1"};
  const PointCloud binary = read(header.text() + bytes_of(0.1f, 4e6 + 0.25, 3.f));
  EXPECT_EQ(binary.origin.y, 4e6);
  EXPECT_TRUE(same_bits(binary.points, {{0.1f, 0.25f, 3.f}}));
  const PointCloud ascii = read(header.with_data("ascii").text() + "0.1 4000000.25 3\n");
  EXPECT_TRUE(same_bits(ascii.points, binary.points));
}

// intensity before x, colour and normals between the coordinates, time behind them
const Header kRich{.fields = "FIELDS intensity x rgb y normal z _ _ time",
                   .size = "SIZE 4 4 4 4 4 4 1 2 8",
                   .type = "TYPE F F U F F F I U U",
                   .count = "COUNT 1 1 1 1 3 1 1 1 1"};
const std::vector<Point> kRichPoints = {{1, 2, 3}, {4, 5, 6}};

TEST_F(PcdTest, OtherFieldsAreSkippedInBinary) {
  std::string body;
  for (const Point& p : kRichPoints)
    body +=
        bytes_of(9.f, p.x, 0xFF00FFu, p.y, 7.f, 7.f, 7.f, p.z, std::int8_t{-1}, std::uint16_t{2}, 1ull << 60);
  EXPECT_TRUE(same_bits(read(kRich.text() + body).points, kRichPoints));
}

TEST_F(PcdTest, OtherFieldsAreSkippedInAscii) {
  const std::string body = "9 1 16711935 2 7 nan 7 3 -1 2 1152921504606846976\n9 4 0 5 7 7 7 6 -1 2 0";
  EXPECT_TRUE(same_bits(read(kRich.with_data("ascii").text() + body).points, kRichPoints));
}

// a capital beside the small letter, padding of no values, a name twice, and a capital alone
const Header kOdd{.fields = "FIELDS X x _ i y i _ Z",
                  .size = "SIZE 4 4 8 1 4 2 1 4",
                  .type = "TYPE F F U U F U U F",
                  .count = "COUNT 1 1 0 1 1 1 0 1"};

TEST_F(PcdTest, OddFieldsAreSkippedAndCapitalsStandForMissingLetters) {
  std::string body;
  for (const Point& p : kRichPoints) body += bytes_of(9.f, p.x, std::uint8_t{7}, p.y, std::uint16_t{8}, p.z);
  EXPECT_TRUE(same_bits(read(kOdd.text() + body).points, kRichPoints));
  const std::string rows = "9 1 7 2 8 3\n9 4 7 5 8 6\n";
  EXPECT_TRUE(same_bits(read(kOdd.with_data("ascii").text() + rows).points, kRichPoints));
}

TEST_F(PcdTest, TheViewpointDoesNotMoveThePoints) {
  const Header header{.width = "WIDTH 1", .viewpoint = "VIEWPOINT 10 20 30 0 1 0 0", .points = "POINTS 1"};
  EXPECT_TRUE(same_bits(read(header.text() + bytes_of(1.f, 2.f, 3.f)).points, {{1, 2, 3}}));
}

TEST_F(PcdTest, TextIsTheShortestThatReadsBack) {
  write_pcd(path(), {{}, {{0.1f, -0.f, -1e-40f}}}, PcdEncoding::ascii);
  EXPECT_THAT(written(), testing::EndsWith("DATA ascii\n0.1 -0 -1e-40\n"));
}

TEST_F(PcdTest, AnExistingFileIsReplaced) {
  write_pcd(path(), noise(1000));
  write_pcd(path(), noise(1));
  CloudInfo info{99};
  EXPECT_EQ(read_pcd(path(), &info).size(), 1u);
  EXPECT_EQ(info.trailing_bytes, 0u);
}

TEST_F(PcdTest, WithoutLiblzfCompressedFilesAreRefusedWithTheRemedy) {
  if (NDT_HAVE_LZF) GTEST_SKIP() << "this build has liblzf";
  EXPECT_THAT(refusal_of(Header{}.with_data("binary_compressed").text()),
              HasSubstr("convert the file to binary"));
  EXPECT_THROW(write_pcd(path(), noise(1), PcdEncoding::binary_compressed), InputError);
}

TEST_F(PcdTest, EverySpellingOfTwoPointsIsReadAsThem) {
  const std::string text = Header{}.with_data("ascii").text();
  std::vector<std::string> files = {Header{}.text() + kTwoPoints + "12345", text + "1 2 3\n4 5 6\n",
                                    text + "1 2 3\n4 5 6", text + "\n 1\t2  3 \r\n\r\n+4 5.0 .6e1\r\n\n"};
  // A control byte n < 32 is followed by n + 1 literal bytes; columns put x x y y z z.
  if (NDT_HAVE_LZF)
    files.push_back(Header{}.with_data("binary_compressed").text() + bytes_of(25u, 24u) + "\x17" +
                    bytes_of(1.f, 4.f, 2.f, 5.f, 3.f, 6.f) + "abc");
  for (const std::string& file : files)
    EXPECT_TRUE(same_bits(read(file).points, {{1, 2, 3}, {4, 5, 6}})) << file;
}

TEST_F(PcdTest, SkippedFieldsOfCompressedFilesTakeUpTheirFullWidth) {
  if (!NDT_HAVE_LZF) GTEST_SKIP() << "built without liblzf";
  const Header header{.fields = "FIELDS n x y z",
                      .size = "SIZE 2 4 4 4",
                      .type = "TYPE U F F F",
                      .count = "COUNT 3 1 1 1",
                      .width = "WIDTH 1",
                      .points = "POINTS 1",
                      .data = "DATA binary_compressed"};
  EXPECT_TRUE(
      same_bits(read(header.text() + bytes_of(19u, 18u) + "\x11" + "nnnnnn" + bytes_of(1.f, 2.f, 3.f)).points,
                {{1, 2, 3}}));
}

TEST_F(PcdTest, TheFirstBytesOfABodyMayLookLikeText) {
  const float newlines = 9.13636e-33f;  // some bytes of it are '\n'
  EXPECT_EQ(read(Header{}.text("\r\n") + bytes_of(newlines, 2.f, 3.f) + kTwoPoints.substr(12)).points[0].x,
            newlines);
}

TEST_F(PcdTest, NansInfinitiesAndTinyNumbersAreReadFromText) {
  const std::string header = Header{}.with_data("ascii").text();
  const auto odd = read(header + "nan NaN -NAN\ninf -Inf INFINITY\n").points;
  EXPECT_TRUE(std::isnan(odd[0].x) && std::isnan(odd[0].y) && std::isnan(odd[0].z));
  EXPECT_TRUE(std::isinf(odd[1].x) && odd[1].y < 0 && odd[1].z > 0);
  EXPECT_TRUE(same_bits(read(header + "1e-60 -1e-60 1e-400\n1e-45 0 0\n").points,
                        {{0.f, -0.f, 0.f}, {1e-45f, 0, 0}}));
}

TEST_F(PcdTest, NamesThatNoFileCanHaveAreRefusedInPrintableText) {
  EXPECT_THAT(refusal_of_file(std::string("a\0b", 3)),
              testing::StartsWith("a\\x00b: the name contains a zero byte"));
  EXPECT_THAT(refusal_of_file("a\nb"), testing::StartsWith("a\\x0Ab: there is no such file"));
}

TEST_F(PcdTest, AFileWithoutReadPermissionIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::filesystem::permissions(put(Header{}.text() + kTwoPoints), std::filesystem::perms::none);
  EXPECT_THAT(refusal_of_file(path()), HasSubstr("no permission"));
}

}  // namespace
}  // namespace ndt::harness
