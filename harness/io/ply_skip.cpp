#include "io/ply_skip.hpp"

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/refusal.hpp"
#include "io/point_records.hpp"

namespace ndt::harness {
namespace {

/// The records of one element, of which the number `done` is being passed over.
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
      throw refused(at, fmt::format("list '{}' has {} items, but {} bytes follow", printable(property.name), items,
                                    source_.remaining()));
    source_.skip(static_cast<std::uint64_t>(items) * property.type->bytes);
  }

  std::int64_t length(const PlyType& type) {
    std::array<std::byte, 4> bytes;
    require(type.bytes);
    source_.read(std::span(bytes).first(type.bytes));
    const bool with_sign = type.kind == PlyType::Kind::signed_integer;
    switch (type.bytes) {
      case 1: return with_sign ? load<std::int8_t>(bytes.data(), order_) : load<std::uint8_t>(bytes.data(), order_);
      case 2: return with_sign ? load<std::int16_t>(bytes.data(), order_) : load<std::uint16_t>(bytes.data(), order_);
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
    return refusal(
        source_.name(), fmt::format("byte {}", byte),
        fmt::format("element '{}', record {} of {}: {}", printable(element_.name), done_ + 1, element_.count, what),
        kCutOff);
  }

  ByteSource& source_;
  const PlyElement& element_;
  std::endian order_;
  std::uint64_t done_ = 0;
};

/// The words of one row, handed out one by one.
class Row {
 public:
  using Piece = TextWords::Piece;
  explicit Row(TextWords& words, Piece first) : words_(words), piece_(first) {}

  /// The number that is there in text; the word after it is then the next.
  void skip_number() {
    require_word();
    words_.number<double>(column_);
    advance();
  }
  std::uint64_t length(const PlyProperty& property) {
    require_word();
    const auto items = parse_whole_number(words_.word());
    if (!items)
      throw words_.refused(fmt::format("value {}: list '{}' has '{}' items, which is not a whole number", column_ + 1,
                                       printable(property.name), printable(words_.word())));
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
    if (piece_ != Piece::word)
      throw words_.refused(fmt::format("the line ends where value {} is expected", column_ + 1));
  }
  void advance() {
    piece_ = words_.next();
    ++column_;
  }

  TextWords& words_;
  Piece piece_;
  std::uint64_t column_ = 0;
};

}  // namespace

void skip_ply_records(ByteSource& source, const PlyElement& element, std::endian order) {
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

void skip_ply_rows(TextWords& words, const PlyElement& element) {
  if (element.properties.empty()) return;  // its rows are blank lines
  for (std::uint64_t done = 0; done < element.count; ++done) {
    const TextWords::Piece first = words.next_row();
    if (first == TextWords::Piece::end_of_file)
      throw words.refused(fmt::format("the file ends after {} of {} rows of element '{}'", done, element.count,
                                      printable(element.name)),
                          kCutOff);
    Row row(words, first);
    for (const PlyProperty& property : element.properties) {
      std::uint64_t numbers = property.is_list() ? row.length(property) : 1;
      for (; numbers > 0; --numbers) row.skip_number();
    }
    row.expect_end();
  }
}

}  // namespace ndt::harness
