#include "base/numbers.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace ndt::harness {
namespace {

template <class T>
std::errc parse_all(std::string_view word, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return end == word.data() + word.size() ? error : std::errc::invalid_argument;
}

}  // namespace

std::optional<std::uint64_t> parse_whole_number(std::string_view word) {
  std::uint64_t value = 0;
  if (parse_all(word, value) != std::errc{}) return std::nullopt;
  return value;
}

template <class T>
Real<T> parse_real(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  if (word.ends_with(')')) return {0, RealFault::not_a_number};  // from_chars takes nan(anything) for nan
  Real<T> real;
  const std::errc error = parse_all(word, real.value);
  if (error == std::errc{}) return real;
  if (error != std::errc::result_out_of_range) return {0, RealFault::not_a_number};
  long double wide = 0;  // tells too small from too large, which from_chars reports alike
  if (parse_all(word, wide) != std::errc{} || std::fabs(wide) >= 1) return {0, RealFault::out_of_range};
  return {static_cast<T>(wide), RealFault::none};
}

template Real<float> parse_real<float>(std::string_view);
template Real<double> parse_real<double>(std::string_view);

}  // namespace ndt::harness
