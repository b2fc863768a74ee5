#include "pcd_header_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ndt/harness/io/read_limits.hpp"
#include "refusal.hpp"

namespace ndt::harness {
namespace {

constexpr std::string_view kAdvice = "fix the header or export the cloud again";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kKeywords[] = {"VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
                                          "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

}  // namespace

PcdHeaderLines::PcdHeaderLines(ByteSource& source) : file_(source.name()) {
  if (source.size() == 0) throw refusal(file_, "", "is empty", "export the cloud again");
  while (add(next_line(source)) != "DATA") {
  }
}

std::string PcdHeaderLines::next_line(ByteSource& source) {
  ++count_;
  std::string line;
  for (int byte = source.get(); byte != '\n'; byte = source.get()) {
    if (byte == ByteSource::kEnd) throw refused_here("the file ends before the end of a DATA line");
    if (source.position() > ReadLimits::kHeaderBytes)
      throw refused_here(fmt::format("no DATA line within the limit of {} bytes", ReadLimits::kHeaderBytes));
    line.push_back(static_cast<char>(byte));
  }
  return line;
}

/// The keyword of the line; empty for comments and blank lines.
std::string_view PcdHeaderLines::add(std::string_view line) {
  if (line.starts_with('#')) return "";
  std::vector<std::string> words = split(line);
  if (words.empty()) return "";
  for (const std::string& word : words)
    if (word.size() > ReadLimits::kTokenBytes)
      throw refused_here(fmt::format("'{}' is longer than {} bytes", printable(word), ReadLimits::kTokenBytes));
  const std::string given = words[0] == "COLUMNS" ? "FIELDS" : words[0];
  const auto* const keyword = std::find(std::begin(kKeywords), std::end(kKeywords), given);
  if (keyword == std::end(kKeywords))
    throw refused_here(fmt::format("'{}' is no keyword of a PCD header", printable(given)));
  words.erase(words.begin());
  if (!lines_.try_emplace(given, Line{count_, std::move(words)}).second)
    throw refused_here(fmt::format("{} comes a second time (first on line {})", *keyword, lines_.at(given).number));
  return *keyword;
}

void PcdHeaderLines::expect_words(const std::string& keyword, std::size_t n) const {
  if (const std::size_t got = words(keyword).size(); got != n)
    throw refused(keyword, fmt::format("{} {} where {} {} expected", got, got == 1 ? "value" : "values", n,
                                       n == 1 ? "is" : "are"));
}

InputError PcdHeaderLines::refused(const std::string& keyword, std::string_view what) const {
  return refusal(file_, fmt::format("header line {}", lines_.at(keyword).number), fmt::format("{} {}", keyword, what),
                 kAdvice);
}

InputError PcdHeaderLines::missing(std::string_view keyword) const {
  return refusal(file_, "header", fmt::format("the {} line is missing", keyword), kAdvice);
}

InputError PcdHeaderLines::refused_here(std::string_view what) const {
  return refusal(file_, fmt::format("header line {}", count_), what, kAdvice);
}

}  // namespace ndt::harness
