#include "ndt/io/pcd_header.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/text.hpp"

namespace ndt::io {
namespace {

/// The lines of a PCD header by keyword, not yet understood.
class PcdHeaderLines {
 public:
  /// Reads to the end of the DATA line. Throws ndt::InputError for unknown or repeated keywords, words or
  /// headers that are too long, and a file that ends first.
  explicit PcdHeaderLines(ByteSource& source);

  bool has(const std::string& keyword) const { return lines_.contains(keyword); }
  /// Returns the words behind a keyword that is present. COLUMNS is found as FIELDS.
  const std::vector<std::string>& words(const std::string& keyword) const { return lines_.at(keyword).words; }
  std::uint64_t count() const { return text_.count(); }

  /// Throws if the keyword is not followed by exactly n words.
  void expect_words(const std::string& keyword, std::size_t n) const;
  InputError refused(const std::string& keyword, std::string_view what) const;
  InputError missing(std::string_view keyword) const { return text_.missing(keyword); }

 private:
  struct Line {
    std::uint64_t number = 0;
    std::vector<std::string> words;
  };
  std::string_view add(std::string_view line);

  HeaderText text_;
  std::map<std::string, Line> lines_;
};

constexpr std::string_view kKeywords[] = {"VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
                                          "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};

/// One column group: "FIELDS normal", "SIZE 4", "TYPE F", "COUNT 3".
struct Field {
  std::string name;
  char type = 'F';
  std::uint64_t size = 4, count = 1;
};

std::uint64_t whole_number(const PcdHeaderLines& lines, const std::string& keyword, std::size_t index) {
  const std::string& word = lines.words(keyword)[index];
  if (const auto number = parse_whole_number(word)) return *number;
  throw lines.refused(keyword, formatted("'{}' is not a whole number", printable(word)));
}

/// The single number of WIDTH, HEIGHT, POINTS, within the limit on points.
std::uint64_t point_count(const PcdHeaderLines& lines, const std::string& keyword) {
  lines.expect_words(keyword, 1);
  const std::uint64_t number = whole_number(lines, keyword, 0);
  if (number > Limits::kPoints)
    throw lines.refused(keyword,
                        formatted("{} is more than the limit of {} points", number, Limits::kPoints));
  return number;
}

bool legal_size(char type, std::uint64_t size) {
  if (type == 'F') return size == 4 || size == 8;
  return size == 1 || size == 2 || size == 4 || size == 8;
}

void set_type_and_size(const PcdHeaderLines& lines, std::size_t i, Field& field) {
  const std::string& type = lines.words("TYPE")[i];
  if (type != "I" && type != "U" && type != "F")
    throw lines.refused("TYPE", formatted("'{}' of field '{}' is unknown, expected one of I, U, F",
                                          printable(type), field.name));
  field.type = type[0];
  field.size = whole_number(lines, "SIZE", i);
  if (!legal_size(field.type, field.size))
    throw lines.refused("SIZE",
                        formatted("{} of field '{}' is not valid for TYPE {}", field.size, field.name, type));
}

void set_count(const PcdHeaderLines& lines, std::size_t i, Field& field) {
  if (!lines.has("COUNT")) return;
  field.count = whole_number(lines, "COUNT", i);
  if (field.count > Limits::kRecordBytes)  // 0 is padding, as PCL writes it: no values, no bytes
    throw lines.refused("COUNT", formatted("{} of field '{}' is not in 0 to {}", field.count, field.name,
                                           Limits::kRecordBytes));
}

std::vector<Field> read_fields(const PcdHeaderLines& lines) {
  const std::size_t n = lines.words("FIELDS").size();
  if (n == 0) throw lines.refused("FIELDS", "lists no fields");
  lines.expect_words("SIZE", n);
  lines.expect_words("TYPE", n);
  if (lines.has("COUNT")) lines.expect_words("COUNT", n);
  std::vector<Field> fields(n);
  for (std::size_t i = 0; i < n; ++i) {
    fields[i].name = printable(lines.words("FIELDS")[i]);
    set_type_and_size(lines, i, fields[i]);
    set_count(lines, i, fields[i]);
  }
  return fields;
}

CoordinatePlace coordinate(const PcdHeaderLines& lines, const Field& field, const PointLayout& so_far) {
  if (field.type != 'F')
    throw lines.refused(
        "TYPE", formatted("coordinate '{}' is {} {}, not F 4 or F 8", field.name, field.type, field.size));
  if (field.count != 1)
    throw lines.refused("COUNT", formatted("coordinate '{}' has {} values, not 1", field.name, field.count));
  return {so_far.record_bytes, so_far.columns, field.size};
}

/// Finds the one field that holds a coordinate; other names may be repeated.
const Field* coordinate_field(const PcdHeaderLines& lines, const std::vector<Field>& fields, char axis) {
  const auto index = coordinate_index(fields, &Field::name, axis);
  if (!index) throw lines.refused("FIELDS", formatted("field '{}' is missing", axis));
  const Field& field = fields[*index];
  if (std::ranges::count(fields, field.name, &Field::name) > 1)
    throw lines.refused("FIELDS", formatted("has a duplicate '{}'", field.name));
  return &field;
}

/// Whether a driver's field of this name tells when points were measured, as datasets/ndt_convert has it.
bool is_time(std::string name) {
  constexpr std::string_view kNames[] = {"t",           "time",        "timestamp",        "time_stamp",
                                         "offset_time", "time_offset", "point_time_offset"};
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  for (const std::string_view unit : {"_s", "_ms", "_us", "_ns"})
    if (name.ends_with(unit)) return is_time(name.substr(0, name.size() - unit.size()));
  return std::ranges::find(kNames, name) != std::end(kNames);
}

void place_fields(const PcdHeaderLines& lines, PcdHeader& header) {
  PointLayout& layout = header.layout;
  const std::vector<Field> fields = read_fields(lines);
  std::array<const Field*, 3> xyz = {};
  for (std::size_t axis = 0; axis < 3; ++axis) xyz[axis] = coordinate_field(lines, fields, kAxes[axis]);
  for (const Field& field : fields) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (&field == xyz[axis]) layout.xyz[axis] = coordinate(lines, field, layout);
    if (!header.time && field.count == 1 && is_time(field.name)) {
      header.time = CoordinatePlace{layout.record_bytes, layout.columns, field.size, field.type};
      header.time_field = field.name;
    }
    layout.record_bytes += field.size * field.count;  // <= 2^15 fields of <= 2^23 bytes
    layout.columns += field.count;
  }
  if (layout.record_bytes > Limits::kRecordBytes)
    throw lines.refused("FIELDS", formatted("one point has {} bytes, the limit is {}", layout.record_bytes,
                                            Limits::kRecordBytes));
}

/// Versions .5 and .6 have the same layout, and PCL reads a header without a version.
void check_version(const PcdHeaderLines& lines) {
  if (!lines.has("VERSION")) return;
  lines.expect_words("VERSION", 1);
  const std::string& version = lines.words("VERSION")[0];
  constexpr std::string_view kVersions[] = {"0.7", "0.6", "0.5", ".7", ".6", ".5"};
  if (std::ranges::find(kVersions, version) == std::end(kVersions))
    throw lines.refused("VERSION",
                        formatted("'{}' is not supported, expected 0.5, 0.6 or 0.7", printable(version)));
}

/// Sensor pose of the recording; checked, then ignored: points are in the frame they are stored in.
void check_viewpoint(const PcdHeaderLines& lines) {
  if (!lines.has("VIEWPOINT")) return;
  lines.expect_words("VIEWPOINT", 7);
  for (const std::string& word : lines.words("VIEWPOINT")) {
    const Real<double> real = parse_real<double>(word);
    if (real.fault != RealFault::none || !std::isfinite(real.value))
      throw lines.refused("VIEWPOINT", formatted("'{}' is not a finite number", printable(word)));
  }
}

/// A cloud without HEIGHT is one row, and WIDTH may be missing too, as in PCL.
void read_counts(const PcdHeaderLines& lines, PointLayout& layout) {
  const bool wide = lines.has("WIDTH"), high = lines.has("HEIGHT");
  if (high && !wide) throw lines.missing("WIDTH");
  const std::uint64_t width = wide ? point_count(lines, "WIDTH") : 0,
                      height = high ? point_count(lines, "HEIGHT") : 1;
  layout.points = point_count(lines, "POINTS");
  if (wide && layout.points != width * height)
    throw lines.refused("POINTS",
                        formatted("{} is not WIDTH {} times HEIGHT {}", layout.points, width, height));
}

PcdEncoding encoding(const PcdHeaderLines& lines) {
  lines.expect_words("DATA", 1);
  const std::string& word = lines.words("DATA")[0];
  if (word == "ascii") return PcdEncoding::ascii;
  if (word == "binary") return PcdEncoding::binary;
  if (word == "binary_compressed") return PcdEncoding::binary_compressed;
  throw lines.refused("DATA", formatted("'{}' is unknown, expected one of ascii, binary, binary_compressed",
                                        printable(word)));
}

PcdHeaderLines::PcdHeaderLines(ByteSource& source) : text_(source, "DATA") {
  while (add(text_.next_line()) != "DATA") {
  }
}

/// The keyword of the line; empty for comments and blank lines.
std::string_view PcdHeaderLines::add(std::string_view line) {
  if (line.starts_with('#')) return "";
  std::vector<std::string> words = text_.words(line);
  if (words.empty()) return "";
  const std::string given = words[0] == "COLUMNS" ? "FIELDS" : words[0];
  const auto* const keyword = std::find(std::begin(kKeywords), std::end(kKeywords), given);
  if (keyword == std::end(kKeywords))
    throw text_.refused(formatted("unknown PCD keyword '{}'", printable(given)));
  words.erase(words.begin());
  if (!lines_.try_emplace(given, Line{text_.count(), std::move(words)}).second)
    throw text_.refused(formatted("duplicate {} (first on line {})", *keyword, lines_.at(given).number));
  return *keyword;
}

void PcdHeaderLines::expect_words(const std::string& keyword, std::size_t n) const {
  if (const std::size_t got = words(keyword).size(); got != n)
    throw refused(keyword, formatted("{} {}, expected {}", got, got == 1 ? "value" : "values", n));
}

InputError PcdHeaderLines::refused(const std::string& keyword, std::string_view what) const {
  return text_.refused(lines_.at(keyword).number, formatted("{} {}", keyword, what));
}

}  // namespace

PcdHeader read_pcd_header(ByteSource& source) {
  const PcdHeaderLines lines(source);
  for (const char* keyword : {"FIELDS", "SIZE", "TYPE", "POINTS"})
    if (!lines.has(keyword)) throw lines.missing(keyword);
  PcdHeader header;
  header.lines = lines.count();
  header.data = encoding(lines);
  check_version(lines);
  check_viewpoint(lines);
  read_counts(lines, header.layout);
  place_fields(lines, header);
  return header;
}

}  // namespace ndt::io
