// PCD headers as text: cut, too long, lines missing or not understood.
#include <fmt/format.h>

#include <random>

#include "catalogue.hpp"
#include "pcd_bytes.hpp"

namespace ndt::catalogue {
namespace {

using harness::Header;
using harness::kTwoPoints;

/// "header line N: what; advice".
Entry in_line(int line, std::string name, const std::string& bytes, std::string_view what) {
  return refused(Format::pcd, "pcd_" + name, bytes,
                 fmt::format("header line {}: {}{}", line, what, kFixHeader));
}
Entry in_line(int line, std::string name, const Header& header, std::string_view what) {
  return in_line(line, std::move(name), header.text() + kTwoPoints, what);
}
Entry missing(std::string keyword, const Header& header) {
  return refused(Format::pcd, "pcd_without_" + keyword, header.text() + kTwoPoints,
                 fmt::format("header: the {} line is missing{}", keyword, kFixHeader));
}
Entry fine(std::string name, const std::string& bytes) {
  return accepted(Format::pcd, "pcd_" + name, bytes, {.points = 2});
}

std::string junk(bool with_newlines) {
  std::mt19937 random(7);
  std::string bytes(1 << 20, '\0');
  for (char& c : bytes) {
    c = static_cast<char>(random());
    if (c == '\n' && !with_newlines) c = ' ';
  }
  bytes[0] = '\x01';
  bytes[1] = '\n';
  if (!with_newlines) bytes[1] = 'x';
  return bytes;
}

std::string a_million_comments() {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "#\n";
  return text + Header{}.text();
}

std::string many_fields(int n) {
  std::string names = "FIELDS x y z";
  for (int i = 0; i < n; ++i) names += fmt::format(" f{}", i);
  return names;
}

Entries cut_and_long() {
  const std::string whole = Header{}.text();
  const std::string no_data_in_time = "no DATA line within the limit of 65536 bytes";
  return {
      refused(Format::pcd, "pcd_empty", "", "is empty; export the cloud again"),
      in_line(1, "one_byte", std::string("V"), "the file ends before the end of its DATA line"),
      in_line(1, "one_zero_byte", std::string(1, '\0'), "the file ends before the end of its DATA line"),
      in_line(2, "only_a_newline", std::string("\n"), "the file ends before the end of its DATA line"),
      in_line(2, "cut_in_a_keyword", whole.substr(0, 15), "the file ends before the end of its DATA line"),
      in_line(10, "cut_before_the_last_newline", whole.substr(0, whole.size() - 1),
              "the file ends before the end of its DATA line"),
      in_line(10, "cut_before_data", Header{.data = ""}.text(),
              "the file ends before the end of its DATA line"),
      in_line(10, "body_in_place_of_data", Header{.data = ""},
              "the file ends before the end of its DATA line"),
      in_line(1, "header_line_of_70000_bytes", "#" + std::string(70'000, 'c') + "\n" + whole,
              no_data_in_time),
      in_line(32769, "a_million_comment_lines", a_million_comments(), no_data_in_time),
      in_line(2, "a_hundred_thousand_fields", Header{.fields = many_fields(100'000)}, no_data_in_time),
      in_line(2, "word_of_257_bytes", Header{.fields = "FIELDS x y z " + std::string(257, 'f')},
              fmt::format("'{}...' is longer than 256 bytes", std::string(40, 'f'))),
      in_line(1, "junk_with_newlines", junk(true), "unknown PCD keyword '\\x01'"),
      in_line(1, "junk_without_newlines", junk(false), no_data_in_time),
  };
}

Entries not_understood() {
  return {
      in_line(1, "ply_in_disguise", std::string("ply\nformat ascii 1.0\n"), "unknown PCD keyword 'ply'"),
      in_line(1, "byte_order_mark", "\xEF\xBB\xBF" + Header{}.text() + kTwoPoints,
              "unknown PCD keyword '\\xEF\\xBB\\xBFVERSION'"),
      in_line(1, "escape_sequence", std::string("\x1B[31mVERSION 0.7\n"),
              "unknown PCD keyword '\\x1B[31mVERSION'"),
      in_line(1, "keyword_in_small_letters", Header{.version = "version 0.7"},
              "unknown PCD keyword 'version'"),
      in_line(1, "line_ends_of_old_macs", Header{}.text("\r") + "\n",
              "the line ends with a carriage return alone"),
      in_line(7, "keyword_twice", Header{.width = "WIDTH 2\nWIDTH 2"}, "duplicate WIDTH (first on line 6)"),
      in_line(3, "fields_and_columns", Header{.fields = "FIELDS x y z\nCOLUMNS x y z"},
              "duplicate FIELDS (first on line 2)"),
      in_line(1, "version_0_8", Header{.version = "VERSION 0.8"},
              "VERSION '0.8' is not supported, expected 0.5, 0.6 or 0.7"),
      in_line(1, "version_without_value", Header{.version = "VERSION"}, "VERSION 0 values, expected 1"),
      in_line(10, "data_in_capitals", Header{.data = "DATA BINARY"},
              "DATA 'BINARY' is unknown, expected one of ascii, binary, binary_compressed"),
      in_line(10, "data_without_value", Header{.data = "DATA"}, "DATA 0 values, expected 1"),
      in_line(8, "viewpoint_of_6_numbers", Header{.viewpoint = "VIEWPOINT 0 0 0 1 0 0"},
              "VIEWPOINT 6 values, expected 7"),
      in_line(8, "viewpoint_nan", Header{.viewpoint = "VIEWPOINT 0 0 nan 1 0 0 0"},
              "VIEWPOINT 'nan' is not a finite number"),
      missing("FIELDS", {.fields = ""}),
      missing("SIZE", {.size = ""}),
      missing("TYPE", {.type = ""}),
      missing("WIDTH", {.width = ""}),
      missing("POINTS", {.points = ""}),
  };
}

Entries unusual_but_fine() {
  return {
      fine("plain", Header{}.text() + kTwoPoints),
      fine("windows_line_ends", Header{}.text("\r\n") + kTwoPoints),
      fine("comments_and_blank_lines",
           "# .PCD v0.7\n\n#\n" + Header{.version = "\tVERSION  0.7 "}.text() + kTwoPoints),
      fine("version_without_zero", Header{.version = "VERSION .7"}.text() + kTwoPoints),
      fine("version_0_6", Header{.version = "VERSION 0.6"}.text() + kTwoPoints),
      fine("version_5_without_zero", Header{.version = "VERSION .5"}.text() + kTwoPoints),
      fine("without_version", Header{.version = ""}.text() + kTwoPoints),
      fine("without_height", Header{.height = ""}.text() + kTwoPoints),
      fine("without_width_and_height", Header{.width = "", .height = ""}.text() + kTwoPoints),
      fine("columns_for_fields", Header{.fields = "COLUMNS x y z"}.text() + kTwoPoints),
      fine("without_count_and_viewpoint", Header{.count = "", .viewpoint = ""}.text() + kTwoPoints),
      fine("height_2", Header{.width = "WIDTH 1", .height = "HEIGHT 2"}.text() + kTwoPoints),
  };
}

}  // namespace

Entries pcd_headers() {
  Entries all = cut_and_long();
  for (const auto& group : {not_understood, unusual_but_fine})
    for (Entry& entry : group()) all.push_back(std::move(entry));
  return all;
}

}  // namespace ndt::catalogue
