#include "io/text_words.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/numbers.hpp"
#include "base/refusal.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

bool blank(int byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }
bool ends_word(int byte) { return blank(byte) || byte == '\n' || byte == ByteSource::kEnd; }

}  // namespace

TextWords::Piece TextWords::next() {
  line_ += std::exchange(ended_line_, 0);
  int byte = pending_ ? std::exchange(pending_, 0) : source_.get();
  while (blank(byte)) byte = source_.get();
  if (std::exchange(at_line_start_, false)) skip_comment(byte);
  if (byte == ByteSource::kEnd) return Piece::end_of_file;
  if (byte == '\n') {
    ended_line_ = 1;
    at_line_start_ = true;
    return Piece::end_of_line;
  }
  word_.clear();
  while (!ends_word(byte)) {
    if (word_.size() == Limits::kTokenBytes)
      throw refused(fmt::format("'{}' is longer than {} bytes", printable(word_), Limits::kTokenBytes));
    word_.push_back(static_cast<char>(byte));
    byte = source_.get();
  }
  pending_ = byte;
  return Piece::word;
}

void TextWords::skip_comment(int& byte) {
  if (comments_ == Comments::none || byte != '#') return;
  while (byte != '\n' && byte != ByteSource::kEnd) byte = source_.get();
}

TextWords::Piece TextWords::next_row() {
  Piece piece = next();
  while (piece == Piece::end_of_line) piece = next();
  return piece;
}

template <class T>
T TextWords::number(std::uint64_t column) const {
  const Real<T> real = parse_real<T>(word_);
  if (real.fault == RealFault::none) return real.value;
  throw refused(fmt::format("value {}: '{}' is {}", column + 1, printable(word_),
                            real.fault == RealFault::out_of_range ? "out of range" : "not a number"));
}

InputError TextWords::refused(std::string_view what) const {
  return refused(what, "fix the line or export the file again");
}

InputError TextWords::refused(std::string_view what, std::string_view advice) const {
  return refusal(source_.name(), fmt::format("line {}", line_), what, advice);
}

InputError TextWords::wrong_length(std::uint64_t values, std::uint64_t expected) const {
  return refused(fmt::format("{} values where {} are expected", values, expected));
}

template float TextWords::number<float>(std::uint64_t) const;
template double TextWords::number<double>(std::uint64_t) const;

}  // namespace ndt::harness
