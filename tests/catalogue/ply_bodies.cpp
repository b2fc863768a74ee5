// PLY bodies that are not what their header says.
#include <fmt/format.h>

#include "bytes.hpp"
#include "catalogue.hpp"
#include "ply_bytes.hpp"

namespace ndt::catalogue {
namespace {

using harness::bytes_of;
using harness::kTwoPoints;

const std::string kAscii = PlyText{.format = "format ascii 1.0"}.text();

Entry bad_ply_row(int line, std::string name, const std::string& rows, std::string_view what) {
  return refused(Format::ply, "ply_ascii_" + name, kAscii + rows,
                 fmt::format("line {}: {}{}", line, what, kFixLine));
}

/// Lists of shorts before the vertices.
std::string with_list(const std::string& count_type, std::string_view format = "binary_little_endian") {
  return PlyText{.format = fmt::format("format {} 1.0", format),
                 .vertex = "element l 1\nproperty list " + count_type + " short i\nelement vertex 2"}
      .text();
}

Entry bad_list(std::string name, const std::string& count_type, const std::string& body,
               std::string_view what) {
  const std::string header = with_list(count_type);
  return refused(Format::ply, "ply_list_" + name, header + body,
                 fmt::format("byte {}: element 'l', record 1 of 1: {}{}", header.size(), what, kCutOff));
}

Entries ascii() {
  return {
      accepted(Format::ply, "ply_ascii_plain", kAscii + "1 2 3\n4 5 6\n", {.points = 2}),
      accepted(Format::ply, "ply_ascii_nan_and_inf", kAscii + "nan 2 3\n\n4 -inf +6",
               {.points = 2, .non_finite = 2}),
      accepted(Format::ply, "ply_ascii_nan_of_windows", kAscii + "1.#QNAN 2 3\n4 -1.#INF00 -nan(ind)\n",
               {.points = 2, .non_finite = 2}),
      accepted(Format::ply, "ply_ascii_list_before", with_list("uchar", "ascii") + "3 7 8 9\n1 2 3\n4 5 6\n",
               {.points = 2}),
      bad_ply_row(8, "text", "1 two 3\n4 5 6\n", "value 2: 'two' is not a number"),
      bad_ply_row(8, "1e999", "1 2 1e999\n4 5 6\n", "value 3: '1e999' is out of range"),
      bad_ply_row(9, "short_row", "1 2 3\n4 5\n6\n", "2 values, expected 3"),
      bad_ply_row(8, "long_row", "1 2 3 4\n5 6 7\n", "4 values, expected 3"),
      bad_ply_row(10, "more_rows", "1 2 3\n4 5 6\n7 8 9\n", "more rows than the 2 declared"),
      bad_ply_row(11, "fewer_rows", "1 2 3\n\n      \n", "the file ends after 1 of 2 rows"),
      refused(Format::ply, "ply_ascii_list_shorter_than_it_says",
              with_list("uchar", "ascii") + "3 7 8\n1 2 3\n4 5 6\n",
              fmt::format("line 10: value 4 is missing{}", kFixLine)),
      refused(
          Format::ply, "ply_ascii_list_of_minus_1", with_list("char", "ascii") + "-1\n1 2 3\n4 5 6\n",
          fmt::format("line 10: value 1: list 'i' has '-1' items, which is not a whole number{}", kFixLine)),
      refused(Format::ply, "ply_ascii_list_of_2_pow_64_minus_1",
              with_list("uint", "ascii") + "18446744073709551615 1\n1 2 3\n4 5 6\n",
              fmt::format("line 10: value 3 is missing{}", kFixLine)),
      refused(Format::ply, "ply_ascii_list_longer_than_it_says",
              with_list("uchar", "ascii") + "1 7 8\n1 2 3\n4 5 6\n",
              fmt::format("line 10: value 3: '8' is one more than declared{}", kFixLine)),
  };
}

Entries binary() {
  const std::string header = PlyText{}.text(), swapped = harness::big_endian(kTwoPoints, 4);
  const std::string with_faces =
      PlyText{.z = "property float z\nelement face 9\nproperty list uchar int i"}.text();
  const std::string with_doubles =
      PlyText{.x = "property double x", .y = "property double y", .z = "property double z"}.text();
  const auto short_of = [&](std::string name, std::size_t bytes) {
    return refused(
        Format::ply, "ply_binary_" + name, header + kTwoPoints.substr(0, bytes),
        fmt::format(
            "header line 3: 2 of element 'vertex' declared, of 12 bytes or more each, but {} bytes are "
            "left for them{}",
            bytes, kFixHeader));
  };
  return {
      accepted(Format::ply, "ply_binary_big_endian",
               PlyText{.format = "format binary_big_endian 1.0"}.text() + swapped, {.points = 2}),
      accepted(Format::ply, "ply_binary_double_far", with_doubles + bytes_of(5e5, 5.4e6, 1., 5e5, 5.4e6, 2.),
               {.points = 2}),
      accepted(Format::ply, "ply_binary_trailing_bytes", header + kTwoPoints + "12345",
               {.points = 2, .trailing_bytes = 5}),
      accepted(Format::ply, "ply_binary_faces_after_are_not_looked_at", with_faces + kTwoPoints,
               {.points = 2}),
      short_of("without_body", 0),
      short_of("cut_in_the_first_vertex", 5),
      short_of("cut_before_the_last_byte", 23),
  };
}

Entries lists() {
  const std::string list = with_list("uchar");
  return {
      accepted(Format::ply, "ply_list_before", list + std::string("\2abcd", 5) + kTwoPoints, {.points = 2}),
      bad_list("of_minus_1", "int", bytes_of(std::int32_t{-1}) + kTwoPoints,
               "list 'i' has -1 items, but 24 bytes follow"),
      bad_list("of_2_pow_31", "uint", bytes_of(std::uint32_t{1} << 31) + kTwoPoints,
               "list 'i' has 2147483648 items, but 24 bytes follow"),
      bad_list("past_the_end", "uchar", "\xFF" + kTwoPoints, "list 'i' has 255 items, but 24 bytes follow"),
      refused(Format::ply, "ply_list_that_eats_a_vertex",
              list + std::string("\2abcd", 5) + kTwoPoints.substr(4),
              fmt::format("byte {}: 2 points of 12 bytes declared, which is 24, but 20 bytes follow{}",
                          list.size() + 5, kCutOff)),
  };
}

/// Lists of shorts between the coordinates of two vertices.
std::string with_inner_list(const std::string& count_type, std::string_view format = "binary_little_endian") {
  return PlyText{.format = fmt::format("format {} 1.0", format),
                 .y = "property list " + count_type + " short i\nproperty float y"}
      .text();
}

Entries lists_in_vertices() {
  const std::string binary = with_inner_list("int"), ascii = with_inner_list("uchar", "ascii");
  const auto vertex = [](std::int32_t items, const std::string& list) {
    return bytes_of(1.f, items) + list + bytes_of(2.f, 3.f);
  };
  const auto bad_vertex = [&](std::string name, std::int32_t items, int left) {
    return refused(
        Format::ply, "ply_inner_list_" + name, binary + vertex(0, "") + vertex(items, ""),
        fmt::format("byte {}: element 'vertex', record 2 of 2: list 'i' has {} items, but {} bytes "
                    "follow{}",
                    binary.size() + 20, items, left, kCutOff));
  };
  return {
      accepted(Format::ply, "ply_inner_list", binary + vertex(1, "ab") + vertex(0, "") + "123",
               {.points = 2, .trailing_bytes = 3}),
      bad_vertex("of_minus_1", -1, 8),
      bad_vertex("past_the_end", 5, 8),
      refused(Format::ply, "ply_inner_list_that_eats_a_coordinate",
              binary + vertex(2, "abcd") + vertex(3, "a"),
              fmt::format("byte {}: element 'vertex', record 2 of 2: the file ends here{}",
                          binary.size() + 34, kCutOff)),
      accepted(Format::ply, "ply_inner_list_ascii", ascii + "1 2 7 8 2 3\n\n1 0 2 3", {.points = 2}),
      refused(Format::ply, "ply_inner_list_ascii_short", ascii + "1 2 7 8 2 3\n1 3 2 3\n",
              fmt::format("line 10: value 5 is missing{}", kFixLine)),
      refused(Format::ply, "ply_inner_list_ascii_more_rows", ascii + "1 0 2 3\n1 0 2 3\n1 0 2 3\n",
              fmt::format("line 11: more rows than the 2 declared{}", kFixLine)),
  };
}

}  // namespace

Entries ply_bodies() {
  Entries all = ascii();
  for (const auto& group : {binary, lists, lists_in_vertices})
    for (Entry& entry : group()) all.push_back(std::move(entry));
  return all;
}

}  // namespace ndt::catalogue
