// Bodies that are not what their header says.
#include <cmath>
#include <random>

#include "pcd_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

const std::vector<Point> kTwo = {{1, 2, 3}, {4, 5, 6}};

using PcdBinaryTest = PcdFiles;

TEST_F(PcdBinaryTest, ABodyCutAtAnyByteIsRefused) {
  const std::string header = Header{}.text();
  for (std::size_t n = 0; n < kTwoPoints.size(); ++n)
    EXPECT_THAT(refusal_of(header + kTwoPoints.substr(0, n)),
                HasSubstr("byte " + std::to_string(header.size()) +
                          ": 2 points of 12 bytes declared, which is 24, but " + std::to_string(n) +
                          " bytes follow"));
}

TEST_F(PcdBinaryTest, BytesAfterTheLastPointAreAcceptedAndReported) {
  CloudInfo info;
  EXPECT_TRUE(same_bits(read(Header{}.text() + kTwoPoints + "12345", &info).points, kTwo));
  EXPECT_EQ(info.trailing_bytes, 5u);
}

TEST_F(PcdBinaryTest, TheFirstBytesOfABodyMayLookLikeText) {
  const float newlines = 9.13636e-33f;  // some bytes of it are '\n'
  EXPECT_EQ(read(Header{}.text("\r\n") + bytes_of(newlines, 2.f, 3.f) + kTwoPoints.substr(12)).points[0].x,
            newlines);
}

class PcdAsciiTest : public PcdFiles {
 protected:
  PointCloud read_rows(const std::string& rows) const { return read(header_.text() + rows); }
  std::string refusal_of_rows(const std::string& rows) const { return refusal_of(header_.text() + rows); }
  Header header_ = Header{}.with_data("ascii");  // ten lines: rows begin on line 11
};

TEST_F(PcdAsciiTest, BlanksTabsEmptyLinesAndWindowsLineEndsSeparate) {
  EXPECT_TRUE(same_bits(read_rows("1 2 3\n4 5 6\n").points, kTwo));
  EXPECT_TRUE(same_bits(read_rows("1 2 3\n4 5 6").points, kTwo));
  EXPECT_TRUE(same_bits(read_rows("\n 1\t2  3 \r\n\r\n+4 5.0 .6e1\r\n\n").points, kTwo));
}

TEST_F(PcdAsciiTest, NansAndInfinitiesAreReadInAnySpelling) {
  const auto points = read_rows("nan NaN -NAN\ninf -Inf INFINITY\n").points;
  EXPECT_TRUE(std::isnan(points[0].x) && std::isnan(points[0].y) && std::isnan(points[0].z));
  EXPECT_TRUE(std::isinf(points[1].x) && points[1].y < 0 && points[1].z > 0);
}

TEST_F(PcdAsciiTest, NumbersTooSmallForFloatBecomeZeroKeepingTheirSign) {
  EXPECT_TRUE(
      same_bits(read_rows("1e-60 -1e-60 1e-400\n1e-45 0 0\n").points, {{0.f, -0.f, 0.f}, {1e-45f, 0, 0}}));
}

TEST_F(PcdAsciiTest, NumbersTooLargeAreRefused) {
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 1e999 6\n"), HasSubstr("line 12: value 2: '1e999' is out of range"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5 -1e39\n"), HasSubstr("value 3: '-1e39' is out of range"));
}

TEST_F(PcdAsciiTest, WordsThatAreNoDecimalNumbersAreRefused) {
  for (const char* word : {"1,5", "0x10", "0x1p3", "abc", "1.2.3", "--1", "+-1", "1e", "-", "+", "1_000",
                           "NULL", "#1", "nanx", "nan(1)", "1f",
                           "\xC2\xA0"
                           "1"})
    EXPECT_THAT(refusal_of_rows(std::string("1 2 3\n4 ") + word + " 6\n"),
                HasSubstr("is not a number; fix the line"))
        << word;
  EXPECT_THAT(refusal_of_rows(std::string("1 2 3\n4 1\0 6\n", 13)), HasSubstr("'1\\x00' is not a number"));
}

TEST_F(PcdAsciiTest, SkippedValuesHaveToBeNumbersToo) {
  const Header header{.fields = "FIELDS x i y z",
                      .size = "SIZE 4 4 4 4",
                      .type = "TYPE F F F F",
                      .count = "",
                      .width = "WIDTH 1",
                      .points = "POINTS 1",
                      .data = "DATA ascii"};
  EXPECT_EQ(refusal_of(header.text() + "1 1e39 2 3\n"), "");
  EXPECT_THAT(refusal_of(header.text() + "1 red 2 3\n"), HasSubstr("value 2: 'red' is not a number"));
}

TEST_F(PcdAsciiTest, RowsOfAnotherLengthAreRefusedWithTheirLine) {
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5 \n6\n"), HasSubstr("line 12: 2 values, expected 3"));
  EXPECT_THAT(refusal_of_rows("1 2 3 4\n5 6 7\n"), HasSubstr("line 11: 4 values, expected 3"));
}

TEST_F(PcdAsciiTest, MoreOrFewerRowsThanPointsAreRefused) {
  EXPECT_THAT(refusal_of_rows("1 2 3\n\n      \n\n"), HasSubstr("the file ends after 1 of 2 rows"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n"), HasSubstr("2 rows of 3 values declared, but only 6 bytes follow"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5 6\n7 8 9\n"), HasSubstr("line 13: more rows than the 2 declared"));
}

TEST_F(PcdAsciiTest, RowsCutAtAnyByteAreRefused) {
  const std::string rows = "1.25 2.5 3\n4 5 6\n";
  for (std::size_t n = 0; n + 2 < rows.size(); ++n)  // without its last newline a file is whole
    EXPECT_NE(refusal_of_rows(rows.substr(0, n)), "") << n;
}

TEST_F(PcdAsciiTest, AWordOfAMegabyteIsRefusedAndNotPrinted) {
  const std::string message = refusal_of_rows(std::string(1 << 20, '1') + " 2 3\n4 5 6\n");
  EXPECT_THAT(message, HasSubstr("is longer than 256 bytes"));
  EXPECT_LT(message.size(), 400u);
}

class PcdCompressedTest : public PcdFiles {
 protected:
  void SetUp() override {
    if (!NDT_HAVE_LZF) GTEST_SKIP() << "built without liblzf";
  }
  static std::string sizes(std::uint32_t packed, std::uint32_t unpacked) {
    return bytes_of(packed, unpacked);
  }
  std::string refusal_of_body(const std::string& body, const std::string& points = "2") const {
    return refusal_of(Header{}.with_points(points).with_data("binary_compressed").text() + body);
  }
};

// A control byte n < 32 is followed by n + 1 literal bytes; field-major order puts x x y y z z.
const std::string kLiterals = "\x17" + bytes_of(1.f, 4.f, 2.f, 5.f, 3.f, 6.f);

TEST_F(PcdCompressedTest, ValuesAreStoredFieldByField) {
  const std::string header = Header{}.with_data("binary_compressed").text();
  CloudInfo info;
  EXPECT_TRUE(same_bits(read(header + sizes(25, 24) + kLiterals + "abc", &info).points, kTwo));
  EXPECT_EQ(info.trailing_bytes, 3u);
}

TEST_F(PcdCompressedTest, SkippedFieldsTakeUpTheirFullWidth) {
  const Header header{.fields = "FIELDS n x y z",
                      .size = "SIZE 2 4 4 4",
                      .type = "TYPE U F F F",
                      .count = "COUNT 3 1 1 1",
                      .width = "WIDTH 1",
                      .points = "POINTS 1",
                      .data = "DATA binary_compressed"};
  EXPECT_TRUE(same_bits(
      read(header.text() + sizes(19, 18) + "\x11" + "nnnnnn" + bytes_of(1.f, 2.f, 3.f)).points, {{1, 2, 3}}));
}

TEST_F(PcdCompressedTest, ABodyCutAtAnyByteIsRefused) {
  const std::string body = sizes(25, 24) + kLiterals;
  for (std::size_t n = 0; n < body.size(); ++n) EXPECT_NE(refusal_of_body(body.substr(0, n)), "") << n;
}

TEST_F(PcdCompressedTest, SizesThatLieAreRefused) {
  EXPECT_THAT(refusal_of_body(sizes(0, 0)), HasSubstr("unpacked size 0, but 2 points of 12 bytes are 24"));
  EXPECT_THAT(refusal_of_body(sizes(25, 36) + kLiterals), HasSubstr("unpacked size 36, but"));
  EXPECT_THAT(refusal_of_body(sizes(0, 24) + kLiterals), HasSubstr("0 compressed bytes cannot unpack to 24"));
  EXPECT_THAT(refusal_of_body(sizes(0xFFFFFFFF, 24) + kLiterals),
              HasSubstr("4294967295 bytes of compressed data declared, 25 bytes follow"));
  EXPECT_THAT(refusal_of_body(sizes(24, 24) + kLiterals), HasSubstr("the compressed data is damaged"));
  EXPECT_THAT(refusal_of_body(sizes(26, 24) + kLiterals + '\0'), HasSubstr("the compressed data is damaged"));
  EXPECT_THAT(refusal_of_body(sizes(25, 12) + kLiterals, "1"), HasSubstr("the compressed data is damaged"));
}

TEST_F(PcdCompressedTest, CloudsOfFourGibibytesAreSentToBinary) {
  Header header = Header{}.with_points("134217728").with_data("binary_compressed");
  header.fields += " _";
  header.size += " 4";
  header.type += " F";
  header.count += " 100";
  EXPECT_THAT(refusal_of(header.text() + sizes(25, 24)), HasSubstr("export the cloud as binary"));
}

TEST_F(PcdCompressedTest, ABombIsRefusedByItsRatio) {
  EXPECT_THAT(refusal_of_body(sizes(15'000, 120'000'000) + std::string(15'000, '\xFF'), "10000000"),
              HasSubstr("15000 compressed bytes cannot unpack to 120000000"));
}

TEST_F(PcdCompressedTest, ReferencesToBeforeTheBeginningAreRefused) {
  std::string body("\x00z\x3F\xFF", 4);  // one literal, then copy 3 bytes from 8192 back
  body.resize(25, '\0');
  EXPECT_THAT(refusal_of_body(sizes(25, 24) + body), HasSubstr("the compressed data is damaged"));
}

TEST_F(PcdCompressedTest, DamagedDataIsReadOrRefusedButNeverTrusted) {
  std::mt19937 random(11);
  PointCloud cloud;
  for (int i = 0; i < 100; ++i)
    cloud.points.push_back({static_cast<float>(i % 7), 1.f, static_cast<float>(i / 9)});
  write_pcd(path(), cloud, PcdEncoding::binary_compressed);
  std::ifstream in(path(), std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  const std::size_t body = whole.find("compressed\n") + 11;
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string damaged = whole;
    for (int k = 0; k < 3; ++k)
      damaged[body + random() % (whole.size() - body)] = static_cast<char>(random());
    put(damaged);
    try {
      EXPECT_EQ(read_pcd(path()).size(), cloud.size());
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace ndt::harness
