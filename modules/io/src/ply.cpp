
#include <bit>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/cloud_output.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/points.hpp"
#include "ndt/io/stored_points.hpp"
#include "ndt/io/text.hpp"
#include "ply_header.hpp"

namespace ndt::io {
namespace {

/// Reads the records of one element that has lists.
class ListRecords {
 public:
  ListRecords(ByteSource& source, const PlyElement& element, std::endian order)
      : source_(source), element_(element), order_(order) {}

  /// Reads the next record: its numbers, one after the other and without the lists, are in numbers().
  void next() {
    numbers_.clear();
    for (const PlyProperty& property : element_.properties) {
      if (property.is_list())
        skip_items(property);
      else
        keep(property.type->bytes);
    }
    ++done_;
  }
  const std::vector<std::byte>& numbers() const { return numbers_; }

 private:
  void skip_items(const PlyProperty& property) {
    const std::uint64_t at = source_.position();
    const std::int64_t items = length(*property.count);
    const std::uint64_t most = source_.remaining() / property.type->bytes;
    if (items < 0 || static_cast<std::uint64_t>(items) > most)
      throw refused(at, formatted("list '{}' has {} items, but {} bytes follow", printable(property.name),
                                  items, source_.remaining()));
    source_.skip(static_cast<std::uint64_t>(items) * property.type->bytes);
  }

  std::int64_t length(const PlyType& type) {
    std::array<std::byte, 4> bytes;
    require(type.bytes);
    source_.read(std::span(bytes).first(type.bytes));
    const bool with_sign = type.kind == PlyType::Kind::signed_integer;
    switch (type.bytes) {
      case 1:
        return with_sign ? load<std::int8_t>(bytes.data(), order_) : load<std::uint8_t>(bytes.data(), order_);
      case 2:
        return with_sign ? load<std::int16_t>(bytes.data(), order_)
                         : load<std::uint16_t>(bytes.data(), order_);
      default: break;
    }
    if (with_sign) return load<std::int32_t>(bytes.data(), order_);
    return load<std::uint32_t>(bytes.data(), order_);
  }

  void keep(std::uint64_t bytes) {
    require(bytes);
    numbers_.resize(numbers_.size() + bytes);
    source_.read(std::span(numbers_).last(bytes));
  }

  void require(std::uint64_t bytes) const {
    if (bytes > source_.remaining()) throw refused(source_.position(), "the file ends here");
  }

  InputError refused(std::uint64_t byte, std::string_view what) const {
    return refusal(source_.name(), formatted("byte {}", byte),
                   formatted("element '{}', record {} of {}: {}", printable(element_.name), done_ + 1,
                             element_.count, what),
                   kCutOff);
  }

  ByteSource& source_;
  const PlyElement& element_;
  std::endian order_;
  std::uint64_t done_ = 0;
  std::vector<std::byte> numbers_;
};

/// The words of one row of text, read one by one.
class Row {
 public:
  using Piece = TextWords::Piece;
  explicit Row(TextWords& words, Piece first) : words_(words), piece_(first) {}

  /// The next number, as T.
  template <class T>
  T number() {
    require_word();
    const T value = words_.number<T>(column_);
    advance();
    return value;
  }
  std::uint64_t length(const PlyProperty& property) {
    require_word();
    const auto items = parse_whole_number(words_.word());
    if (!items)
      throw words_.refused(formatted("value {}: list '{}' has '{}' items, which is not a whole number",
                                     column_ + 1, printable(property.name), printable(words_.word())));
    advance();
    return *items;
  }
  void expect_end() const {
    if (piece_ == Piece::word)
      throw words_.refused(
          formatted("value {}: '{}' is one more than declared", column_ + 1, printable(words_.word())));
  }

 private:
  void require_word() const {
    if (piece_ != Piece::word) throw words_.refused(formatted("value {} is missing", column_ + 1));
  }
  void advance() {
    piece_ = words_.next();
    ++column_;
  }

  TextWords& words_;
  Piece piece_;
  std::uint64_t column_ = 0;
};

/// Passes over an element in front of the vertices; its points are not kept. Throws ndt::InputError for a
/// list whose length does not fit the file.
void skip_records(ByteSource& source, const PlyElement& element, std::endian order) {
  const std::uint64_t each = element.least_bytes();
  if (each == 0) return;
  if (element.has_lists()) {
    ListRecords records(source, element, order);
    for (std::uint64_t done = 0; done < element.count; ++done) records.next();
    return;
  }
  if (element.count > source.remaining() / each)
    throw refusal(source.name(), formatted("byte {}", source.position()),
                  formatted("{} of element '{}' of {} bytes declared, but {} bytes follow", element.count,
                            printable(element.name), each, source.remaining()),
                  kCutOff);
  source.skip(element.count * each);
}

/// Reads the rows of an element, whose words must be numbers. Calls take(row, record, number) at each number
/// that is in no list; `take` reads it. Both count from 0.
template <class Take>
void read_rows(TextWords& words, const PlyElement& element, Take take) {
  if (element.properties.empty()) return;  // its rows are blank lines
  for (std::uint64_t done = 0; done < element.count; ++done) {
    const TextWords::Piece first = words.next_row();
    if (first == TextWords::Piece::end_of_file)
      throw words.refused(formatted("the file ends after {} of {} rows of element '{}'", done, element.count,
                                    printable(element.name)),
                          kCutOff);
    Row row(words, first);
    std::uint64_t number = 0;
    for (const PlyProperty& property : element.properties) {
      if (!property.is_list()) {
        take(row, done, number++);
        continue;
      }
      for (std::uint64_t items = row.length(property); items > 0; --items) row.number<double>();
    }
    row.expect_end();
  }
}

void skip_rows(TextWords& words, const PlyElement& element) {
  read_rows(words, element, [](Row& row, std::uint64_t, std::uint64_t) { row.number<double>(); });
}

/// Reads vertices among lists, in text. The header has shown that the file has room for so many.
template <class T>
std::vector<Vec3<T>> read_list_rows(TextWords& words, const PlyHeader& header, AfterLastPoint after) {
  std::vector<Vec3<T>> points(header.vertices.points);
  read_rows(words, header.vertex, [&](Row& row, std::uint64_t record, std::uint64_t number) {
    T* const to[] = {&points[record].x, &points[record].y, &points[record].z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const CoordinatePlace& place = header.vertices.xyz[axis];
      if (place.column != number) continue;
      *to[axis] =
          place.bytes == 4 ? static_cast<T>(row.number<float>()) : static_cast<T>(row.number<double>());
      return;
    }
    row.number<double>();
  });
  if (after == AfterLastPoint::end_of_file && words.next_row() == TextWords::Piece::word)
    throw words.refused(formatted("more rows than the {} declared", points.size()));
  return points;
}

/// Reads vertices among lists, in binary. The header has shown that the file has room for so many.
template <class T>
std::vector<Vec3<T>> read_list_records(ByteSource& source, const PlyHeader& header, std::endian order) {
  std::vector<Vec3<T>> points(header.vertices.points);
  ListRecords records(source, header.vertex, order);
  std::array<ValueColumn, 3> columns;
  for (Vec3<T>& point : points) {
    records.next();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const CoordinatePlace& place = header.vertices.xyz[axis];
      columns[axis] = {records.numbers().data() + place.offset, header.vertices.record_bytes, place.bytes};
    }
    gather<T>(columns, order, std::span(&point, 1));
  }
  return points;
}

template <class T>
std::vector<Vec3<T>> read_text(ByteSource& source, const PlyHeader& header) {
  TextWords words(source, header.lines);
  for (const PlyElement& element : header.before) skip_rows(words, element);
  const AfterLastPoint after =
      header.elements_follow ? AfterLastPoint::other_rows : AfterLastPoint::end_of_file;
  return header.vertex.has_lists() ? read_list_rows<T>(words, header, after)
                                   : read_text_points<T>(words, header.vertices, after);
}

template <class T>
std::vector<Vec3<T>> read_binary(ByteSource& source, const PlyHeader& header) {
  const std::endian order =
      header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little;
  for (const PlyElement& element : header.before) skip_records(source, element, order);
  return header.vertex.has_lists() ? read_list_records<T>(source, header, order)
                                   : read_point_records<T>(source, header.vertices, order);
}

template <class T>
std::vector<Vec3<T>> read_body(ByteSource& source, const PlyHeader& header) {
  return header.encoding == PlyEncoding::ascii ? read_text<T>(source, header)
                                               : read_binary<T>(source, header);
}

std::string_view name_of(PlyEncoding encoding) {
  switch (encoding) {
    case PlyEncoding::ascii: return "ascii";
    case PlyEncoding::binary_little_endian: return "binary_little_endian";
    case PlyEncoding::binary_big_endian: break;
  }
  return "binary_big_endian";
}

template <class T>
void write_points(std::ostream& out, const PointCloud& cloud, PlyEncoding encoding) {
  out << formatted(
      "ply\nformat {0} 1.0\nelement vertex {1}\nproperty {2} x\nproperty {2} y\nproperty {2} z\nend_header\n",
      name_of(encoding), cloud.size(), sizeof(T) == 4 ? "float" : "double");
  switch (encoding) {
    case PlyEncoding::ascii: return write_text_points<T>(out, cloud);
    case PlyEncoding::binary_little_endian: return write_point_records<T>(out, cloud, std::endian::little);
    case PlyEncoding::binary_big_endian: return write_point_records<T>(out, cloud, std::endian::big);
  }
}

}  // namespace

StoredPoints read_stored_ply(const std::filesystem::path& file, CloudInfo* info) {
  ByteSource source(file);
  const PlyHeader header = read_ply_header(source);
  StoredPoints points;
  if (header.vertices.all_float32())
    points = read_body<float>(source, header);
  else
    points = read_body<double>(source, header);
  if (info) info->trailing_bytes = header.elements_follow ? 0 : source.remaining();
  return points;
}

PointCloud read_ply(const std::filesystem::path& file, CloudInfo* info) {
  return cloud_of_stored(read_stored_ply(file, info), file);
}

void write_ply(const std::filesystem::path& file, const PointCloud& cloud, PlyEncoding encoding) {
  require_readable_count(file, "points", cloud.size(), Limits::kPoints);
  write_file(file, [&](std::ostream& out) {
    has_origin(cloud) ? write_points<double>(out, cloud, encoding)
                      : write_points<float>(out, cloud, encoding);
  });
}

}  // namespace ndt::io
