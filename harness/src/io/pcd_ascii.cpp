#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "ndt/harness/io/read_limits.hpp"
#include "numbers.hpp"
#include "pcd_body.hpp"
#include "refusal.hpp"

namespace ndt::harness {
namespace {

constexpr std::string_view kAdvice = "fix the line or export the cloud again";

bool blank(int byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }
bool ends_word(int byte) { return blank(byte) || byte == '\n' || byte == ByteSource::kEnd; }

/// Words and line ends of a text, one word in memory at a time.
class Words {
 public:
  enum class Piece { word, end_of_line, end_of_file };

  Words(ByteSource& source, std::uint64_t lines_before) : source_(source), line_(lines_before + 1) {}

  /// After a word, word() is it. refused() names the line of the last piece.
  Piece next() {
    line_ += std::exchange(ended_line_, 0);
    int byte = pending_ ? std::exchange(pending_, 0) : source_.get();
    while (blank(byte)) byte = source_.get();
    if (byte == ByteSource::kEnd) return Piece::end_of_file;
    if (byte == '\n') {
      ended_line_ = 1;
      return Piece::end_of_line;
    }
    word_.clear();
    while (!ends_word(byte)) {
      if (word_.size() == ReadLimits::kTokenBytes)
        throw refused(fmt::format("'{}' is longer than {} bytes", printable(word_), ReadLimits::kTokenBytes));
      word_.push_back(static_cast<char>(byte));
      byte = source_.get();
    }
    pending_ = byte;
    return Piece::word;
  }

  const std::string& word() const { return word_; }
  InputError refused(std::string_view what) const {
    return refusal(source_.name(), fmt::format("line {}", line_), what, kAdvice);
  }

 private:
  ByteSource& source_;
  std::uint64_t line_, ended_line_ = 0;
  std::string word_;
  int pending_ = 0;  // the byte that ended the last word; 0 if none
};

template <class T>
class Rows {
 public:
  Rows(ByteSource& source, const PcdHeader& header) : words_(source, header.lines), header_(header) {}

  /// The next row that is not blank, or false at the end of the file.
  bool next(Vec3<T>& point) {
    using Piece = Words::Piece;
    Piece piece = words_.next();
    while (piece == Piece::end_of_line) piece = words_.next();
    if (piece == Piece::end_of_file) return false;
    std::uint64_t column = 0;
    for (; piece == Piece::word; piece = words_.next(), ++column)
      if (column < header_.columns) take(column, point);
    if (column != header_.columns)
      throw words_.refused(fmt::format("{} values where {} are expected", column, header_.columns));
    return true;
  }

  InputError refused(std::string_view what) const { return words_.refused(what); }

 private:
  void take(std::uint64_t column, Vec3<T>& point) {
    T* const to[] = {&point.x, &point.y, &point.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const PcdCoordinate& place = header_.xyz[axis];
      if (place.column != column) continue;
      *to[axis] = place.bytes == 4 ? static_cast<T>(number<float>(column)) : static_cast<T>(number<double>(column));
      return;
    }
    number<double>(column);  // skipped, but it has to be a number
  }

  template <class Stored>
  Stored number(std::uint64_t column) const {
    const Real<Stored> real = parse_real<Stored>(words_.word());
    if (real.fault == RealFault::none) return real.value;
    throw words_.refused(fmt::format("value {}: '{}' is {}", column + 1, printable(words_.word()),
                                     real.fault == RealFault::out_of_range ? "out of range" : "not a number"));
  }

  Words words_;
  const PcdHeader& header_;
};

}  // namespace

template <class T>
std::vector<Vec3<T>> read_pcd_ascii(ByteSource& source, const PcdHeader& header) {
  // A value takes a digit and a separator; the last separator may be missing.
  const std::uint64_t least = header.points * header.columns * 2;
  if (least > source.remaining() + 1)
    throw refusal(source.name(), fmt::format("line {}", header.lines + 1),
                  fmt::format("{} rows of {} values declared, but only {} bytes follow", header.points, header.columns,
                              source.remaining()),
                  "the file is cut off or its header is wrong, export the cloud again");
  std::vector<Vec3<T>> points(header.points);
  Rows<T> rows(source, header);
  std::uint64_t found = 0;
  for (; found < header.points && rows.next(points[found]); ++found) {
  }
  if (found < header.points) throw rows.refused(fmt::format("the file ends after {} of {} rows", found, header.points));
  if (Vec3<T> extra; rows.next(extra)) throw rows.refused(fmt::format("more rows than the {} declared", header.points));
  return points;
}

template std::vector<Vec3<float>> read_pcd_ascii<float>(ByteSource&, const PcdHeader&);
template std::vector<Vec3<double>> read_pcd_ascii<double>(ByteSource&, const PcdHeader&);

}  // namespace ndt::harness
