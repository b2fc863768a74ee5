// Texts by the patterns of fmt. Its templates take seconds to compile, so one source sees them and all others
// this.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace ndt {

/// A value to be put into a text.
class FormatValue {
 public:
  using Variant = std::variant<bool, char, long long, unsigned long long, float, double, std::string_view>;

  FormatValue(std::string_view text) : value_(text) {}
  FormatValue(const std::string& text) : value_(std::string_view(text)) {}
  FormatValue(const char* text) : value_(std::string_view(text)) {}
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> FormatValue(Number number) {
    if constexpr (std::same_as<Number, bool> || std::same_as<Number, char> || std::floating_point<Number>)
      value_ = number;
    else if constexpr (std::signed_integral<Number>)
      value_ = static_cast<long long>(number);
    else
      value_ = static_cast<unsigned long long>(number);
  }
  const Variant& value() const { return value_; }

 private:
  Variant value_;
};

/// A pattern with fields {} or {0} for `kValues` values, counted when it is compiled.
template <std::size_t kValues>
class FormatPattern {
 public:
  template <class Text>
  consteval FormatPattern(const Text& pattern) : pattern_(pattern) {
    std::size_t fields = 0;
    for (std::size_t i = 0; i < pattern_.size(); ++i) {
      if (pattern_[i] != '{') continue;
      const char next = pattern_[++i];
      if (next == '{') continue;
      const bool numbered = next >= '0' && next <= '9';
      fields = numbered ? std::max(fields, static_cast<std::size_t>(next - '0') + 1) : fields + 1;
    }
    if (fields != kValues) throw "the pattern has another number of fields than there are values";
  }
  std::string_view text() const { return pattern_; }

 private:
  std::string_view pattern_;
};

/// Throws fmt::format_error if a field does not suit its value.
std::string format_values(std::string_view pattern, std::initializer_list<FormatValue> values);

/// Gives what fmt::format() gives.
template <class... Values>
std::string formatted(FormatPattern<sizeof...(Values)> pattern, const Values&... values) {
  return format_values(pattern.text(), {FormatValue(values)...});
}

}  // namespace ndt
