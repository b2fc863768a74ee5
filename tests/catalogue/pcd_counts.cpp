// PCD headers that lie about how much there is, or say what no header can.
#include <fmt/format.h>

#include "catalogue.hpp"
#include "pcd_bytes.hpp"

namespace ndt::catalogue {
namespace {

using harness::bytes_of;
using harness::Header;
using harness::kTwoPoints;

Entry in_header(int line, std::string name, const Header& header, std::string_view what) {
  return refused(Format::pcd, "pcd_" + name, header.text() + kTwoPoints,
                 fmt::format("header line {}: {}{}", line, what, kFixHeader));
}

/// WIDTH and POINTS say `count`.
Entry no_number(std::string name, const std::string& count) {
  return in_header(6, "points_" + name, Header{}.with_points(count),
                   fmt::format("WIDTH '{}' is not a whole number", count));
}
Entry too_many(std::string name, const std::string& count) {
  return in_header(6, "points_" + name, Header{}.with_points(count),
                   fmt::format("WIDTH {} is more than the limit of 134217728 points", count));
}

/// As many points as a file may have, in a header of the right form.
Entry at_the_limit(std::string name, const std::string& encoding, std::string_view message) {
  const std::string sizes = bytes_of(std::uint32_t{24}, std::uint32_t{1'610'612'736});
  return refused(Format::pcd, "pcd_" + name,
                 Header{}.with_points("134217728").with_data(encoding).text() + sizes + kTwoPoints,
                 std::string(message) + std::string(kCutOff));
}

Header with_padding(int fields, const char* size, const char* count) {
  Header header;
  for (int i = 0; i < fields; ++i) {
    header.fields += " _";
    header.size += size;
    header.type += " U";
    header.count += count;
  }
  return header;
}

Entries counts() {
  return {
      no_number("minus_1", "-1"),
      no_number("plus_2", "+2"),
      no_number("text", "two"),
      no_number("1e12", "1e12"),
      no_number("hexadecimal", "0x2"),
      no_number("fraction", "2.0"),
      no_number("2_pow_64", "18446744073709551616"),
      too_many("1_past_the_limit", "134217729"),
      too_many("2_pow_31", "2147483648"),
      too_many("2_pow_32", "4294967296"),
      too_many("a_trillion", "1000000000000"),
      too_many("2_pow_64_minus_1", "18446744073709551615"),
      at_the_limit("lie_ascii", "ascii",
                   "line 11: 134217728 rows of 3 values declared, but only 32 bytes follow"),
      at_the_limit(
          "lie_binary", "binary",
          "byte 137: 134217728 points of 12 bytes declared, which is 1610612736, but 32 bytes follow"),
      at_the_limit("lie_compressed", "binary_compressed",
                   "byte 148: 24 compressed bytes cannot unpack to 1610612736"),
      in_header(9, "width_times_height_is_not_points", {.height = "HEIGHT 2"},
                "POINTS 2 is not WIDTH 2 times HEIGHT 2"),
      in_header(9, "width_0", {.width = "WIDTH 0"}, "POINTS 2 is not WIDTH 0 times HEIGHT 1"),
      in_header(9, "points_0_of_2", {.points = "POINTS 0"}, "POINTS 0 is not WIDTH 2 times HEIGHT 1"),
      in_header(9, "product_wraps_32_bits",
                {.width = "WIDTH 65536", .height = "HEIGHT 65536", .points = "POINTS 0"},
                "POINTS 0 is not WIDTH 65536 times HEIGHT 65536"),
      in_header(6, "product_wraps_64_bits",
                {.width = "WIDTH 9223372036854775808", .height = "HEIGHT 2", .points = "POINTS 0"},
                "WIDTH 9223372036854775808 is more than the limit of 134217728 points"),
      in_header(6, "width_without_value", {.width = "WIDTH"}, "WIDTH 0 values, expected 1"),
      in_header(9, "points_twice", {.points = "POINTS 2 2"}, "POINTS 2 values, expected 1"),
      accepted(Format::pcd, "pcd_no_points_binary", Header{}.with_points("0").text(), {}),
      accepted(Format::pcd, "pcd_no_points_ascii", Header{}.with_points("0").with_data("ascii").text(), {}),
      accepted(Format::pcd, "pcd_no_points_compressed",
               Header{}.with_points("0").with_data("binary_compressed").text(), {}),
  };
}

Entries types_and_sizes() {
  return {
      in_header(3, "size_3", {.size = "SIZE 4 3 4"}, "SIZE 3 of field 'y' is not valid for TYPE F"),
      in_header(3, "size_0", {.size = "SIZE 4 0 4"}, "SIZE 0 of field 'y' is not valid for TYPE F"),
      in_header(3, "size_minus_4", {.size = "SIZE 4 -4 4"}, "SIZE '-4' is not a whole number"),
      in_header(3, "size_half_float", {.size = "SIZE 4 2 4"}, "SIZE 2 of field 'y' is not valid for TYPE F"),
      in_header(3, "size_of_2_fields", {.size = "SIZE 4 4"}, "SIZE 2 values, expected 3"),
      in_header(4, "type_x", {.type = "TYPE F X F"},
                "TYPE 'X' of field 'y' is unknown, expected one of I, U, F"),
      in_header(4, "type_in_small_letters", {.type = "TYPE f f f"},
                "TYPE 'f' of field 'x' is unknown, expected one of I, U, F"),
      in_header(4, "y_is_an_integer", {.type = "TYPE F I F"}, "TYPE coordinate 'y' is I 4, not F 4 or F 8"),
      in_header(5, "count_0", {.count = "COUNT 1 0 1"}, "COUNT coordinate 'y' has 0 values, not 1"),
      in_header(5, "count_minus_1", {.count = "COUNT 1 -1 1"}, "COUNT '-1' is not a whole number"),
      in_header(5, "count_2e9", {.count = "COUNT 1 2000000000 1"},
                "COUNT 2000000000 of field 'y' is not in 0 to 1048576"),
      in_header(5, "y_has_3_values", {.count = "COUNT 1 3 1"}, "COUNT coordinate 'y' has 3 values, not 1"),
      in_header(2, "record_wraps_32_bits", with_padding(4000, " 8", " 1048576"),
                "FIELDS one point has 33554432012 bytes, the limit is 1048576"),
      in_header(2, "record_1_past_the_limit", with_padding(1, " 1", " 1048565"),
                "FIELDS one point has 1048577 bytes, the limit is 1048576"),
      in_header(2, "x_is_missing", {.fields = "FIELDS a y z"}, "FIELDS field 'x' is missing"),
      in_header(2, "z_is_missing",
                {.fields = "FIELDS x y", .size = "SIZE 4 4", .type = "TYPE F F", .count = "COUNT 1 1"},
                "FIELDS field 'z' is missing"),
      in_header(2, "y_twice", {.fields = "FIELDS x y y"}, "FIELDS has a duplicate 'y'"),
      in_header(2, "capital_y_twice", {.fields = "FIELDS x Y Y"}, "FIELDS has a duplicate 'Y'"),
      in_header(2, "no_fields", {.fields = "FIELDS"}, "FIELDS lists no fields"),
  };
}

Entries names() {
  const auto padded = [](std::string name, const char* encoding, const std::string& body) {
    return accepted(Format::pcd, "pcd_" + name, with_padding(2, " 4", " 0").with_data(encoding).text() + body,
                    {.points = 2});
  };
  return {
      padded("count_0_of_padding", "binary", kTwoPoints),
      padded("count_0_of_padding_ascii", "ascii", "1 2 3\n4 5 6\n"),
      accepted(Format::pcd, "pcd_names_in_capitals", Header{.fields = "FIELDS X Y Z"}.text() + kTwoPoints,
               {.points = 2}),
      accepted(Format::pcd, "pcd_intensity_twice",
               Header{.fields = "FIELDS x intensity y intensity z",
                      .size = "SIZE 4 1 4 1 4",
                      .type = "TYPE F U F U F",
                      .count = "COUNT 1 1 1 1 1"}
                       .with_points("1")
                       .text() +
                   std::string("\0\0\0\0\1\0\0\0\0\1\0\0\0\0", 14),
               {.points = 1}),
  };
}

}  // namespace

Entries pcd_counts() {
  Entries all = counts();
  for (const auto& group : {types_and_sizes, names})
    for (Entry& entry : group()) all.push_back(std::move(entry));
  return all;
}

}  // namespace ndt::catalogue
