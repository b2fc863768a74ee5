#include "ndt/io/text.hpp"

#include <algorithm>
#include <utility>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"

namespace ndt::io {
namespace {

constexpr std::string_view kAdvice = "fix the header or export the cloud again";
constexpr std::string_view kBlanks = " \t\r";

/// Takes the first word off the line.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

std::string whole_text(const std::filesystem::path& file, std::uint64_t most, std::string_view advice) {
  ByteSource source(file);
  if (source.size() > most)
    throw refusal(source.name(), "", formatted("{} bytes, at most {} are read", source.size(), most), advice);
  std::string text(source.size(), '\0');
  source.read(std::as_writable_bytes(std::span(text)));
  return text;
}

bool TextWords::between_words(int byte) const {
  return byte == ' ' || byte == '\t' || byte == '\r' ||
         (byte == ',' && comments_ == Comments::hash_and_commas);
}

TextWords::Piece TextWords::next() {
  line_ += std::exchange(ended_line_, 0);
  int byte = pending_ ? std::exchange(pending_, 0) : source_.get();
  while (between_words(byte)) byte = source_.get();
  if (std::exchange(at_line_start_, false)) skip_comment(byte);
  if (byte == ByteSource::kEnd) return Piece::end_of_file;
  if (byte == '\n') {
    ended_line_ = 1;
    at_line_start_ = true;
    return Piece::end_of_line;
  }
  word_.clear();
  while (!between_words(byte) && byte != '\n' && byte != ByteSource::kEnd) {
    if (word_.size() == Limits::kTokenBytes)
      throw refused(formatted("'{}' is longer than {} bytes", printable(word_), Limits::kTokenBytes));
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
  throw refused(formatted("value {}: '{}' is {}", column + 1, printable(word_),
                          real.fault == RealFault::out_of_range ? "out of range" : "not a number"));
}

InputError TextWords::refused(std::string_view what) const {
  return refused(what, "fix the line or export the file again");
}

InputError TextWords::refused(std::string_view what, std::string_view advice) const {
  return refusal(source_.name(), formatted("line {}", line_), what, advice);
}

InputError TextWords::wrong_length(std::uint64_t values, std::uint64_t expected) const {
  return refused(formatted("{} values, expected {}", values, expected));
}

template float TextWords::number<float>(std::uint64_t) const;
template double TextWords::number<double>(std::uint64_t) const;

std::string_view first_word(std::string_view line) { return take_word(line); }

namespace {

/// Whether a line is printable text behind which a carriage return stands; junk has those anywhere.
bool is_text_and_cr(std::string_view line) {
  if (!line.ends_with('\r')) return false;
  line.remove_suffix(1);
  return std::ranges::all_of(line, [](unsigned char c) { return c >= ' ' && c < 0x7F; });
}

}  // namespace

HeaderText::HeaderText(ByteSource& source, std::string_view last) : source_(source), last_(last) {
  if (source.size() == 0) throw refusal(source.name(), "", "is empty", "export the cloud again");
}

std::string HeaderText::next_line() {
  ++count_;
  std::string line;
  for (int byte = source_.get(); byte != '\n'; byte = source_.get()) {
    if (byte == ByteSource::kEnd)
      throw refused(formatted("the file ends before the end of its {} line", last_));
    if (count_ == 1 && is_text_and_cr(line) && byte != '\r')
      throw refused("the line ends with a carriage return alone");
    if (source_.position() > Limits::kHeaderBytes)
      throw refused(formatted("no {} line within the limit of {} bytes", last_, Limits::kHeaderBytes));
    line.push_back(static_cast<char>(byte));
  }
  return line;
}

std::vector<std::string> HeaderText::words(std::string_view line) const {
  std::vector<std::string> words;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (word.size() > Limits::kTokenBytes)
      throw refused(formatted("'{}' is longer than {} bytes", printable(word), Limits::kTokenBytes));
    words.emplace_back(word);
  }
  return words;
}

InputError HeaderText::refused(std::uint64_t line, std::string_view what) const {
  return refusal(source_.name(), formatted("header line {}", line), what, kAdvice);
}

InputError HeaderText::missing(std::string_view keyword) const {
  return refusal(source_.name(), "header", formatted("the {} line is missing", keyword), kAdvice);
}

}  // namespace ndt::io
