// Headers that lie, and the files they may stand in.
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "pcd_files.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class PcdHeaderTest : public PcdFiles {
 protected:
  std::string refusal_of(const Header& header) const {
    return PcdFiles::refusal_of(header.text() + kTwoPoints);
  }
};

TEST_F(PcdHeaderTest, TheUnchangedHeaderOfTheseTestsIsAccepted) { EXPECT_EQ(refusal_of(Header{}), ""); }

TEST_F(PcdHeaderTest, MessagesNameFileLineKeywordAndRemedy) {
  EXPECT_EQ(
      refusal_of({.width = "WIDTH abc"}),
      path().string() +
          ": header line 6: WIDTH 'abc' is not a whole number; fix the header or export the cloud again");
}

TEST_F(PcdHeaderTest, OptionalLinesCommentsBlankLinesAndWindowsLineEndsAreAccepted) {
  EXPECT_EQ(refusal_of({.count = "", .viewpoint = ""}), "");
  EXPECT_EQ(refusal_of({.version = "VERSION .7", .fields = "COLUMNS x y z"}), "");
  EXPECT_EQ(refusal_of({.version = "# .PCD v0.7\n\n#\nVERSION\t0.7 "}), "");
  EXPECT_EQ(PcdFiles::refusal_of(Header{}.text("\r\n") + kTwoPoints), "");
  EXPECT_EQ(refusal_of({.width = "WIDTH 1", .height = "HEIGHT 2"}), "");
}

TEST_F(PcdHeaderTest, EveryMissingLineIsNamed) {
  EXPECT_THAT(refusal_of({.fields = ""}), HasSubstr("the FIELDS line is missing"));
  EXPECT_THAT(refusal_of({.size = ""}), HasSubstr("the SIZE line is missing"));
  EXPECT_THAT(refusal_of({.type = ""}), HasSubstr("the TYPE line is missing"));
  EXPECT_THAT(refusal_of({.width = ""}), HasSubstr("the WIDTH line is missing"));
  EXPECT_THAT(refusal_of({.points = ""}), HasSubstr("the POINTS line is missing"));
  EXPECT_THAT(PcdFiles::refusal_of(Header{.data = ""}.text()),
              HasSubstr("ends before the end of its DATA line"));
}

TEST_F(PcdHeaderTest, CountsThatAreNoCountsAreRefused) {
  for (const char* text : {"-1", "+2", "two", "2.0", "1e12", "0x2", "2,", "99999999999999999999999"})
    EXPECT_THAT(refusal_of(Header{}.with_points(text)), HasSubstr("is not a whole number")) << text;
  for (const char* text : {"1000000000000", "4294967296", "2147483648", "18446744073709551615", "134217729"})
    EXPECT_THAT(refusal_of(Header{}.with_points(text)), HasSubstr("the limit of 134217728 points")) << text;
  EXPECT_THAT(refusal_of({.width = "WIDTH"}), HasSubstr("WIDTH 0 values, expected 1"));
  EXPECT_THAT(refusal_of({.points = "POINTS 2 2"}), HasSubstr("POINTS 2 values, expected 1"));
}

TEST_F(PcdHeaderTest, PointsHaveToBeWidthTimesHeightAlsoWhereTheProductWraps) {
  EXPECT_THAT(refusal_of({.height = "HEIGHT 2"}), HasSubstr("POINTS 2 is not WIDTH 2 times HEIGHT 2"));
  EXPECT_THAT(refusal_of({.width = "WIDTH 0"}), HasSubstr("POINTS 2 is not WIDTH 0"));
  EXPECT_THAT(refusal_of({.points = "POINTS 0"}), HasSubstr("POINTS 0 is not WIDTH 2"));
  // 2^27 * 2^27 is 2^54, whose low 32 bits are 0; 2^63 * 2 is 0 in 64 bits.
  EXPECT_THAT(refusal_of({.width = "WIDTH 134217728", .height = "HEIGHT 134217728", .points = "POINTS 0"}),
              HasSubstr("POINTS 0 is not WIDTH"));
  EXPECT_THAT(refusal_of({.width = "WIDTH 9223372036854775808", .height = "HEIGHT 2", .points = "POINTS 0"}),
              HasSubstr("the limit of"));
}

TEST_F(PcdHeaderTest, SizesTypesAndCountsOutsideTheFormatAreRefused) {
  EXPECT_THAT(refusal_of({.size = "SIZE 4 3 4"}), HasSubstr("SIZE 3 of field 'y' is not valid for TYPE F"));
  EXPECT_THAT(refusal_of({.size = "SIZE 4 0 4"}), HasSubstr("SIZE 0 of field 'y'"));
  EXPECT_THAT(refusal_of({.size = "SIZE 4 2 4"}), HasSubstr("SIZE 2 of field 'y' is not valid for TYPE F"));
  EXPECT_THAT(refusal_of({.size = "SIZE 4 4"}), HasSubstr("SIZE 2 values, expected 3"));
  EXPECT_THAT(refusal_of({.type = "TYPE F X F"}),
              HasSubstr("TYPE 'X' of field 'y' is unknown, expected one of I, U, F"));
  EXPECT_THAT(refusal_of({.type = "TYPE F f F"}), HasSubstr("TYPE 'f'"));
  EXPECT_THAT(refusal_of({.type = "TYPE F I F"}), HasSubstr("coordinate 'y' is I 4, not F 4 or F 8"));
  EXPECT_THAT(refusal_of({.count = "COUNT 1 0 1"}), HasSubstr("coordinate 'y' has 0 values, not 1"));
  EXPECT_THAT(refusal_of({.count = "COUNT 1 -1 1"}), HasSubstr("COUNT '-1' is not a whole number"));
  EXPECT_THAT(refusal_of({.count = "COUNT 1 3 1"}), HasSubstr("coordinate 'y' has 3 values, not 1"));
  EXPECT_THAT(refusal_of({.count = "COUNT 1 2000000000 1"}), HasSubstr("is not in 0 to 1048576"));
}

TEST_F(PcdHeaderTest, RecordsWhoseSizeWouldOverflowAreRefused) {
  std::string fields = "FIELDS x y z", size = "SIZE 4 4 4", type = "TYPE F F F", count = "COUNT 1 1 1";
  for (int i = 0; i < 4000; ++i) {
    fields += " _";
    size += " 8";
    type += " U";
    count += " 999999";
  }
  EXPECT_THAT(refusal_of({.fields = fields, .size = size, .type = type, .count = count}),
              HasSubstr("one point has 31999968012 bytes, the limit is 1048576"));
}

TEST_F(PcdHeaderTest, EveryCoordinateHasToBeThereExactlyOnce) {
  EXPECT_THAT(refusal_of({.fields = "FIELDS a y z"}), HasSubstr("FIELDS field 'x' is missing"));
  EXPECT_THAT(refusal_of({.fields = "FIELDS XX y z"}), HasSubstr("FIELDS field 'x' is missing"));
  EXPECT_THAT(refusal_of({.fields = "FIELDS x y y"}), HasSubstr("FIELDS has a duplicate 'y'"));
  EXPECT_THAT(refusal_of({.fields = "FIELDS"}), HasSubstr("FIELDS lists no fields"));
}

TEST_F(PcdHeaderTest, UnknownAndRepeatedKeywordsAreRefused) {
  EXPECT_THAT(refusal_of({.version = "VERSION 0.7\nHELLO 1"}),
              HasSubstr("line 2: unknown PCD keyword 'HELLO'"));
  EXPECT_THAT(refusal_of({.version = "\xEF\xBB\xBFVERSION 0.7"}), HasSubstr("'\\xEF\\xBB\\xBFVERSION'"));
  EXPECT_THAT(refusal_of({.width = "WIDTH 2\nWIDTH 2"}),
              HasSubstr("line 7: duplicate WIDTH (first on line 6)"));
  EXPECT_THAT(refusal_of({.fields = "FIELDS x y z\nCOLUMNS x y z"}), HasSubstr("duplicate FIELDS"));
}

TEST_F(PcdHeaderTest, OtherVersionsEncodingsAndViewpointsAreRefused) {
  EXPECT_THAT(refusal_of({.version = "VERSION 0.8"}), HasSubstr("VERSION '0.8' is not supported"));
  EXPECT_THAT(refusal_of({.version = "VERSION"}), HasSubstr("VERSION 0 values"));
  EXPECT_THAT(refusal_of({.data = "DATA Binary"}), HasSubstr("DATA 'Binary' is unknown"));
  EXPECT_THAT(refusal_of({.data = "DATA"}), HasSubstr("DATA 0 values"));
  EXPECT_THAT(refusal_of({.viewpoint = "VIEWPOINT 0 0 0 1 0 0"}),
              HasSubstr("VIEWPOINT 6 values, expected 7"));
  EXPECT_THAT(refusal_of({.viewpoint = "VIEWPOINT 0 0 nan 1 0 0 0"}),
              HasSubstr("'nan' is not a finite number"));
}

TEST_F(PcdHeaderTest, HeadersPastTheLimitsOnBytesAndWordsAreRefused) {
  std::string comments;
  for (int i = 0; i < 1'000'000; ++i) comments += "#\n";
  EXPECT_THAT(PcdFiles::refusal_of(comments + Header{}.text()),
              HasSubstr("no DATA line within the limit of 65536"));
  EXPECT_THAT(refusal_of({.version = "#" + std::string(70'000, 'c')}),
              HasSubstr("no DATA line within the limit"));
  std::string many = "FIELDS x y z";
  for (int i = 0; i < 100'000; ++i) many += " f" + std::to_string(i);
  EXPECT_THAT(refusal_of({.fields = many}), HasSubstr("no DATA line within the limit"));
  const std::string long_word(257, 'f');
  EXPECT_THAT(refusal_of({.fields = "FIELDS x y z " + long_word}),
              AllOf(HasSubstr("is longer than 256 bytes"), testing::Not(HasSubstr(long_word))));
}

TEST_F(PcdHeaderTest, AHeaderCutAtAnyByteIsRefused) {
  for (const char* encoding : {"ascii", "binary", "binary_compressed"}) {
    const std::string whole = "# .PCD v0.7\n" + Header{}.with_data(encoding).text();
    for (std::size_t n = 0; n <= whole.size(); ++n)
      EXPECT_THAT(PcdFiles::refusal_of(whole.substr(0, n)), HasSubstr("; "))
          << encoding << " cut after byte " << n;
  }
}

TEST_F(PcdHeaderTest, JunkIsRefused) {
  EXPECT_THAT(PcdFiles::refusal_of(""), EndsWith("is empty; export the cloud again"));
  EXPECT_THAT(PcdFiles::refusal_of("\0"), HasSubstr("; "));
  std::mt19937 random(7);
  std::string junk(1 << 20, '\0');
  for (char& c : junk) c = static_cast<char>(random());
  EXPECT_THAT(PcdFiles::refusal_of(junk), HasSubstr("header line 1"));
  for (char& c : junk) c = c == '\n' ? ' ' : c;
  EXPECT_THAT(PcdFiles::refusal_of(junk), HasSubstr("no DATA line within"));
}

TEST_F(PcdHeaderTest, WhatIsNoRegularFileIsRefusedByName) {
  EXPECT_THAT(refusal_of_file(path("absent.pcd")), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal_of_file(path().parent_path()), HasSubstr("is a directory"));
  EXPECT_THAT(refusal_of_file("/dev/zero"), HasSubstr("is a character device"));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(refusal_of_file(path("fifo")), HasSubstr("is a FIFO"));
  std::filesystem::create_symlink("loop", path("loop"));
  EXPECT_THAT(refusal_of_file(path("loop")), HasSubstr("symbolic links form a loop"));
  EXPECT_THAT(refusal_of_file(std::string("a\0b", 3)), StartsWith("a\\x00b: the name contains a zero byte"));
  EXPECT_THAT(refusal_of_file("a\nb"), StartsWith("a\\x0Ab: there is no such file"));
}

TEST_F(PcdHeaderTest, AFileWithoutReadPermissionIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::filesystem::permissions(put(Header{}.text() + kTwoPoints), std::filesystem::perms::none);
  EXPECT_THAT(refusal_of_file(path()), HasSubstr("no permission"));
}

TEST_F(PcdHeaderTest, AFilePastTheLimitIsRefused) {
  put("x");
  std::error_code error;
  std::filesystem::resize_file(path(), (std::uintmax_t{16} << 30) + 1, error);  // sparse
  if (error) GTEST_SKIP() << "no sparse files here: " << error.message();
  EXPECT_THAT(refusal_of_file(path()), HasSubstr("has 17179869185 bytes, the limit is 17179869184"));
}

TEST_F(PcdHeaderTest, ALyingHeaderIsRefusedWithoutTakingTimeOrMemory) {
  const std::string sizes = bytes_of(std::uint32_t{24}, std::uint32_t{1'610'612'736});
  for (const char* encoding : {"ascii", "binary", "binary_compressed"}) {
    put(Header{}.with_points("134217728").with_data(encoding).text() + sizes + kTwoPoints);
    expect_cheap_refusal(encoding, [&] { return refusal_of_file(path()); });
  }
}

}  // namespace
}  // namespace ndt::harness
