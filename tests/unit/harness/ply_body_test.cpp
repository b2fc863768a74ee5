// Bodies that are not what their header says.
#include <fstream>
#include <optional>
#include <random>

#include "ply_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

using PlyBinaryTest = PlyFiles;

TEST_F(PlyBinaryTest, BytesAfterTheLastPointAreAcceptedAndReported) {
  CloudInfo info;
  EXPECT_EQ(read(ply_header(vertices("2"), kLittle) + kTwoPoints + "12345", &info).size(), 2u);
  EXPECT_EQ(info.trailing_bytes, 5u);
}

/// A list of the type in front of the vertices; `body` follows the header, of `header` bytes.
std::string with_list(const std::string& count_type, const std::string& type) {
  return ply_header(
      "element face 2\nproperty uchar red\nproperty list " + count_type + " " + type + " v\n" + vertices("0"),
      kLittle);
}

TEST_F(PlyBinaryTest, ListsWhoseLengthLiesAreRefused) {
  const std::string header = with_list("int", "double");
  const std::string at =
      "byte " + std::to_string(header.size() + 1) + ": element 'face', record 1 of 2: list 'v' has ";
  for (const std::int32_t items : {-1, -2147483647 - 1, 2147483647, 2})
    EXPECT_THAT(refusal_of(header + "r" + bytes_of(items) + "8 bytes.567"),
                HasSubstr(at + std::to_string(items) + " items, but 11 bytes follow"));
  EXPECT_THAT(refusal_of(with_list("uint", "double") + "r" + bytes_of(0xFFFFFFFFu) + "567890"),
              HasSubstr("list 'v' has 4294967295 items"));
  EXPECT_THAT(refusal_of(with_list("char", "char") + "r\xFF" + "r\x01"), HasSubstr("list 'v' has -1 items"));
  EXPECT_THAT(refusal_of(with_list("short", "char") + "r\xFE\xFFr\x01\x01"),
              HasSubstr("list 'v' has -2 items"));
  EXPECT_THAT(refusal_of(with_list("ushort", "char") + "r\xFE\xFFr\x01\x01"),
              HasSubstr("list 'v' has 65534 items"));
}

/// System calls that read, of this process so far; nothing where the system does not count them.
std::optional<long> reads_so_far() {
  std::ifstream in("/proc/self/io");
  for (std::string key; in >> key;)
    if (long count = 0; key == "syscr:" && in >> count) return count;
  return std::nullopt;
}

TEST_F(PlyBinaryTest, ListsInFrontOfTheVerticesAreReadInBulk) {
  const auto before_and_after = [&](std::size_t lists, const std::string& items) {
    std::string body;
    for (std::size_t k = 0; k < lists; ++k) body += bytes_of(static_cast<std::uint8_t>(items.size())) + items;
    const std::string header = ply_header(
        "element face " + std::to_string(lists) + "\nproperty list uchar char v\n" + vertices("2"), kLittle);
    put(header + body + kTwoPoints);
    const auto before = reads_so_far();
    EXPECT_TRUE(same_bits(read_ply(path()).points, {{1, 2, 3}, {4, 5, 6}}));
    return reads_so_far().value_or(0) - before.value_or(0);
  };
  EXPECT_LT(before_and_after(200'000, ""), 100);
  EXPECT_LT(before_and_after(200'000, "abc"), 100);
  EXPECT_LT(before_and_after(20'000, std::string(200, 'x')), 200);
}

TEST_F(PlyBinaryTest, FilesThatEndInsideASkippedRecordAreRefused) {
  const std::string header = with_list("uchar", "char");
  EXPECT_EQ(refusal_of(header +
                       "r\x02"
                       "ab"
                       "r" +
                       std::string(1, '\0')),
            "");
  EXPECT_THAT(refusal_of(header + "r\x02"
                                  "ab"),
              HasSubstr("byte " + std::to_string(header.size() + 4) +
                        ": element 'face', record 2 of 2: the file ends here; the file is cut off"));
  EXPECT_THAT(refusal_of(header + "r\x02"
                                  "ab"
                                  "r"),
              HasSubstr("record 2 of 2: the file ends here"));
}

TEST_F(PlyBinaryTest, ListsThatEatTheVerticesAreNoticed) {
  const std::string elements = "element face 1\nproperty list uchar char v\n" + vertices("2");
  EXPECT_THAT(refusal_of(ply_header(elements, kLittle) +
                         "\x05"
                         "abcd" +
                         kTwoPoints),
              HasSubstr("2 points of 12 bytes declared, which is 24, but 23 bytes follow"));
  const std::string again =
      "element face 1\nproperty list uchar char v\nelement e 2\nproperty int i\n" + vertices("1");
  EXPECT_THAT(refusal_of(ply_header(again, kLittle) + "\x0F" + std::string(22, 'x')),
              HasSubstr("2 of element 'e' of 4 bytes declared, but 7 bytes follow"));
}

TEST_F(PlyBinaryTest, DamagedFilesAreReadOrRefusedButNeverTrusted) {
  std::string whole = ply_header("element face 3\nproperty list uchar int v\n" + vertices("5"), kLittle);
  for (int face = 0; face < 3; ++face) whole += "\x02" + std::string(8, 'i');
  whole += std::string(60, 'p');
  std::mt19937 random(5);
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string damaged = whole;
    for (int k = 0; k < 2; ++k) damaged[random() % whole.size()] = static_cast<char>(random());
    refused += refusal_of(damaged).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 2000);
}

class PlyTextTest : public PlyFiles {
 protected:
  std::string refusal_of_rows(const std::string& rows) const {
    return refusal_of(ply_header(vertices("2")) + rows);
  }
  /// A face with a list and a colour stands in front of one vertex; its row is line 11.
  std::string refusal_of_face(const std::string& row) const {
    return refusal_of(
        ply_header("element face 1\nproperty list uchar int v\nproperty uchar red\n" + vertices("1")) + row +
        "1 2 3\n");
  }
};

TEST_F(PlyTextTest, RowsThatAreNotAsDeclaredAreRefusedWithTheirLine) {  // rows begin on line 8
  EXPECT_EQ(refusal_of_rows("1 2 3\n4 5 6"), "");
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5 \n6\n"), HasSubstr("line 9: 2 values, expected 3"));
  EXPECT_THAT(refusal_of_rows("1 2 3 4\n5 6 7\n"), HasSubstr("line 8: 4 values, expected 3"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5 6\n7 8 9\n"), HasSubstr("line 10: more rows than the 2 declared"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n\n      \n\n"), HasSubstr("the file ends after 1 of 2 rows"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5,5 6\n"), HasSubstr("line 9: value 2: '5,5' is not a number"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5 1e39\n"), HasSubstr("line 9: value 3: '1e39' is out of range"));
  EXPECT_THAT(refusal_of_rows("1 2 3\n4 5 " + std::string(1 << 20, '6')),
              HasSubstr("is longer than 256 bytes"));
}

TEST_F(PlyTextTest, SkippedRowsHaveToBeAsDeclared) {
  EXPECT_EQ(refusal_of_face("2 0 1 255\n"), "");
  EXPECT_THAT(refusal_of_face("-1 255\n"),
              HasSubstr("line 11: value 1: list 'v' has '-1' items, which is not a whole"));
  EXPECT_THAT(refusal_of_face("1.5 255\n"), HasSubstr("list 'v' has '1.5' items"));
  EXPECT_THAT(refusal_of_face("2 0 1\n"), HasSubstr("line 11: value 4 is missing"));
  EXPECT_THAT(refusal_of_face("18446744073709551615 0\n"), HasSubstr("value 3 is missing"));
  EXPECT_THAT(refusal_of_face("1 0 255 7\n"), HasSubstr("line 11: value 4: '7' is one more than declared"));
  EXPECT_THAT(refusal_of_face("1 zero 255\n"), HasSubstr("value 2: 'zero' is not a number"));
}

TEST_F(PlyTextTest, FilesThatEndInFrontOfTheVerticesAreRefused) {
  const std::string header = ply_header("element face 2\nproperty list uchar int v\n" + vertices("1"));
  EXPECT_THAT(refusal_of(header + "1 12345\n   \n"),
              HasSubstr("the file ends after 1 of 2 rows of element 'face'"));
  EXPECT_THAT(refusal_of(header + "1 1\n2 3 4\n"),
              HasSubstr("1 rows of 3 values declared, but only 0 bytes follow"));
}

}  // namespace
}  // namespace ndt::harness
