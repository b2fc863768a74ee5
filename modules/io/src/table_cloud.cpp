// Clouds in rows of text (.xyz, .csv): three or more numbers a point, separated by blanks or by commas.

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/points.hpp"
#include "ndt/io/stored_points.hpp"

namespace ndt::io {
namespace {

constexpr std::string_view kBetween = " \t\r";
constexpr std::string_view kRowForm =
    "a row is x y z in metres, with blanks or commas between; a first line may name the columns";

using Cells = std::vector<std::string_view>;

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
  return text.substr(0, text.find_last_not_of(kBetween) + 1);
}

/// Splits at commas if the line has one, else at blanks. An empty cell between commas stays.
void split(std::string_view line, Cells& cells) {
  cells.clear();
  const bool commas = line.find(',') != std::string_view::npos;
  for (line = trimmed(line); !line.empty() || (commas && !cells.empty());) {
    const std::size_t end = std::min(commas ? line.find(',') : line.find_first_of(kBetween), line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == line.size()) return;
    line = commas ? line.substr(end + 1) : trimmed(line.substr(end));
  }
}

/// Reads a file line by line: first the names of its columns, if it has them, then the points.
class TableReader {
 public:
  explicit TableReader(const std::filesystem::path& file) : source_(file) {}

  std::vector<Vec3<double>> points() {
    std::vector<Vec3<double>> points;
    while (next_row())
      if (!is_header(points.empty())) points.push_back(point(points.size()));
    return points;
  }

 private:
  /// Reads the next line that is not blank and, once the columns are known, no comment.
  bool next_row() {
    while (next_line()) {
      split(line_, cells_);
      if (!cells_.empty() && !((width_ > 0 || names_are_sure_) && cells_[0].starts_with('#'))) return true;
    }
    return false;
  }

  bool next_line() {
    int byte = source_.get();
    if (byte == ByteSource::kEnd) return false;
    line_.clear();
    ++number_;
    for (; byte != '\n' && byte != ByteSource::kEnd; byte = source_.get()) {
      if (line_.size() == Limits::kHeaderBytes)
        throw refused(formatted("is longer than {} bytes", Limits::kHeaderBytes));
      line_.push_back(static_cast<char>(byte));
    }
    return true;
  }

  /// Takes the names of columns from a line in front of the points, which "#" or "//" may begin. Such a
  /// comment may be about something else, so it counts only if a row has as many values.
  bool is_header(bool first) {
    if (!first || names_are_sure_ || parse_real<double>(cells_[0]).fault == RealFault::none) return false;
    std::string_view line = trimmed(line_);
    const bool comment = line.starts_with('#') || line.starts_with("//");
    line.remove_prefix(std::min(line.find_first_not_of("#/"), line.size()));
    Cells names;
    split(line, names);
    if (take_names(names))
      names_are_sure_ = !comment;
    else if (!comment)
      throw refused(
          formatted("'{}' is not a number, and the line has no columns x, y and z", printable(cells_[0])));
    return true;
  }

  /// False if x, y or z is missing.
  bool take_names(Cells& names) {
    for (std::string_view& name : names)
      if (name.size() > 1 && name.front() == '"' && name.back() == '"')
        name = name.substr(1, name.size() - 2);
    std::array<std::size_t, 3> columns{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto found = coordinate_index(names, std::identity{}, kAxes[axis]);
      if (!found) return false;
      columns[axis] = *found;
    }
    named_columns_ = columns;
    names_ = names.size();
    return true;
  }

  /// Decides by the first row of points how wide the rows are and where x, y and z stand.
  void settle_columns() {
    if (names_are_sure_ || cells_.size() == names_) columns_ = named_columns_;
    width_ = names_are_sure_ ? names_ : cells_.size();
    if (width_ < 3) throw refused(formatted("{} values, expected 3 or more", cells_.size()));
  }

  Vec3<double> point(std::size_t before) {
    if (before == Limits::kPoints)
      throw refused(formatted("more points than the limit of {}", Limits::kPoints));
    if (before == 0) settle_columns();
    if (cells_.size() != width_) throw refused(formatted("{} values, expected {}", cells_.size(), width_));
    return {number(columns_[0]), number(columns_[1]), number(columns_[2])};
  }

  double number(std::size_t column) const {
    const Real<double> real = parse_real<double>(cells_[column]);
    if (real.fault == RealFault::none) return real.value;
    throw refused(formatted("value {}: '{}' is {}", column + 1, printable(cells_[column]),
                            real.fault == RealFault::out_of_range ? "out of range" : "not a number"));
  }

  InputError refused(std::string_view what) const {
    return refusal(source_.name(), formatted("line {}", number_), what, kRowForm);
  }

  ByteSource source_;
  std::string line_;
  std::uint64_t number_ = 0;
  Cells cells_;
  std::array<std::size_t, 3> columns_ = {0, 1, 2}, named_columns_ = {};
  std::size_t width_ = 0, names_ = 0;  // of a row, once there is one; of the line with names
  bool names_are_sure_ = false;        // not from a comment
};

}  // namespace

StoredPoints read_stored_table(const std::filesystem::path& file, CloudInfo* info) {
  std::vector<Vec3<double>> points = TableReader(file).points();
  if (points.empty())
    throw refusal(printable_name(file.native()), "", "has no points", std::string(kRowForm));
  if (info) *info = {};
  return points;
}

}  // namespace ndt::io
