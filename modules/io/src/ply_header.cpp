#include "ply_header.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/text.hpp"

namespace ndt::io {
namespace {

using Kind = PlyType::Kind;

constexpr PlyType kTypes[] = {
    {"char", "int8", 1, Kind::signed_integer},   {"uchar", "uint8", 1, Kind::unsigned_integer},
    {"short", "int16", 2, Kind::signed_integer}, {"ushort", "uint16", 2, Kind::unsigned_integer},
    {"int", "int32", 4, Kind::signed_integer},   {"uint", "uint32", 4, Kind::unsigned_integer},
    {"float", "float32", 4, Kind::real},         {"double", "float64", 8, Kind::real}};

/// The lines of a PLY header as a list of elements, checked one by one.
class PlyHeaderLines {
 public:
  /// Reads to the end of the end_header line. Throws ndt::InputError for malformed lines, unknown types,
  /// duplicate names, and a file that ends first.
  explicit PlyHeaderLines(ByteSource& source);

  PlyEncoding encoding() const { return *encoding_; }
  std::vector<PlyElement>& elements() { return elements_; }
  const HeaderText& text() const { return text_; }

 private:
  using Words = std::vector<std::string>;
  bool add(const std::string& line);
  void set_format(const Words& words);
  void add_element(const Words& words);
  void add_property(const Words& words);
  void expect_words(const Words& words, std::size_t n, std::string_view form) const;
  const PlyType& type(const std::string& word) const;

  HeaderText text_;
  std::optional<PlyEncoding> encoding_;
  std::vector<PlyElement> elements_;
};

/// Returns the first duplicate name, or null. Uses a set, because a header has room for thousands of names.
template <class Range>
const std::string* repeated(const Range& named) {
  std::set<std::string_view> seen;
  for (const auto& one : named)
    if (!seen.insert(one.name).second) return &one.name;
  return nullptr;
}

/// Finds x, y or z, which must be a real number.
const PlyProperty* coordinate_property(const HeaderText& text, const PlyElement& vertex, char axis) {
  const auto index = coordinate_index(vertex.properties, &PlyProperty::name, axis);
  if (!index) throw text.refused(vertex.line, formatted("element 'vertex' has no property '{}'", axis));
  const PlyProperty& property = vertex.properties[*index];
  if (property.is_list() || property.type->kind != Kind::real)
    throw text.refused(
        vertex.line,
        formatted("coordinate '{}' of element 'vertex' is {}, not float or double", printable(property.name),
                  property.is_list() ? "a list" : property.type->name));
  return &property;
}

/// The places of the coordinates among the numbers of a vertex; lists do not count.
PointLayout layout_of(const HeaderText& text, const PlyElement& vertex) {
  if (vertex.count > Limits::kPoints)
    throw text.refused(vertex.line, formatted("{} vertices are more than the limit of {} points",
                                              vertex.count, Limits::kPoints));
  std::array<const PlyProperty*, 3> xyz = {};
  for (std::size_t axis = 0; axis < 3; ++axis) xyz[axis] = coordinate_property(text, vertex, kAxes[axis]);
  PointLayout layout;
  layout.points = vertex.count;
  for (const PlyProperty& property : vertex.properties) {
    if (property.is_list()) continue;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (&property == xyz[axis])
        layout.xyz[axis] = {layout.record_bytes, layout.columns, property.type->bytes};
    layout.record_bytes +=
        property.type->bytes;  // a header has no room for more than 2^13 properties of 8 bytes
    ++layout.columns;
  }
  return layout;
}

/// Subtracts the least size of the element from the bytes that are left.
void take(const HeaderText& text, const PlyElement& element, PlyEncoding encoding, std::uint64_t& left) {
  // A value of text takes a digit and a separator.
  const std::uint64_t each =
      encoding == PlyEncoding::ascii ? 2 * element.properties.size() : element.least_bytes();
  if (each != 0 && element.count > left / each)
    throw text.refused(element.line,
                       formatted("{} of element '{}' declared, of {} bytes or more each, but {} bytes "
                                 "are left for them",
                                 element.count, printable(element.name), each, left));
  left -= element.count * each;
}

PlyHeaderLines::PlyHeaderLines(ByteSource& source) : text_(source, "end_header") {
  if (const Words words = text_.words(text_.next_line()); words != Words{"ply"})
    throw text_.refused(formatted("expected a line 'ply', found '{}'",
                                  printable(words.empty() ? "" : formatted("{}", words[0]))));
  while (add(text_.next_line())) {
  }
  if (!encoding_) throw text_.missing("format");
  if (const std::string* name = repeated(elements_))
    throw text_.refused(formatted("duplicate element '{}'", printable(*name)));
  for (const PlyElement& element : elements_)
    if (const std::string* name = repeated(element.properties))
      throw text_.refused(element.line, formatted("duplicate property '{}' of element '{}'", printable(*name),
                                                  printable(element.name)));
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
    throw text_.refused(formatted("unknown PLY keyword '{}'", printable(keyword)));
  return true;
}

void PlyHeaderLines::set_format(const Words& words) {
  expect_words(words, 3, "format <encoding> 1.0");
  if (encoding_) throw text_.refused("duplicate format");
  if (words[1] == "ascii")
    encoding_ = PlyEncoding::ascii;
  else if (words[1] == "binary_little_endian")
    encoding_ = PlyEncoding::binary_little_endian;
  else if (words[1] == "binary_big_endian")
    encoding_ = PlyEncoding::binary_big_endian;
  else
    throw text_.refused(
        formatted("unknown format '{}', expected one of ascii, binary_little_endian, binary_big_endian",
                  printable(words[1])));
  if (words[2] != "1.0")
    throw text_.refused(formatted("format version '{}' is not supported, expected 1.0", printable(words[2])));
}

void PlyHeaderLines::add_element(const Words& words) {
  expect_words(words, 3, "element <name> <count>");
  const auto count = parse_whole_number(words[2]);
  if (!count)
    throw text_.refused(formatted("element '{}': count '{}' is not a whole number", printable(words[1]),
                                  printable(words[2])));
  elements_.push_back({words[1], *count, text_.count(), {}});
}

void PlyHeaderLines::add_property(const Words& words) {
  const bool list = words.size() > 1 && words[1] == "list";
  list ? expect_words(words, 5, "property list <type of count> <type> <name>")
       : expect_words(words, 3, "property <type> <name>");
  if (elements_.empty()) throw text_.refused("property before the first element");
  PlyProperty property{words.back(), &type(words[words.size() - 2]), list ? &type(words[2]) : nullptr};
  if (list && property.count->kind == Kind::real)
    throw text_.refused(formatted("list '{}' is counted by a {}, not by an integer", printable(property.name),
                                  property.count->name));
  elements_.back().properties.push_back(std::move(property));
}

void PlyHeaderLines::expect_words(const Words& words, std::size_t n, std::string_view form) const {
  if (words.size() != n) throw text_.refused(formatted("{} words, expected '{}'", words.size(), form));
}

const PlyType& PlyHeaderLines::type(const std::string& word) const {
  for (const PlyType& type : kTypes)
    if (word == type.name || word == type.other_name) return type;
  throw text_.refused(formatted(
      "unknown type '{}', expected one of char, uchar, short, ushort, int, uint, float, double, int8, "
      "uint8, int16, uint16, int32, "
      "uint32, float32, float64",
      printable(word)));
}

}  // namespace

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(), [](const PlyProperty& p) { return p.is_list(); });
}

std::uint64_t PlyElement::least_bytes() const {
  std::uint64_t bytes = 0;
  for (const PlyProperty& p : properties) bytes += p.is_list() ? p.count->bytes : p.type->bytes;
  return bytes;
}

PlyHeader read_ply_header(ByteSource& source) {
  PlyHeaderLines lines(source);
  std::vector<PlyElement>& elements = lines.elements();
  const auto vertex = std::ranges::find(elements, "vertex", &PlyElement::name);
  if (vertex == elements.end()) throw lines.text().missing("element vertex");
  PlyHeader header;
  header.encoding = lines.encoding();
  header.lines = lines.text().count();
  header.vertices = layout_of(lines.text(), *vertex);
  // The last separator of a text may be missing.
  std::uint64_t left = source.remaining() + (header.encoding == PlyEncoding::ascii ? 1 : 0);
  for (auto element = elements.begin(); element <= vertex; ++element)
    take(lines.text(), *element, header.encoding, left);
  header.elements_follow = std::any_of(vertex + 1, elements.end(), [](const PlyElement& element) {
    return element.count > 0 && !element.properties.empty();
  });
  header.before.assign(std::make_move_iterator(elements.begin()), std::make_move_iterator(vertex));
  header.vertex = std::move(*vertex);
  return header;
}

}  // namespace ndt::io
