#include "base/number_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/exit_code.hpp"
#include "base/numbers.hpp"
#include "base/refusal.hpp"

namespace ndt::harness {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Words between blanks; between two commas there must be at least one, so an empty stretch gives an empty word.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view piece = text.substr(0, comma);
    const std::size_t before = out.size();
    while (true) {
      piece.remove_prefix(std::min(piece.find_first_not_of(kBlanks), piece.size()));
      if (piece.empty()) break;
      const std::size_t end = std::min(piece.find_first_of(kBlanks), piece.size());
      out.push_back(piece.substr(0, end));
      piece.remove_prefix(end);
    }
    if (out.size() == before) out.emplace_back();
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
}

double number(std::string_view word, std::size_t position, std::string_view option) {
  const Real<double> real = parse_real<double>(word);
  if (real.fault != RealFault::none || !std::isfinite(real.value))
    throw UsageError(
        fmt::format("{}: number {} is '{}'; give a finite decimal number", option, position, printable(word)));
  return real.value;
}

}  // namespace

std::vector<double> parse_numbers(std::string_view text, std::string_view option) {
  std::vector<double> numbers;
  for (const std::string_view word : words(text)) numbers.push_back(number(word, numbers.size() + 1, option));
  return numbers;
}

}  // namespace ndt::harness
