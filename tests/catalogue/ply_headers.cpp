// PLY headers: text that is not understood, and numbers and types that lie.
#include <fmt/format.h>

#include "bytes.hpp"
#include "catalogue.hpp"
#include "ply_bytes.hpp"

namespace ndt::catalogue {
namespace {

using harness::kTwoPoints;

Entry in_bytes(int line, std::string name, const std::string& bytes, std::string_view what) {
  return refused(Format::ply, "ply_" + name, bytes,
                 fmt::format("header line {}: {}{}", line, what, kFixHeader));
}
Entry in_line(int line, std::string name, const PlyText& header, std::string_view what) {
  return in_bytes(line, std::move(name), header.text() + kTwoPoints, what);
}

Entries text() {
  const std::string whole = PlyText{}.text();
  const std::string ends = "the file ends before the end of its end_header line";
  return {
      refused(Format::ply, "ply_empty", "", "is empty; export the cloud again"),
      in_bytes(1, "one_byte", std::string("p"), ends),
      in_bytes(4, "cut_in_a_keyword", whole.substr(0, 60), ends),
      in_bytes(7, "cut_before_the_last_newline", whole.substr(0, whole.size() - 1), ends),
      in_bytes(1, "header_line_of_70000_bytes", std::string(70'000, 'c') + "\n",
               "no end_header line within the limit of 65536 bytes"),
      in_line(2, "comment_of_70000_bytes", {.format = "comment " + std::string(70'000, 'c')},
              "no end_header line within the limit of 65536 bytes"),
      in_bytes(1, "pcd_in_disguise", std::string("VERSION 0.7\n"), "expected a line 'ply', found 'VERSION'"),
      in_bytes(1, "byte_order_mark", "\xEF\xBB\xBF" + whole,
               "expected a line 'ply', found '\\xEF\\xBB\\xBFply'"),
      in_bytes(1, "junk", std::string("\x01\x02\n\xFF", 4), "expected a line 'ply', found '\\x01\\x02'"),
      in_line(2, "unknown_keyword", {.format = "encoding ascii"}, "unknown PLY keyword 'encoding'"),
      in_line(2, "unknown_format", {.format = "format binary 1.0"},
              "unknown format 'binary', expected one of ascii, binary_little_endian, binary_big_endian"),
      in_line(2, "version_1_1", {.format = "format ascii 1.1"},
              "format version '1.1' is not supported, expected 1.0"),
      in_line(2, "format_without_version", {.format = "format ascii"},
              "2 words, expected 'format <encoding> 1.0'"),
      in_line(3, "format_twice", {.format = "format ascii 1.0\nformat ascii 1.0"}, "duplicate format"),
      refused(Format::ply, "ply_without_format", PlyText{.format = ""}.text(),
              fmt::format("header: the format line is missing{}", kFixHeader)),
      refused(Format::ply, "ply_without_vertices", PlyText{.vertex = "element point 2"}.text() + kTwoPoints,
              fmt::format("header: the element vertex line is missing{}", kFixHeader)),
      in_line(3, "property_before_an_element", {.vertex = ""}, "property before the first element"),
      in_line(3, "word_of_257_bytes", {.vertex = "element " + std::string(257, 'v') + " 2"},
              fmt::format("'{}...' is longer than 256 bytes", std::string(40, 'v'))),
      accepted(Format::ply, "ply_plain", whole + kTwoPoints, {.points = 2}),
      accepted(Format::ply, "ply_windows_line_ends", PlyText{}.text("\r\n") + kTwoPoints, {.points = 2}),
      accepted(
          Format::ply, "ply_comments",
          PlyText{.format = "comment c\nobj_info i\n\nformat binary_little_endian 1.0"}.text() + kTwoPoints,
          {.points = 2}),
      accepted(
          Format::ply, "ply_type_names_with_sizes",
          PlyText{.x = "property float32 x", .y = "property float32 y", .z = "property float32 z"}.text() +
              kTwoPoints,
          {.points = 2}),
  };
}

/// Two vertices declared as `count`.
Entry no_number(std::string name, const std::string& count) {
  return in_line(3, "vertices_" + name, {.vertex = "element vertex " + count},
                 fmt::format("element 'vertex': count '{}' is not a whole number", count));
}
Entry too_many(std::string name, const std::string& count) {
  return in_line(3, "vertices_" + name, {.vertex = "element vertex " + count},
                 fmt::format("{} vertices are more than the limit of 134217728 points", count));
}
Entry at_the_limit(std::string name, const std::string& format, std::string_view left, int each) {
  return in_line(
      3, std::move(name), {.format = format, .vertex = "element vertex 134217728"},
      fmt::format(
          "134217728 of element 'vertex' declared, of {} bytes or more each, but {} bytes are left for them",
          each, left));
}

Entries counts() {
  return {
      no_number("minus_1", "-1"),
      no_number("text", "two"),
      no_number("1e12", "1e12"),
      no_number("2_pow_64", "18446744073709551616"),
      too_many("1_past_the_limit", "134217729"),
      too_many("2_pow_32", "4294967296"),
      too_many("2_pow_64_minus_1", "18446744073709551615"),
      in_line(3, "vertices_without_count", {.vertex = "element vertex"},
              "2 words, expected 'element <name> <count>'"),
      at_the_limit("lie_little_endian", "format binary_little_endian 1.0", "24", 12),
      at_the_limit("lie_big_endian", "format binary_big_endian 1.0", "24", 12),
      at_the_limit("lie_ascii", "format ascii 1.0", "25", 6),
      in_line(3, "lie_of_an_element_before",
              {.vertex = "element camera 9223372036854775808\nproperty double w\nelement vertex 2"},
              "9223372036854775808 of element 'camera' declared, of 8 bytes or more each, but 24 bytes are "
              "left for them"),
      in_line(3, "lie_of_lists_before",
              {.vertex = "element face 1000\nproperty list uchar int i\nelement vertex 2"},
              "1000 of element 'face' declared, of 1 bytes or more each, but 24 bytes are left for them"),
      accepted(Format::ply, "ply_no_vertices", PlyText{.vertex = "element vertex 0"}.text(), {}),
      accepted(Format::ply, "ply_a_trillion_of_nothing",
               PlyText{.vertex = "element nothing 1000000000000\nelement vertex 2"}.text() + kTwoPoints,
               {.points = 2}),
  };
}

Entries types() {
  return {
      in_line(3, "x_is_missing", {.x = "property float a"}, "element 'vertex' has no property 'x'"),
      in_line(3, "z_is_missing", {.z = ""}, "element 'vertex' has no property 'z'"),
      accepted(Format::ply, "ply_names_in_capitals",
               PlyText{.x = "property float X", .y = "property float Y", .z = "property float Z"}.text() +
                   kTwoPoints,
               {.points = 2}),
      in_line(3, "x_is_a_list", {.x = "property list uchar float x"},
              "coordinate 'x' of element 'vertex' is a list, not float or double"),
      in_line(3, "y_is_an_integer", {.y = "property int y"},
              "coordinate 'y' of element 'vertex' is int, not float or double"),
      in_line(4, "unknown_type", {.x = "property half x"},
              "unknown type 'half', expected one of char, uchar, short, ushort, int, uint, float, double, "
              "int8, uint8, "
              "int16, uint16, "
              "int32, uint32, float32, float64"),
      in_line(5, "property_without_name", {.y = "property float"},
              "2 words, expected 'property <type> <name>'"),
      in_line(3, "property_twice", {.z = "property float z\nproperty float x"},
              "duplicate property 'x' of element 'vertex'"),
      in_line(9, "element_twice", {.z = "property float z\nelement vertex 2\nproperty float w"},
              "duplicate element 'vertex'"),
      in_line(3, "lie_of_vertices_with_lists", {.z = "property float z\nproperty list uchar int i"},
              "2 of element 'vertex' declared, of 13 bytes or more each, but 24 bytes are left for them"),
      in_line(7, "list_counted_by_a_float", {.z = "property float z\nproperty list float int i"},
              "list 'i' is counted by a float, not by an integer"),
      in_line(7, "list_without_types", {.z = "property float z\nproperty list i"},
              "3 words, expected 'property list <type of count> <type> <name>'"),
  };
}

}  // namespace

Entries ply_headers() {
  Entries all = text();
  for (const auto& group : {counts, types})
    for (Entry& entry : group()) all.push_back(std::move(entry));
  return all;
}

}  // namespace ndt::catalogue
