// Headers that lie or are not as the format has them.
#include <random>

#include "ply_files.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

const std::string kTwoRows = "1 2 3\n4 5 6\n";

class PlyHeaderTest : public PlyFiles {
 protected:
  /// Returns the refusal of a file with these elements and two rows of text.
  std::string refusal_of_elements(const std::string& elements) const {
    return refusal_of(ply_header(elements) + kTwoRows);
  }
  std::string refusal_of_properties(const std::string& properties) const {
    return refusal_of_elements(vertices("2", properties));
  }
};

TEST_F(PlyHeaderTest, TheUnchangedHeaderOfTheseTestsIsAccepted) {
  EXPECT_EQ(refusal_of_elements(vertices("2")), "");
}

TEST_F(PlyHeaderTest, MessagesNameFileLineFieldAndRemedy) {
  EXPECT_EQ(refusal_of_elements(vertices("abc")), path().string() +
                                                      ": header line 3: element 'vertex': count 'abc' is not "
                                                      "a whole number; fix the header or export the "
                                                      "cloud again");
}

TEST_F(PlyHeaderTest, TheFirstLineHasToBePly) {
  for (const char* start : {"PLY\n", "plyformat ascii 1.0\n", "\n", "\xEF\xBB\xBFply\n"})
    EXPECT_THAT(refusal_of(start + ply_header(vertices("2")) + kTwoRows),
                HasSubstr("expected a line 'ply', found"))
        << start;
  EXPECT_THAT(refusal_of("ply\rformat ascii 1.0\r\n" + ply_header(vertices("2")) + kTwoRows),
              HasSubstr("header line 1: the line ends with a carriage return alone"));
}

TEST_F(PlyHeaderTest, FormatsOutsideTheStandardAreRefused) {
  const auto of_format = [this](const std::string& line) {
    return refusal_of("ply\n" + line + vertices("2") + "end_header\n" + kTwoRows);
  };
  EXPECT_THAT(of_format(""), HasSubstr("header: the format line is missing"));
  EXPECT_THAT(of_format("format ASCII 1.0\n"),
              HasSubstr("header line 2: unknown format 'ASCII', expected one of ascii, binary_l"));
  EXPECT_THAT(of_format("format binary 1.0\n"), HasSubstr("unknown format 'binary'"));
  EXPECT_THAT(of_format("format ascii 2.0\n"), HasSubstr("format version '2.0' is not supported"));
  EXPECT_THAT(of_format("format ascii\n"), HasSubstr("2 words, expected 'format <encoding> 1.0'"));
  EXPECT_THAT(of_format("format ascii 1.0\nformat ascii 1.0\n"), HasSubstr("line 3: duplicate format"));
}

TEST_F(PlyHeaderTest, LinesThatAreNotOfTheFormatAreRefused) {
  EXPECT_THAT(refusal_of_elements("elements vertex 2\n"), HasSubstr("unknown PLY keyword 'elements'"));
  EXPECT_THAT(refusal_of_elements("comments are no keyword\n"), HasSubstr("unknown PLY keyword 'comments'"));
  EXPECT_THAT(refusal_of_elements("element vertex\n"),
              HasSubstr("2 words, expected 'element <name> <count>'"));
  EXPECT_THAT(refusal_of_elements("element vertex 2 2\n"), HasSubstr("4 words, expected"));
  EXPECT_THAT(refusal_of_elements(kXyz), HasSubstr("line 3: property before the first element"));
  EXPECT_THAT(refusal_of_properties("property float\n"),
              HasSubstr("2 words, expected 'property <type> <name>'"));
  EXPECT_THAT(refusal_of_properties("property\n"), HasSubstr("1 words, expected"));
  EXPECT_THAT(refusal_of_properties("property list uchar int\n"),
              HasSubstr("4 words, expected 'property list <type of count> <type> <name>'"));
  EXPECT_THAT(refusal_of_elements(vertices("2") + "end_header now\n"),
              HasSubstr("2 words, expected 'end_header'"));
}

TEST_F(PlyHeaderTest, TypesOutsideTheFormatAreRefused) {
  for (const char* type : {"int64", "long", "Float", "float16", "string", "list"})
    EXPECT_THAT(refusal_of_properties(kXyz + "property " + type + " extra\n"),
                testing::AnyOf(HasSubstr("expected one of char, uchar"), HasSubstr("words, expected")))
        << type;
  EXPECT_THAT(refusal_of_properties("property quad x\n"),
              HasSubstr("line 4: unknown type 'quad', expected one of char"));
  EXPECT_THAT(refusal_of_elements(vertices("2") + "element face 1\nproperty list float int v\n"),
              HasSubstr("list 'v' is counted by a float, not by an integer"));
}

TEST_F(PlyHeaderTest, EveryCoordinateHasToBeARealNumberAndThereOnce) {
  EXPECT_THAT(refusal_of_properties("property float x\nproperty float y\n"),
              HasSubstr("line 3: element 'vertex' has no property 'z'"));
  EXPECT_THAT(refusal_of_properties("property float XX\nproperty float y\nproperty float z\n"),
              HasSubstr("has no property 'x'"));
  EXPECT_THAT(refusal_of_properties(""), HasSubstr("has no property 'x'"));
  EXPECT_THAT(refusal_of_properties(kXyz + "property float y\n"),
              HasSubstr("line 3: duplicate property 'y' of element 'vertex'"));
  EXPECT_THAT(refusal_of_properties("property int32 x\nproperty float y\nproperty float z\n"),
              HasSubstr("coordinate 'x' of element 'vertex' is int, not float or double"));
  EXPECT_THAT(refusal_of_properties("property list uchar float x\nproperty float y\nproperty float z\n"),
              HasSubstr("coordinate 'x' of element 'vertex' is a list, not float or double"));
}

TEST_F(PlyHeaderTest, VerticesHaveToBeThereOnce) {
  EXPECT_THAT(refusal_of_elements("element point 2\n" + kXyz),
              HasSubstr("the element vertex line is missing"));
  EXPECT_THAT(refusal_of_elements(vertices("1") + vertices("1")), HasSubstr("duplicate element 'vertex'"));
}

TEST_F(PlyHeaderTest, LongNamesThatBeginAlikeAreNotTheSame) {
  const std::string name(50, 'n');
  EXPECT_EQ(refusal_of(
                ply_header(vertices("1", kXyz + "property int " + name + "1\nproperty int " + name + "2\n")) +
                "1 2 3 4 5\n"),
            "");
}

TEST_F(PlyHeaderTest, CountsThatAreNoCountsAreRefused) {
  for (const char* text : {"-1", "+2", "two", "2.0", "1e12", "0x2", "99999999999999999999999"})
    EXPECT_THAT(refusal_of_elements(vertices(text)), HasSubstr("is not a whole number")) << text;
  for (const char* text : {"1000000000000", "4294967296", "2147483648", "18446744073709551615", "134217729"})
    EXPECT_THAT(refusal_of_elements(vertices(text)), HasSubstr("the limit of 134217728 points")) << text;
}

TEST_F(PlyHeaderTest, CountsThatDoNotFitTheFileAreRefusedByElement) {
  EXPECT_THAT(
      refusal_of(ply_header(vertices("3"), kLittle) + kTwoPoints),
      HasSubstr(
          "header line 3: 3 of element 'vertex' declared, of 12 bytes or more each, but 24 bytes are left "
          "for them"));
  EXPECT_THAT(refusal_of_elements(vertices("3")),
              HasSubstr("3 of element 'vertex' declared, of 6 bytes or more each"));
  // 2^62 records of 8 bytes are 2^65 bytes.
  const std::string doubles = "element e 4611686018427387904\nproperty double v\n";
  EXPECT_THAT(refusal_of(ply_header(doubles + vertices("2"), kLittle) + kTwoPoints),
              HasSubstr("header line 3: 4611686018427387904 of element 'e' declared"));
  const std::string lists = "element e 13\nproperty list ushort double v\n";
  EXPECT_THAT(refusal_of(ply_header(lists + vertices("0"), kBig) + kTwoPoints),
              HasSubstr("13 of element 'e' declared, of 2 bytes or more each, but 24"));
  EXPECT_THAT(refusal_of(ply_header("element e 1\nproperty uchar v\n" + vertices("2"), kLittle) + kTwoPoints),
              HasSubstr("2 of element 'vertex' declared, of 12 bytes or more each, but 23 bytes are left"));
}

TEST_F(PlyHeaderTest, ABodyCutAtAnyByteIsRefused) {
  for (const char* format : {kLittle, kBig})
    for (std::size_t n = 0; n < kTwoPoints.size(); ++n)
      EXPECT_THAT(refusal_of(ply_header(vertices("2"), format) + kTwoPoints.substr(0, n)),
                  HasSubstr("but " + std::to_string(n) + " bytes are left for them"));
}

TEST_F(PlyHeaderTest, AHeaderCutAtAnyByteIsRefused) {
  for (const char* format : {"ascii", kLittle, kBig}) {
    const std::string whole = ply_header("comment c\n" + vertices("2") + "element face 0\n", format);
    for (std::size_t n = 0; n <= whole.size(); ++n)
      EXPECT_THAT(refusal_of(whole.substr(0, n)), HasSubstr("; ")) << format << " cut after byte " << n;
  }
  EXPECT_THAT(refusal_of("ply\nformat ascii 1.0"),
              HasSubstr("the file ends before the end of its end_header line"));
}

TEST_F(PlyHeaderTest, HeadersPastTheLimitsOnBytesAndWordsAreRefused) {
  std::string comments = "ply\n";
  for (int i = 0; i < 100'000; ++i) comments += "comment\n";
  EXPECT_THAT(refusal_of(comments), HasSubstr("no end_header line within the limit of 65536 bytes"));
  EXPECT_THAT(refusal_of("ply\ncomment " + std::string(70'000, 'c')),
              HasSubstr("no end_header line within the limit"));
  const std::string long_word(257, 'f');
  EXPECT_THAT(refusal_of_properties("property float " + long_word + "\n"),
              AllOf(HasSubstr("is longer than 256 bytes"), testing::Not(HasSubstr(long_word))));
}

TEST_F(PlyHeaderTest, JunkIsRefused) {
  EXPECT_THAT(refusal_of(""), EndsWith("is empty; export the cloud again"));
  EXPECT_THAT(refusal_of(std::string_view("\0", 1)), HasSubstr("; "));
  std::mt19937 random(7);
  std::string junk(1 << 20, '\0');
  for (char& c : junk) c = static_cast<char>(random());
  EXPECT_THAT(refusal_of(junk), HasSubstr("header line 1"));
  EXPECT_THAT(refusal_of("ply\n" + junk), HasSubstr("unknown PLY keyword"));
  EXPECT_THAT(input_error_of([&] { read_ply(path().parent_path()); }), HasSubstr("is a directory"));
  EXPECT_THAT(input_error_of([&] { read_ply(path("absent.ply")); }), HasSubstr("there is no such file"));
}

TEST_F(PlyHeaderTest, ALyingHeaderIsRefusedWithoutTakingTimeOrMemory) {
  std::string many;  // as many properties as fit into a header
  for (int i = 0; i < 3500; ++i) many += "property char " + std::to_string(i) + "\n";
  for (const char* format : {"ascii", kLittle, kBig}) {
    for (const std::string& elements :
         {vertices("134217728"), vertices("134217728", kXyz + many),
          "element e 1000000000000\nproperty int i\n" + vertices("2"),
          "element e 1000000000000\nproperty list int int i\n" + vertices("2"),
          "element e 1\nproperty list uint double i\n" + vertices("134217728")}) {
      put(ply_header(elements, format) + std::string(200, '\xFF'));
      expect_cheap_refusal(format, [&] { return input_error_of([&] { read_ply(path()); }); });
    }
  }
}

}  // namespace
}  // namespace ndt::harness
