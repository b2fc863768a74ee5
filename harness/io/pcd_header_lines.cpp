#include "io/pcd_header_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/refusal.hpp"

namespace ndt::harness {
namespace {

constexpr std::string_view kKeywords[] = {"VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
                                          "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};

}  // namespace

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
    throw text_.refused(fmt::format("'{}' is no keyword of a PCD header", printable(given)));
  words.erase(words.begin());
  if (!lines_.try_emplace(given, Line{text_.count(), std::move(words)}).second)
    throw text_.refused(fmt::format("{} comes a second time (first on line {})", *keyword, lines_.at(given).number));
  return *keyword;
}

void PcdHeaderLines::expect_words(const std::string& keyword, std::size_t n) const {
  if (const std::size_t got = words(keyword).size(); got != n)
    throw refused(keyword, fmt::format("{} {} where {} {} expected", got, got == 1 ? "value" : "values", n,
                                       n == 1 ? "is" : "are"));
}

InputError PcdHeaderLines::refused(const std::string& keyword, std::string_view what) const {
  return text_.refused(lines_.at(keyword).number, fmt::format("{} {}", keyword, what));
}

}  // namespace ndt::harness
