// PCD bodies that are not what their header says.
#include <fmt/format.h>

#include "catalogue.hpp"
#include "pcd_bytes.hpp"

namespace ndt::catalogue {
namespace {

using harness::bytes_of;
using harness::Header;
using harness::kTwoPoints;

// A control byte n < 32 is followed by n + 1 literal bytes; columns put x x y y z z.
const std::string kTwoPacked = "\x17" + bytes_of(1.f, 4.f, 2.f, 5.f, 3.f, 6.f);

/// Rows under a header of ten lines for two points.
std::string with_rows(const std::string& rows) { return Header{}.with_data("ascii").text() + rows; }
Entry bad_row(int line, std::string name, const std::string& rows, std::string_view what) {
  return refused(Format::pcd, "pcd_ascii_" + name, with_rows(rows),
                 fmt::format("line {}: {}{}", line, what, kFixLine));
}
Entry bad_word(std::string name, const std::string& word, std::string_view printed) {
  return bad_row(12, std::move(name), "1 2 3\n4 " + word + " 6\n",
                 fmt::format("value 2: '{}' is not a number", printed));
}
Entry good_rows(std::string name, const std::string& rows, std::uint64_t non_finite = 0) {
  return accepted(Format::pcd, "pcd_ascii_" + name, with_rows(rows), {.points = 2, .non_finite = non_finite});
}

Entry packed(std::string name, std::uint32_t packed_bytes, std::uint32_t unpacked_bytes,
             const std::string& body, std::string_view what) {
  return refused(
      Format::pcd, "pcd_compressed_" + name,
      Header{}.with_data("binary_compressed").text() + bytes_of(packed_bytes, unpacked_bytes) + body,
      fmt::format("{}{}", what, kCutOff));
}
Entry damaged(std::string name, std::uint32_t packed_bytes, const std::string& body) {
  return refused(
      Format::pcd, "pcd_compressed_" + name,
      Header{}.with_data("binary_compressed").text() + bytes_of(packed_bytes, std::uint32_t{24}) + body,
      fmt::format("bytes 140 to {}: the compressed data is damaged; export the cloud again",
                  140 + packed_bytes));
}

}  // namespace

Entries pcd_ascii() {
  const std::string long_word(1 << 20, '1');
  return {
      good_rows("plain", "1 2 3\n4 5 6\n"),
      good_rows("blanks_tabs_and_windows_line_ends", "\r\n 1\t2  3 \r\n\r\n+4 5.0 .6e1\r\n\n"),
      good_rows("without_last_newline", "1 2 3\n4 5 6"),
      good_rows("nan_and_inf", "nan -NaN 3\n4 inf -Infinity\n", 2),
      good_rows("nan_of_windows", "-nan(ind) nan(snan) NaN(IND)\n1.#QNAN -1.#IND00 1.#INF\n", 2),
      good_rows("too_small_for_float", "1e-60 -1e-400 3\n4 5 6\n"),
      bad_word("text", "five", "five"),
      bad_word("hexadecimal_float", "0x1p3", "0x1p3"),
      bad_word("decimal_comma", "5,0", "5,0"),
      bad_word("two_points", "5.0.0", "5.0.0"),
      bad_word("two_signs", "--5", "--5"),
      bad_word("unit", "5m", "5m"),
      bad_word("nan_with_payload", "nan(0x1)", "nan(0x1)"),
      bad_word("nan_of_windows_cut", "1.#QNA", "1.#QNA"),
      bad_word("nan_of_windows_and_more", "1.#IND5", "1.#IND5"),
      bad_word("zero_byte", std::string("5\0", 2), "5\\x00"),
      bad_word("hard_space",
               "\xC2\xA0"
               "5",
               "\\xC2\\xA05"),
      bad_word("escape_sequence", "\x1B[31m5", "\\x1B[31m5"),
      bad_row(12, "1e999", "1 2 3\n4 1e999 6\n", "value 2: '1e999' is out of range"),
      bad_row(12, "past_float", "1 2 3\n4 5 -3.5e38\n", "value 3: '-3.5e38' is out of range"),
      bad_row(11, "word_of_a_megabyte", long_word + " 2 3\n4 5 6\n",
              fmt::format("'{}...' is longer than 256 bytes", std::string(40, '1'))),
      bad_row(12, "short_row", "1 2 3\n4 5\n6\n", "2 values, expected 3"),
      bad_row(11, "long_row", "1 2 3 4\n5 6 7\n", "4 values, expected 3"),
      bad_row(13, "more_rows", "1 2 3\n4 5 6\n7 8 9\n", "more rows than the 2 declared"),
      bad_row(14, "fewer_rows", "1 2 3\n\n      \n", "the file ends after 1 of 2 rows"),
      refused(Format::pcd, "pcd_ascii_cut", with_rows("1 2 3\n4"),
              fmt::format("line 11: 2 rows of 3 values declared, but only 7 bytes follow{}", kCutOff)),
  };
}

Entries pcd_binary() {
  const auto short_of = [](std::string name, std::size_t bytes) {
    return refused(Format::pcd, "pcd_binary_" + name, Header{}.text() + kTwoPoints.substr(0, bytes),
                   fmt::format("byte 121: 2 points of 12 bytes declared, which is 24, but {} bytes follow{}",
                               bytes, kCutOff));
  };
  return {
      short_of("without_body", 0),
      short_of("cut_in_the_first_point", 5),
      short_of("cut_after_the_first_point", 12),
      short_of("cut_before_the_last_byte", 23),
      accepted(Format::pcd, "pcd_binary_trailing_bytes", Header{}.text() + kTwoPoints + "12345",
               {.points = 2, .trailing_bytes = 5}),
      accepted(Format::pcd, "pcd_binary_one_point_of_two_million_bytes_follows",
               Header{}.with_points("1").text() + std::string(2'000'012, '\0'),
               {.points = 1, .trailing_bytes = 2'000'000}),
  };
}

Entries pcd_compressed() {
  const std::string reference_back("\x00z\x3F\xFF", 4);  // one literal, then 3 bytes from 8192 back
  return {
      refused(Format::pcd, "pcd_compressed_cut_in_its_sizes",
              Header{}.with_data("binary_compressed").text() + bytes_of(std::uint32_t{25}) + "\x18",
              fmt::format("byte 132: no room for the sizes of the compressed data{}", kCutOff)),
      packed("cut", 25, 24, kTwoPacked.substr(1),
             "byte 132: 25 bytes of compressed data declared, 24 bytes follow"),
      packed("unpacked_0", 0, 0, "", "byte 132: unpacked size 0, but 2 points of 12 bytes are 24"),
      packed("unpacked_lies", 25, 0xFFFFFFFF, kTwoPacked,
             "byte 132: unpacked size 4294967295, but 2 points of 12 bytes are 24"),
      packed("packed_0", 0, 24, kTwoPacked, "byte 132: 0 compressed bytes cannot unpack to 24"),
      packed("packed_past_the_file", 0xFFFFFFFF, 24, kTwoPacked,
             "byte 132: 4294967295 bytes of compressed data declared, 25 bytes follow"),
      damaged("one_byte_less", 24, kTwoPacked),
      damaged("one_byte_more", 26, kTwoPacked + '\0'),
      damaged("reference_before_the_start", 25, reference_back + std::string(21, '\0')),
      accepted(Format::pcd, "pcd_compressed_plain",
               Header{}.with_data("binary_compressed").text() +
                   bytes_of(std::uint32_t{25}, std::uint32_t{24}) + kTwoPacked + "abc",
               {.points = 2, .trailing_bytes = 3}),
  };
}

}  // namespace ndt::catalogue
