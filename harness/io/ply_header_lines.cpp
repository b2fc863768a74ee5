#include "io/ply_header_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/numbers.hpp"
#include "base/refusal.hpp"

namespace ndt::harness {
namespace {

using Kind = PlyType::Kind;

constexpr PlyType kTypes[] = {
    {"char", "int8", 1, Kind::signed_integer},   {"uchar", "uint8", 1, Kind::unsigned_integer},
    {"short", "int16", 2, Kind::signed_integer}, {"ushort", "uint16", 2, Kind::unsigned_integer},
    {"int", "int32", 4, Kind::signed_integer},   {"uint", "uint32", 4, Kind::unsigned_integer},
    {"float", "float32", 4, Kind::real},         {"double", "float64", 8, Kind::real}};

/// The first of the names that came before; none otherwise. Sorted, as a header has room for thousands.
template <class Range>
const std::string* repeated(const Range& named) {
  std::set<std::string_view> seen;
  for (const auto& one : named)
    if (!seen.insert(one.name).second) return &one.name;
  return nullptr;
}

}  // namespace

PlyHeaderLines::PlyHeaderLines(ByteSource& source) : text_(source, "end_header") {
  if (const Words words = text_.words(text_.next_line()); words != Words{"ply"})
    throw text_.refused(fmt::format("'{}' where a line with nothing but 'ply' is expected",
                                    printable(words.empty() ? "" : fmt::format("{}", words[0]))));
  while (add(text_.next_line())) {
  }
  if (!encoding_) throw text_.missing("format");
  if (const std::string* name = repeated(elements_))
    throw text_.refused(fmt::format("element '{}' is declared more than once", printable(*name)));
  for (const PlyElement& element : elements_)
    if (const std::string* name = repeated(element.properties))
      throw text_.refused(element.line, fmt::format("property '{}' of element '{}' is declared more than once",
                                                    printable(*name), printable(element.name)));
}

/// False after the last line.
bool PlyHeaderLines::add(const std::string& line) {
  const std::string_view keyword = first_word(line);
  if (keyword.empty() || keyword == "comment" || keyword == "obj_info") return true;
  const Words words = text_.words(line);
  if (keyword == "end_header") {
    expect_words(words, 1, "end_header");
    return false;
  }
  if (keyword == "format")
    set_format(words);
  else if (keyword == "element")
    add_element(words);
  else if (keyword == "property")
    add_property(words);
  else
    throw text_.refused(fmt::format("'{}' is no keyword of a PLY header", printable(keyword)));
  return true;
}

void PlyHeaderLines::set_format(const Words& words) {
  expect_words(words, 3, "format <encoding> 1.0");
  if (encoding_) throw text_.refused("format comes a second time");
  if (words[1] == "ascii")
    encoding_ = PlyEncoding::ascii;
  else if (words[1] == "binary_little_endian")
    encoding_ = PlyEncoding::binary_little_endian;
  else if (words[1] == "binary_big_endian")
    encoding_ = PlyEncoding::binary_big_endian;
  else
    throw text_.refused(
        fmt::format("format '{}' is none of ascii, binary_little_endian, binary_big_endian", printable(words[1])));
  if (words[2] != "1.0")
    throw text_.refused(fmt::format("format version '{}' is not 1.0, the only one there is", printable(words[2])));
}

void PlyHeaderLines::add_element(const Words& words) {
  expect_words(words, 3, "element <name> <count>");
  const auto count = parse_whole_number(words[2]);
  if (!count)
    throw text_.refused(
        fmt::format("element '{}': count '{}' is not a whole number", printable(words[1]), printable(words[2])));
  elements_.push_back({words[1], *count, text_.count(), {}});
}

void PlyHeaderLines::add_property(const Words& words) {
  const bool list = words.size() > 1 && words[1] == "list";
  list ? expect_words(words, 5, "property list <type of count> <type> <name>")
       : expect_words(words, 3, "property <type> <name>");
  if (elements_.empty()) throw text_.refused("property before the first element");
  PlyProperty property{words.back(), &type(words[words.size() - 2]), list ? &type(words[2]) : nullptr};
  if (list && property.count->kind == Kind::real)
    throw text_.refused(
        fmt::format("list '{}' is counted by a {}, not by an integer", printable(property.name), property.count->name));
  elements_.back().properties.push_back(std::move(property));
}

void PlyHeaderLines::expect_words(const Words& words, std::size_t n, std::string_view form) const {
  if (words.size() != n) throw text_.refused(fmt::format("{} words where '{}' is expected", words.size(), form));
}

const PlyType& PlyHeaderLines::type(const std::string& word) const {
  for (const PlyType& type : kTypes)
    if (word == type.name || word == type.other_name) return type;
  throw text_.refused(fmt::format(
      "type '{}' is none of char, uchar, short, ushort, int, uint, float, double, int8, uint8, int16, uint16, int32, "
      "uint32, float32, float64",
      printable(word)));
}

}  // namespace ndt::harness
