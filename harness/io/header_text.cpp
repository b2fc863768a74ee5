#include "io/header_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/refusal.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
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

std::string_view first_word(std::string_view line) { return take_word(line); }

HeaderText::HeaderText(ByteSource& source, std::string_view last) : source_(source), last_(last) {
  if (source.size() == 0) throw refusal(source.name(), "", "is empty", "export the cloud again");
}

std::string HeaderText::next_line() {
  ++count_;
  std::string line;
  for (int byte = source_.get(); byte != '\n'; byte = source_.get()) {
    if (byte == ByteSource::kEnd) throw refused(fmt::format("the file ends before the end of its {} line", last_));
    if (source_.position() > Limits::kHeaderBytes)
      throw refused(fmt::format("no {} line within the limit of {} bytes", last_, Limits::kHeaderBytes));
    line.push_back(static_cast<char>(byte));
  }
  return line;
}

std::vector<std::string> HeaderText::words(std::string_view line) const {
  std::vector<std::string> words;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (word.size() > Limits::kTokenBytes)
      throw refused(fmt::format("'{}' is longer than {} bytes", printable(word), Limits::kTokenBytes));
    words.emplace_back(word);
  }
  return words;
}

InputError HeaderText::refused(std::uint64_t line, std::string_view what) const {
  return refusal(source_.name(), fmt::format("header line {}", line), what, kAdvice);
}

InputError HeaderText::missing(std::string_view keyword) const {
  return refusal(source_.name(), "header", fmt::format("the {} line is missing", keyword), kAdvice);
}

}  // namespace ndt::harness
