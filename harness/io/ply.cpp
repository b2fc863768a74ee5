#include <fmt/format.h>

#include <bit>

#include "base/errors.hpp"
#include "base/numbers.hpp"
#include "io/byte_source.hpp"
#include "io/cloud_file.hpp"
#include "io/cloud_output.hpp"
#include "io/ply_header.hpp"
#include "io/points.hpp"
#include "io/stored_points.hpp"
#include "io/text.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

/// Skips the records of one element.
class RecordSkipper {
 public:
  RecordSkipper(ByteSource& source, const PlyElement& element, std::endian order)
      : source_(source), element_(element), order_(order) {}

  void skip_all() {
    for (; done_ < element_.count; ++done_)
      for (const PlyProperty& property : element_.properties) {
        if (property.is_list())
          skip_items(property);
        else
          skip(property.type->bytes);
      }
  }

 private:
  void skip_items(const PlyProperty& property) {
    const std::uint64_t at = source_.position();
    const std::int64_t items = length(*property.count);
    const std::uint64_t most = source_.remaining() / property.type->bytes;
    if (items < 0 || static_cast<std::uint64_t>(items) > most)
      throw refused(at, fmt::format("list '{}' has {} items, but {} bytes follow", printable(property.name),
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

  void skip(std::uint64_t bytes) {
    require(bytes);
    source_.skip(bytes);
  }

  void require(std::uint64_t bytes) const {
    if (bytes > source_.remaining()) throw refused(source_.position(), "the file ends here");
  }

  InputError refused(std::uint64_t byte, std::string_view what) const {
    return refusal(source_.name(), fmt::format("byte {}", byte),
                   fmt::format("element '{}', record {} of {}: {}", printable(element_.name), done_ + 1,
                               element_.count, what),
                   kCutOff);
  }

  ByteSource& source_;
  const PlyElement& element_;
  std::endian order_;
  std::uint64_t done_ = 0;
};

/// The words of one row of text, read one by one.
class Row {
 public:
  using Piece = TextWords::Piece;
  explicit Row(TextWords& words, Piece first) : words_(words), piece_(first) {}

  void skip_number() {
    require_word();
    words_.number<double>(column_);
    advance();
  }
  std::uint64_t length(const PlyProperty& property) {
    require_word();
    const auto items = parse_whole_number(words_.word());
    if (!items)
      throw words_.refused(fmt::format("value {}: list '{}' has '{}' items, which is not a whole number",
                                       column_ + 1, printable(property.name), printable(words_.word())));
    advance();
    return *items;
  }
  void expect_end() const {
    if (piece_ == Piece::word)
      throw words_.refused(
          fmt::format("value {}: '{}' is one more than declared", column_ + 1, printable(words_.word())));
  }

 private:
  void require_word() const {
    if (piece_ != Piece::word) throw words_.refused(fmt::format("value {} is missing", column_ + 1));
  }
  void advance() {
    piece_ = words_.next();
    ++column_;
  }

  TextWords& words_;
  Piece piece_;
  std::uint64_t column_ = 0;
};

/// Passes over an element in front of the vertices; nothing is kept, so nothing is allocated. Throws
/// ndt::InputError for a list whose length does not fit the file.
void skip_records(ByteSource& source, const PlyElement& element, std::endian order) {
  const std::uint64_t each = element.least_bytes();
  if (each == 0) return;
  if (element.has_lists()) return RecordSkipper(source, element, order).skip_all();
  if (element.count > source.remaining() / each)
    throw refusal(source.name(), fmt::format("byte {}", source.position()),
                  fmt::format("{} of element '{}' of {} bytes declared, but {} bytes follow", element.count,
                              printable(element.name), each, source.remaining()),
                  kCutOff);
  source.skip(element.count * each);
}

/// The same in text, whose words must be numbers.
void skip_rows(TextWords& words, const PlyElement& element) {
  if (element.properties.empty()) return;  // its rows are blank lines
  for (std::uint64_t done = 0; done < element.count; ++done) {
    const TextWords::Piece first = words.next_row();
    if (first == TextWords::Piece::end_of_file)
      throw words.refused(fmt::format("the file ends after {} of {} rows of element '{}'", done,
                                      element.count, printable(element.name)),
                          kCutOff);
    Row row(words, first);
    for (const PlyProperty& property : element.properties) {
      std::uint64_t numbers = property.is_list() ? row.length(property) : 1;
      for (; numbers > 0; --numbers) row.skip_number();
    }
    row.expect_end();
  }
}

template <class T>
std::vector<Vec3<T>> read_text(ByteSource& source, const PlyHeader& header) {
  TextWords words(source, header.lines);
  for (const PlyElement& element : header.before) skip_rows(words, element);
  const AfterLastPoint after =
      header.elements_follow ? AfterLastPoint::other_rows : AfterLastPoint::end_of_file;
  return read_text_points<T>(words, header.vertices, after);
}

template <class T>
std::vector<Vec3<T>> read_binary(ByteSource& source, const PlyHeader& header) {
  const std::endian order =
      header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little;
  for (const PlyElement& element : header.before) skip_records(source, element, order);
  return read_point_records<T>(source, header.vertices, order);
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
  out << fmt::format(
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
  return cloud_of(read_stored_ply(file, info), file);
}

void write_ply(const std::filesystem::path& file, const PointCloud& cloud, PlyEncoding encoding) {
  require_readable_count(file, "points", cloud.size(), Limits::kPoints);
  write_file(file, [&](std::ostream& out) {
    has_origin(cloud) ? write_points<double>(out, cloud, encoding)
                      : write_points<float>(out, cloud, encoding);
  });
}

}  // namespace ndt::harness
